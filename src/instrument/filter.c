/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- patterns ---- */

void wf_filter_add(struct wf_words *patterns, const char *list)
{
    while (list && *list) {
        size_t bytes = strcspn(list, ",");
        char *pattern = wf_text_copy_bytes(list, bytes);
        if (*pattern)
            wf_words_add(patterns, pattern);
        free(pattern);
        list += bytes + (list[bytes] == ',');
    }
}

static int read_line(struct wf_filter *filter, char *line)
{
    line[strcspn(line, "#\r")] = '\0';
    char *save = NULL, *verb = strtok_r(line, " \t", &save), *pattern = verb ? strtok_r(NULL, " \t", &save) : NULL;
    if (!verb)
        return 0;
    if (!pattern || strtok_r(NULL, " \t", &save) || (strcmp(verb, "only") != 0 && strcmp(verb, "skip") != 0))
        return -1;
    wf_words_add(*verb == 'o' ? &filter->only : &filter->skip, pattern);
    return 0;
}

int wf_filter_read(struct wf_filter *filter, const char *path, struct wf_error *error)
{
    struct wf_buffer content = {0};
    if (wf_buffer_read(&content, path))
        return wf_error_set(error, "cannot read the filter file %s: %s", path, strerror(errno));
    int result = 0;
    unsigned number = 0;
    char *rest = content.data, *line;
    while (result == 0 && (line = strsep(&rest, "\n"))) {
        number++;
        if (read_line(filter, line))
            result = wf_error_set(error, "%s:%u: a line of a filter file is 'only PATTERN' or 'skip PATTERN'", path, number);
    }
    wf_buffer_fini(&content);
    return result;
}

void wf_filter_fini(struct wf_filter *filter)
{
    wf_words_fini(&filter->only);
    wf_words_fini(&filter->skip);
}

/* A pattern without a slash is for the last part of a path as well as for the whole. */
static bool matches_file(const char *pattern, const char *file)
{
    return !fnmatch(pattern, file, 0) || !fnmatch(pattern, wf_path_base(file), 0);
}

static bool matches_name(const char *pattern, const char *name)
{
    const char *last = name;
    for (const char *at = strstr(name, "::"); at; at = strstr(at + 2, "::"))
        last = at + 2;
    return !fnmatch(pattern, name, 0) || !fnmatch(pattern, last, 0);
}

static bool matches_any(const struct wf_words *patterns, const char *text, bool (*matches)(const char *, const char *))
{
    for (size_t i = 0; i < patterns->count; i++)
        if (matches(patterns->items[i], text))
            return true;
    return false;
}

static void choose(const struct wf_filter *filter, struct wf_region *procedure)
{
    procedure->wanted = matches_any(&filter->only, procedure->name, matches_name);
    bool chosen = procedure->wanted || !filter->only.count || matches_any(&filter->only, procedure->file, matches_file);
    if (matches_any(&filter->skip, procedure->name, matches_name) || matches_any(&filter->skip, procedure->file, matches_file))
        chosen = false;
    if (!chosen && !procedure->is_main)
        wf_region_skip(procedure, "filter");
}

/* ---- what is short by its text ---- */

static int compare_keys(const void *a, const void *b)
{
    const struct wf_region *const *left = a, *const *right = b;
    return strcmp((*left)->key, (*right)->key);
}

static void find_targets(struct wf_unit *unit)
{
    const struct wf_region **procedures = calloc(unit->region_count + 1, sizeof *procedures);
    size_t count = 0;
    for (size_t i = 0; procedures && i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_PROCEDURE && unit->regions[i].key)
            procedures[count++] = &unit->regions[i];
    if (count)
        qsort(procedures, count, sizeof *procedures, compare_keys);
    for (size_t i = 0; count && i < unit->call_count; i++) {
        struct wf_region wanted = {.key = unit->calls[i].key};
        const struct wf_region *key = &wanted, **found = NULL;
        if (wanted.key)
            found = bsearch(&key, procedures, count, sizeof *procedures, compare_keys);
        unit->calls[i].target = found ? (int)(*found - unit->regions) : WF_NONE;
    }
    free(procedures);
}

/* Whether a call may last: MPI, what is not in this unit, and procedures that may. */
static bool call_is_unbounded(const struct wf_unit *unit, const struct wf_call *call)
{
    if (call->kind == WF_COMMUNICATION)
        return true;
    if (call->library)
        return false;
    return call->target == WF_NONE || unit->regions[call->target].unbounded;
}

/* One round: a procedure is bounded once it is without loops of many rounds and calls only what is known to be bounded. */
static bool find_bounded(struct wf_unit *unit, unsigned char *bad)
{
    bool news = false;
    memset(bad, 0, unit->region_count);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP && !unit->regions[i].tiny)
            bad[unit->regions[i].procedure] = 1;
    for (size_t i = 0; i < unit->call_count; i++)
        if (call_is_unbounded(unit, &unit->calls[i]))
            bad[unit->regions[unit->calls[i].parent].procedure] = 1;
    for (size_t i = 0; i < unit->region_count; i++) {
        struct wf_region *region = &unit->regions[i];
        if (region->kind == WF_PROCEDURE && region->unbounded && !bad[i]) {
            region->unbounded = false;
            news = true;
        }
    }
    return news;
}

/* What never gets known as bounded is not: recursion, for one. A loop is unbounded, in this sense, only if something in it is. */
static void find_unbounded(struct wf_unit *unit)
{
    unsigned char *bad = calloc(unit->region_count + 1, 1);
    find_targets(unit);
    for (size_t i = 0; i < unit->region_count; i++)
        unit->regions[i].unbounded = unit->regions[i].kind == WF_PROCEDURE;
    while (bad && find_bounded(unit, bad))
        ;
    free(bad);
    for (size_t i = 0; i < unit->call_count; i++)
        if (unit->calls[i].kind == WF_COMMUNICATION)
            unit->regions[unit->regions[unit->calls[i].parent].procedure].communicates = true;
    for (size_t i = 0; i < unit->call_count; i++)
        if (call_is_unbounded(unit, &unit->calls[i]))
            for (int r = unit->calls[i].parent; r != WF_NONE && unit->regions[r].kind == WF_LOOP; r = unit->regions[r].parent)
                unit->regions[r].unbounded = true;
}

static bool is_in_loop(const struct wf_unit *unit, int region)
{
    while (region != WF_NONE && unit->regions[region].kind == WF_LOOP && unit->regions[region].tiny)
        region = unit->regions[region].parent;
    return region != WF_NONE && unit->regions[region].kind == WF_LOOP;
}

/* What a procedure's text has. */
enum { LOOPS = 1, NEST = 2, LASTING_CALL = 4, OTHER_CALL = 8, CALLED_IN_LOOP = 16 };

static void note_texts(const struct wf_unit *unit, unsigned char *notes)
{
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP && !unit->regions[i].tiny)
            notes[unit->regions[i].procedure] |= is_in_loop(unit, unit->regions[i].parent) ? LOOPS | NEST : LOOPS;
    for (size_t i = 0; i < unit->call_count; i++) {
        const struct wf_call *call = &unit->calls[i];
        if (call_is_unbounded(unit, call))
            notes[unit->regions[call->parent].procedure] |= LASTING_CALL;
        if (call->target != WF_NONE && is_in_loop(unit, call->parent))
            notes[call->target] |= CALLED_IN_LOOP;
    }
}

/* Procedures that a loop calls and that, without a loop of their own, only hand on to some that have one, and no nest: a search, say. Inlined, they
 * are the inside of that loop, where even a probe that is switched off keeps the compiler from what it would do; and what they call has probes. */
static void find_brief(struct wf_unit *unit)
{
    unsigned char *notes = calloc(unit->region_count + 1, 1);
    if (!notes)
        return;
    note_texts(unit, notes);
    for (size_t i = 0; i < unit->call_count; i++) {
        const struct wf_call *call = &unit->calls[i];
        bool simple = call->kind != WF_COMMUNICATION && call->target != WF_NONE && !(notes[call->target] & (NEST | LASTING_CALL));
        if (call_is_unbounded(unit, call) && !simple)
            notes[unit->regions[call->parent].procedure] |= OTHER_CALL;
    }
    for (size_t i = 0; i < unit->region_count; i++)
        unit->regions[i].brief = unit->regions[i].kind == WF_PROCEDURE && (notes[i] & (CALLED_IN_LOOP | LOOPS | OTHER_CALL)) == CALLED_IN_LOOP;
    free(notes);
}

/* Loops of many rounds in each other, this one counted. */
static unsigned nesting(const struct wf_unit *unit, int loop)
{
    unsigned deepest = 0;
    for (size_t i = (size_t)loop + 1; i < unit->region_count && wf_unit_is_within(unit, (int)i, loop); i++) {
        unsigned depth = 0;
        for (int r = (int)i; r != loop; r = unit->regions[r].parent)
            depth += !unit->regions[r].tiny;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + !unit->regions[loop].tiny;
}

/* A loop that only computes is worth a probe where that is sure to cost nothing: outermost in main, or a nest of loops outermost in a procedure
 * that communicates, next to which a probe is nothing. */
static bool loop_is_worth_it(const struct wf_unit *unit, int loop)
{
    const struct wf_region *region = &unit->regions[loop], *parent = &unit->regions[region->parent];
    if (region->unbounded)
        return true;
    if (parent->kind == WF_LOOP || region->tiny)
        return false;
    return parent->is_main || (parent->communicates && nesting(unit, loop) > 1);
}

static void decide(const struct wf_filter *filter, struct wf_unit *unit, int index)
{
    struct wf_region *region = &unit->regions[index];
    const struct wf_region *procedure = &unit->regions[region->procedure];
    bool worth = region->kind == WF_LOOP ? loop_is_worth_it(unit, index) : region->unbounded || region->is_main;
    if (region->probe == WF_PROBE_SKIPPED)
        return;
    if (region->kind == WF_LOOP && procedure->probe == WF_PROBE_SKIPPED)
        wf_region_skip(region, procedure->reason);
    else
        region->probe = (worth && (!procedure->brief || procedure->is_main)) || filter->all || procedure->wanted ? WF_PROBE_ON : WF_PROBE_LEAF;
}

void wf_filter_apply(const struct wf_filter *filter, struct wf_unit *unit)
{
    find_unbounded(unit);
    find_brief(unit);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_PROCEDURE)
            choose(filter, &unit->regions[i]);
    for (size_t i = 0; i < unit->region_count; i++)
        decide(filter, unit, (int)i);
}
