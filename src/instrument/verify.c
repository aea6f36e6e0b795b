/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/verify.h"

#include <string.h>

static const char reason[] = "its tree would change";

static bool same_region(const struct wf_region *a, const struct wf_region *b)
{
    return a->kind == b->kind && a->parent == b->parent && a->source == b->source && a->begin == b->begin &&
           a->line == b->line && a->begin_line == b->begin_line && !strcmp(a->name, b->name) && !strcmp(a->file, b->file) &&
           (a->kind == WF_LOOP || (a->end == b->end && a->hash == b->hash));
}

static bool same_call(const struct wf_call *a, const struct wf_call *b)
{
    return a->kind == b->kind && a->parent == b->parent && a->line == b->line && !strcmp(a->callee, b->callee) && !strcmp(a->file, b->file);
}

static void skip_procedure(struct wf_unit *unit, int procedure)
{
    wf_region_skip(&unit->regions[procedure], reason);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].procedure == procedure)
            wf_region_skip(&unit->regions[i], reason);
}

/* Regions came or went: the first procedure that differs is to blame. */
static int skip_first(struct wf_unit *original, const struct wf_unit *again)
{
    for (size_t i = 0; i < original->region_count; i++) {
        if (i < again->region_count && same_region(&original->regions[i], &again->regions[i]))
            continue;
        int procedure = original->regions[i].procedure;
        if (original->regions[procedure].probe == WF_PROBE_SKIPPED)
            return -1;
        skip_procedure(original, procedure);
        return 1;
    }
    return -1;
}

int wf_verify_compare(struct wf_unit *original, const struct wf_unit *again)
{
    int result = 0;
    if (original->region_count != again->region_count)
        return skip_first(original, again);
    for (size_t i = 0; i < original->region_count; i++) {
        if (same_region(&original->regions[i], &again->regions[i]))
            continue;
        int procedure = original->regions[i].procedure;
        if (result == 0 && original->regions[procedure].probe == WF_PROBE_SKIPPED)
            return -1;
        skip_procedure(original, procedure);
        result = 1;
    }
    if (result == 0 && original->call_count != again->call_count)
        return -1;
    for (size_t i = 0; result == 0 && i < original->call_count; i++)
        if (!same_call(&original->calls[i], &again->calls[i]))
            return -1;
    return result;
}
