/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/filter.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/leaf.h"

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

static int filter_read_line(struct wf_filter *filter, char *line)
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
        if (filter_read_line(filter, line))
            result =
                wf_error_set(error, "%s:%u: a line of a filter file is 'only PATTERN' or 'skip PATTERN'", path, number);
    }
    wf_buffer_fini(&content);
    return result;
}

void wf_filter_fini(struct wf_filter *filter)
{
    wf_words_fini(&filter->only);
    wf_words_fini(&filter->skip);
}

/* A pattern may match the whole path, or its last part. */
static bool filter_matches_file(const char *pattern, const char *file)
{
    return !fnmatch(pattern, file, 0) || !fnmatch(pattern, wf_path_base(file), 0);
}

static bool filter_matches_name(const char *pattern, const char *name)
{
    const char *last = name;
    for (const char *at = strstr(name, "::"); at; at = strstr(at + 2, "::"))
        last = at + 2;
    return !fnmatch(pattern, name, 0) || !fnmatch(pattern, last, 0);
}

static bool filter_matches_any(const struct wf_words *patterns, const char *text,
                               bool (*matches)(const char *, const char *))
{
    for (size_t i = 0; i < patterns->count; i++)
        if (matches(patterns->items[i], text))
            return true;
    return false;
}

static void filter_choose(const struct wf_filter *filter, struct wf_source_region *procedure)
{
    procedure->wanted = filter_matches_any(&filter->only, procedure->name, filter_matches_name);
    bool chosen = procedure->wanted || !filter->only.count ||
                  filter_matches_any(&filter->only, procedure->file, filter_matches_file);
    if (filter_matches_any(&filter->skip, procedure->name, filter_matches_name) ||
        filter_matches_any(&filter->skip, procedure->file, filter_matches_file))
        chosen = false;
    if (!chosen && !procedure->is_main)
        wf_source_region_skip(procedure, "filter");
}

static void filter_decide(const struct wf_filter *filter, struct wf_source_unit *unit, int index)
{
    struct wf_source_region *region = &unit->regions[index];
    const struct wf_source_region *procedure = &unit->regions[region->procedure];
    if (region->probe == WF_PROBE_SKIPPED)
        return;
    if (region->kind == WF_LOOP && procedure->probe == WF_PROBE_SKIPPED)
        wf_source_region_skip(region, procedure->reason);
    else
        region->probe = filter->all || procedure->wanted || !wf_leaf_is(unit, index) ? WF_PROBE_ON : WF_PROBE_LEAF;
}

void wf_filter_apply(const struct wf_filter *filter, struct wf_source_unit *unit)
{
    wf_leaf_find(unit);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_PROCEDURE)
            filter_choose(filter, &unit->regions[i]);
    for (size_t i = 0; i < unit->region_count; i++)
        filter_decide(filter, unit, (int)i);
}
