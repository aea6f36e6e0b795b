/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/jumps.h"

#include <string.h>

static bool jumps_same_procedure(const struct wf_source_unit *unit, const struct wf_jump *a, const struct wf_jump *b)
{
    return unit->regions[a->region].procedure == unit->regions[b->region].procedure;
}

/* Skips the loops around `inner` that are not around `outer`. */
static void jumps_skip_between(struct wf_source_unit *unit, int inner, int outer, const char *reason)
{
    for (int r = inner; r != WF_NONE && unit->regions[r].kind == WF_LOOP && !wf_source_unit_is_within(unit, outer, r);
         r = unit->regions[r].parent)
        wf_source_region_skip(&unit->regions[r], reason);
}

static void jumps_check_goto(struct wf_source_unit *unit, const struct wf_jump *jump)
{
    for (size_t i = 0; i < unit->jump_count; i++) {
        const struct wf_jump *label = &unit->jumps[i];
        if (label->kind == WF_LABEL && jumps_same_procedure(unit, label, jump) && !strcmp(label->label, jump->label))
            jumps_skip_between(unit, label->region, jump->region, "a goto jumps into it");
    }
}

/* A computed goto of the same procedure may jump to any label whose address is taken. */
static void jumps_check_address(struct wf_source_unit *unit, const struct wf_jump *address)
{
    for (size_t i = 0; i < unit->jump_count; i++) {
        const struct wf_jump *jump = &unit->jumps[i];
        if (jump->kind != WF_COMPUTED_GOTO || !jumps_same_procedure(unit, jump, address))
            continue;
        for (size_t j = 0; j < unit->jump_count; j++) {
            const struct wf_jump *label = &unit->jumps[j];
            if (label->kind != WF_LABEL || !jumps_same_procedure(unit, label, jump) ||
                strcmp(label->label, address->label) != 0)
                continue;
            jumps_skip_between(unit, label->region, jump->region, "a computed goto jumps into it");
            jumps_skip_between(unit, jump->region, label->region, "a computed goto jumps out of it");
        }
    }
}

void wf_jumps_check(struct wf_source_unit *unit)
{
    for (size_t i = 0; i < unit->jump_count; i++) {
        if (unit->jumps[i].kind == WF_GOTO)
            jumps_check_goto(unit, &unit->jumps[i]);
        else if (unit->jumps[i].kind == WF_LABEL_ADDRESS)
            jumps_check_address(unit, &unit->jumps[i]);
    }
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP && unit->regions[unit->regions[i].procedure].asm_goto)
            wf_source_region_skip(&unit->regions[i], "asm goto");
}
