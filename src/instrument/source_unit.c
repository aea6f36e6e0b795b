/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/source_unit.h"

#include <stdlib.h>

static void source_fini(struct wf_source *source)
{
    for (size_t i = 0; i < source->insertion_count; i++)
        free(source->insertions[i].text);
    free(source->insertions);
    free(source->tokens);
    free(source->name);
}

void wf_source_unit_fini(struct wf_source_unit *unit)
{
    for (size_t i = 0; i < unit->source_count; i++)
        source_fini(&unit->sources[i]);
    for (size_t i = 0; i < unit->region_count; i++) {
        free(unit->regions[i].name);
        free(unit->regions[i].file);
        free(unit->regions[i].key);
    }
    for (size_t i = 0; i < unit->call_count; i++) {
        free(unit->calls[i].callee);
        free(unit->calls[i].key);
        free(unit->calls[i].file);
    }
    for (size_t i = 0; i < unit->jump_count; i++)
        free(unit->jumps[i].label);
    free(unit->sources);
    free(unit->regions);
    free(unit->calls);
    free(unit->jumps);
    free(unit->file);
    *unit = (struct wf_source_unit){0};
}

void wf_source_region_skip(struct wf_source_region *region, const char *reason)
{
    if (region->probe == WF_PROBE_SKIPPED)
        return;
    region->probe = WF_PROBE_SKIPPED;
    region->reason = reason;
}

bool wf_source_unit_is_within(const struct wf_source_unit *unit, int region, int around)
{
    while (region != WF_NONE && region != around)
        region = unit->regions[region].parent;
    return region == around;
}

int wf_source_unit_procedure_at(const struct wf_source_unit *unit, size_t source, size_t at)
{
    int found = WF_NONE;
    for (size_t i = 0; i < unit->region_count; i++) {
        const struct wf_source_region *region = &unit->regions[i];
        if (region->kind == WF_PROCEDURE && region->source == source && region->begin <= at && at < region->end)
            found = (int)i; /* inner ones come later */
    }
    return found;
}
