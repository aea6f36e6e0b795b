/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/event/explain.h"

#include "measure/clock/clock.h"
#include "measure/clock/limits.h"
#include "measure/process/core.h"

/* Moving a byte between processes takes no longer than copying it so many times. */
#define COPIES 4u

/* The shortest of the statement's calls, as far as is known: short ones do not come here. */
static uint64_t explain_least(struct wf_site *site, uint64_t took)
{
    site->longs++;
    if (site->least == 0 || took < site->least)
        site->least = took;
    if (site->record->calls > site->longs && site->least > wf_limits.long_call)
        site->least = wf_limits.long_call;
    return site->least < wf_limits.setup ? site->least : wf_limits.setup;
}

/* What such a call takes at most, once all that it depended on have arrived. */
static uint64_t explain_most(uint64_t least, const struct wf_explain *x)
{
    uint64_t ranks = x->all ? (uint64_t)wf_process.segment.header->size : 1;
    return 2 * least + wf_limits.long_call + COPIES * ranks * wf_limits_copy(x->bytes);
}

/* What weft has taken since the call's end, if that is long, had no core either, and is no part of the call: it is left
 * for the next look, behind the call (wf_event_without_core). */
static uint64_t explain_without_core(struct wf_lane *lane, uint64_t end)
{
    uint64_t without = wf_core_look(lane, end), since = wf_less(wf_clock_ticks(), end);
    uint64_t behind = since < without ? since : without;
    if (behind <= wf_limits.long_call)
        return without;
    lane->core.kept = behind;
    return without - behind;
}

struct wf_idle_ticks wf_event_explain(struct wf_lane *lane, const struct wf_explain *x)
{
    uint64_t rest = x->rest, without = explain_without_core(lane, x->end);
    struct wf_idle_ticks idle = {.no_core = without < x->took ? without : x->took};
    lane->record->no_core_ticks += without - idle.no_core;
    if (idle.no_core > rest)
        idle.no_core = rest;
    rest -= idle.no_core;
    uint64_t least = explain_least(x->site, rest);
    if (!x->own && rest > explain_most(least, x))
        idle.unexplained = rest - least;
    return idle;
}

void wf_event_look(struct wf_lane *lane, uint64_t now)
{
    lane->record->no_core_ticks += wf_core_look(lane, now);
}

uint64_t wf_event_without_core(struct wf_lane *lane, uint64_t ticks, uint64_t now)
{
    uint64_t without = wf_core_look(lane, now), of = without < ticks ? without : ticks;
    lane->record->no_core_ticks += without;
    return of;
}
