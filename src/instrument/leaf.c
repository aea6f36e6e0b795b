/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/leaf.h"

#include <stdlib.h>
#include <string.h>

static int leaf_compare_keys(const void *a, const void *b)
{
    const struct wf_source_region *const *left = a, *const *right = b;
    return strcmp((*left)->key, (*right)->key);
}

static void leaf_find_targets(struct wf_source_unit *unit)
{
    const struct wf_source_region **procedures = calloc(unit->region_count + 1, sizeof *procedures);
    size_t count = 0;
    for (size_t i = 0; procedures && i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_PROCEDURE && unit->regions[i].key)
            procedures[count++] = &unit->regions[i];
    if (count)
        qsort(procedures, count, sizeof *procedures, leaf_compare_keys);
    for (size_t i = 0; count && i < unit->call_count; i++) {
        struct wf_source_region wanted = {.key = unit->calls[i].key};
        const struct wf_source_region *key = &wanted, **found = NULL;
        if (wanted.key)
            found = bsearch(&key, procedures, count, sizeof *procedures, leaf_compare_keys);
        unit->calls[i].target = found ? (int)(*found - unit->regions) : WF_NONE;
    }
    free(procedures);
}

/* Whether a call may last: communication, procedures of this unit that may, and all others that are not known to be
 * short. */
static bool leaf_call_is_unbounded(const struct wf_source_unit *unit, const struct wf_source_call *call)
{
    if (call->kind == WF_COMMUNICATION)
        return true;
    if (call->is_short)
        return false;
    return call->target == WF_NONE || unit->regions[call->target].unbounded;
}

/* One round: a procedure is bounded if it has only tiny loops and calls only what is known to be bounded. */
static bool leaf_find_bounded(struct wf_source_unit *unit, unsigned char *bad)
{
    bool news = false;
    memset(bad, 0, unit->region_count);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP && !unit->regions[i].tiny)
            bad[unit->regions[i].procedure] = 1;
    for (size_t i = 0; i < unit->call_count; i++)
        if (leaf_call_is_unbounded(unit, &unit->calls[i]))
            bad[unit->regions[unit->calls[i].parent].procedure] = 1;
    for (size_t i = 0; i < unit->region_count; i++) {
        struct wf_source_region *region = &unit->regions[i];
        if (region->kind == WF_PROCEDURE && region->unbounded && !bad[i]) {
            region->unbounded = false;
            news = true;
        }
    }
    return news;
}

/* All procedures that no round finds bounded are unbounded, recursive ones among them. A loop is unbounded here if it
 * has an unbounded call. */
static void leaf_find_unbounded(struct wf_source_unit *unit)
{
    unsigned char *bad = calloc(unit->region_count + 1, 1);
    leaf_find_targets(unit);
    for (size_t i = 0; i < unit->region_count; i++)
        unit->regions[i].unbounded = unit->regions[i].kind == WF_PROCEDURE;
    while (bad && leaf_find_bounded(unit, bad))
        ;
    free(bad);
    for (size_t i = 0; i < unit->call_count; i++)
        if (unit->calls[i].kind == WF_COMMUNICATION)
            unit->regions[unit->regions[unit->calls[i].parent].procedure].communicates = true;
    for (size_t i = 0; i < unit->call_count; i++)
        if (leaf_call_is_unbounded(unit, &unit->calls[i]))
            for (int r = unit->calls[i].parent; r != WF_NONE && unit->regions[r].kind == WF_LOOP;
                 r = unit->regions[r].parent)
                unit->regions[r].unbounded = true;
}

static bool leaf_is_in_loop(const struct wf_source_unit *unit, int region)
{
    while (region != WF_NONE && unit->regions[region].kind == WF_LOOP && unit->regions[region].tiny)
        region = unit->regions[region].parent;
    return region != WF_NONE && unit->regions[region].kind == WF_LOOP;
}

/* Notes about a procedure's text. */
enum { LOOPS = 1, NEST = 2, LASTING_CALL = 4, OTHER_CALL = 8, CALLED_IN_LOOP = 16 };

static void leaf_note_texts(const struct wf_source_unit *unit, unsigned char *notes)
{
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP && !unit->regions[i].tiny)
            notes[unit->regions[i].procedure] |= leaf_is_in_loop(unit, unit->regions[i].parent) ? LOOPS | NEST : LOOPS;
    for (size_t i = 0; i < unit->call_count; i++) {
        const struct wf_source_call *call = &unit->calls[i];
        if (leaf_call_is_unbounded(unit, call))
            notes[unit->regions[call->parent].procedure] |= LASTING_CALL;
        if (call->target != WF_NONE && leaf_is_in_loop(unit, call->parent))
            notes[call->target] |= CALLED_IN_LOOP;
    }
}

/* Procedures without loops that a loop calls, and that call only procedures with simple loops (a search, for example).
 * Inlined, they are the body of the calling loop, where even a probe that is switched off hinders the optimiser. The
 * procedures that they call have probes. */
static void leaf_find_brief(struct wf_source_unit *unit)
{
    unsigned char *notes = calloc(unit->region_count + 1, 1);
    if (!notes)
        return;
    leaf_note_texts(unit, notes);
    for (size_t i = 0; i < unit->call_count; i++) {
        const struct wf_source_call *call = &unit->calls[i];
        bool simple =
            call->kind != WF_COMMUNICATION && call->target != WF_NONE && !(notes[call->target] & (NEST | LASTING_CALL));
        if (leaf_call_is_unbounded(unit, call) && !simple)
            notes[unit->regions[call->parent].procedure] |= OTHER_CALL;
    }
    for (size_t i = 0; i < unit->region_count; i++)
        unit->regions[i].brief = unit->regions[i].kind == WF_PROCEDURE &&
                                 (notes[i] & (CALLED_IN_LOOP | LOOPS | OTHER_CALL)) == CALLED_IN_LOOP;
    free(notes);
}

/* How many loops are nested here, this one included, tiny ones not. */
static unsigned leaf_nesting(const struct wf_source_unit *unit, int loop)
{
    unsigned deepest = 0;
    for (size_t i = (size_t)loop + 1; i < unit->region_count && wf_source_unit_is_within(unit, (int)i, loop); i++) {
        unsigned depth = 0;
        for (int r = (int)i; r != loop; r = unit->regions[r].parent)
            depth += !unit->regions[r].tiny;
        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + !unit->regions[loop].tiny;
}

/* A loop with only short calls is worth a probe where the probe's cost does not matter: an outermost loop of main, or
 * an outermost nest of loops in a procedure that communicates. */
static bool leaf_loop_is_worth_it(const struct wf_source_unit *unit, int loop)
{
    const struct wf_source_region *region = &unit->regions[loop], *parent = &unit->regions[region->parent];
    if (region->unbounded)
        return true;
    if (parent->kind == WF_LOOP || region->tiny)
        return false;
    return parent->is_main || (parent->communicates && leaf_nesting(unit, loop) > 1);
}

void wf_leaf_find(struct wf_source_unit *unit)
{
    leaf_find_unbounded(unit);
    leaf_find_brief(unit);
}

bool wf_leaf_is(const struct wf_source_unit *unit, int index)
{
    const struct wf_source_region *region = &unit->regions[index], *procedure = &unit->regions[region->procedure];
    bool worth = region->kind == WF_LOOP ? leaf_loop_is_worth_it(unit, index) : region->unbounded || region->is_main;
    return !worth || (procedure->brief && !procedure->is_main);
}
