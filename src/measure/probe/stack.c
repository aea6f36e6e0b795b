/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Push and pop are reached where the compiler has saved no register (api.c): general registers only.
 */
#include "measure/probe/stack.h"

#include "base/quiet.h"
#include "measure/guest/guard.h"
#include "measure/probe/costs.h"
#include "measure/probe/probe.h"
#include "measure/probe/visits.h"
#include "measure/process/process.h"
#include "measure/record/lanes.h"

static bool stack_is_active(struct wf_lane *lane, const struct wf_probe_region *region, const struct wf_lane_region *r)
{
    /* Addresses are in the lower half of all numbers; inverted, in the upper. */
    return wf_probe_region_has_fast_way(lane, region) ? (int64_t)region->source->key < 0 : r->active > 0;
}

/* What is known of the visit on top, which ends now; inner: what of the cost lay before now. */
static inline struct wf_visit_event stack_settle(const struct wf_lane *lane, uint64_t now, uint64_t inner,
                                                 enum wf_stack_exit how)
{
    const struct weft_stack_ *top = lane->probes.top;
    uint64_t virt = now - lane->probes.intrusion - wf_probe_costs_charged(lane, inner);
    return (struct wf_visit_event){.region = wf_stack_region(top),
                                   .visit = (struct wf_visit_record *)top->visit,
                                   .outside = (struct wf_visit_record *)top[-1].visit,
                                   .begin = top->start,
                                   .end = now,
                                   .begin_virtual = top->start_virtual,
                                   .ticks_raw = now - top->start,
                                   .ticks_virtual = virt - top->start_virtual,
                                   .inner_raw = top->visit->inner - top->weft_[WF_STACK_INNER],
                                   .inner_virtual = top->visit->inner_virtual - top->weft_[WF_STACK_INNER_VIRTUAL],
                                   .repaired = how != WF_STACK_LEFT};
}

/* The region can be entered again. */
static inline void stack_end_visit(struct wf_lane *lane, struct wf_probe_region *region, enum wf_stack_exit how)
{
    if (!wf_probe_region_has_fast_way(lane, region))
        lane->regions[region->index].active = 0;
    else if (how != WF_STACK_ABANDONED)
        region->source->key = ~region->source->key;
    else
        weft_saved_(wf_probe_region_end_visit, (uintptr_t)region, 0, 0, 0, 0);
}

/* The entry goes last, so that the probes of a signal handler push behind it. */
void wf_stack_pop(struct wf_lane *lane, uint64_t now, uint64_t inner, enum wf_stack_exit how)
{
    const struct wf_visit_event event = stack_settle(lane, now, inner, how);
    wf_visit_count(lane, &event);
    stack_end_visit(lane, event.region, how);
    lane->record->probes++;
    wf_probe_costs_add(lane, wf_probe_costs.pair + wf_probe_costs.leave);
    lane->probes.top->start = 0;
    wf_guard_order();
    lane->probes.top--;
}

static uintptr_t stack_probe(const struct weft_stack_ *entry)
{
    return entry->visit->probe ? entry->visit->probe : entry->weft_[WF_STACK_PROBE];
}

/* Is the region's entry on the stack still alive? Then what enters now was called by it, and its frame is below; or it
 * was inlined into the same function, and here is another copy of the probe. The entry of a function that ended without
 * leaving (longjmp) is not: it is taken off, and all above it. */
static bool stack_is_recursion(struct wf_lane *lane, const struct wf_probe_region *region, uintptr_t frame,
                               uintptr_t probe)
{
    struct weft_stack_ *entry = wf_stack_find(lane, region);
    if (!entry)
        return false;
    if (entry->stack >= frame ||
        (entry->stack >= (uintptr_t)__builtin_frame_address(0) && stack_probe(entry) != probe)) {
        /* About a tick for each entry that was looked at: too little to be measured. */
        wf_probe_costs_add(lane, (uint64_t)(lane->probes.top - entry));
        return true;
    }
    uint64_t now = wf_clock_ticks();
    while (lane->probes.top >= entry)
        wf_stack_pop(lane, now, wf_probe_costs.slow_inner,
                     lane->probes.top == entry ? WF_STACK_REENTERED : WF_STACK_ABANDONED);
    wf_lane_charge(lane, now);
    return false;
}

/* Once a visit, before it begins. */
static void stack_delay(struct wf_lane *lane)
{
    uint64_t begin = wf_clock_ticks(), now = begin;
    while (now - begin < wf_process.test_delay_ticks)
        now = wf_clock_ticks();
    wf_probe_costs_add(lane, now - begin);
}

/* A signal handler's probes may push and pop there between any two instructions, and the thread may be cancelled. So
 * the entry is theirs until it is the top, and there is never an entry without a visit. */
static struct weft_stack_ *stack_put(struct wf_lane *lane, struct weft_visit_ *visit)
{
    struct weft_stack_ *top = lane->probes.top + 1;
    *(struct weft_visit_ *volatile *)&top->visit = visit;
    *(struct weft_stack_ *volatile *)&lane->probes.top = top;
    *(struct weft_visit_ *volatile *)&top->visit = visit;
    return top;
}

bool wf_stack_push(struct wf_lane *lane, struct wf_probe_region *region, uintptr_t frame, uintptr_t caller,
                   uintptr_t probe)
{
    if (__builtin_expect(wf_process.test_delay_ticks != 0, 0))
        stack_delay(lane);
    if (__builtin_expect((++lane->slow_entries & 0xffff) == 0, 0))
        weft_saved_(wf_judge_lane, (uintptr_t)lane, 0, 0, 0, 0);
    struct wf_lane_region *r = wf_visit_lane_region(lane, region);
    bool procedure = region->record->kind == WF_REGION_PROCEDURE;
    struct wf_visit_record *visit = NULL;
    if (r && !(stack_is_active(lane, region, r) && stack_is_recursion(lane, region, frame, probe)))
        visit = wf_visit_at(lane, region, r, procedure ? caller : 0, procedure ? probe : 0);
    if (!visit) {
        wf_probe_costs_add(lane, wf_probe_costs.again);
        return false;
    }
    struct weft_stack_ *top = stack_put(lane, (struct weft_visit_ *)visit);
    top->stack = frame - 1;
    top->weft_[WF_STACK_INNER] = visit->inner_raw;
    top->weft_[WF_STACK_INNER_VIRTUAL] = visit->inner_virtual;
    top->weft_[WF_STACK_PROBE] = probe;
    if (wf_probe_region_has_fast_way(lane, region)) {
        region->source->visit = top->visit;
        region->source->key = ~(caller + probe + (uintptr_t)lane);
    } else {
        r->active = 1;
    }
    r->slow++;
    wf_probe_costs_add(lane, wf_probe_costs.enter);
    top->start = wf_clock_ticks();
    top->start_virtual = top->start - lane->probes.intrusion;
    return true;
}

void wf_probe_resumed(struct wf_lane *lane, uint64_t since, uint64_t pause_ticks)
{
    for (struct weft_stack_ *e = lane ? lane->probes.top : NULL; e && e > lane->stack; e--)
        if ((int64_t)(e->start - since) <= 0)
            e->start += pause_ticks, e->start_virtual += pause_ticks;
}

void wf_probe_thread_ends(struct wf_lane *lane)
{
    uint64_t now = wf_clock_ticks();
    while (lane->probes.top > lane->stack)
        wf_stack_pop(lane, now, wf_probe_costs.inner, WF_STACK_ABANDONED);
    wf_probe_costs_account(lane);
}

void wf_probe_ended(void)
{
    struct wf_quiet quiet;
    if (weft_tls.lane)
        wf_probe_thread_ends(weft_tls.lane);
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    for (struct wf_lane *lane = wf_lane_first(); lane; lane = lane->next)
        wf_probe_costs_account(lane);
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

/* No lock: the thread that had it may not be in this process. */
void wf_probe_forked(void)
{
    /* It is the visit of no region, so no scope leaves it. */
    static struct weft_visit_ no_visit;
    static struct weft_stack_ no_entry = {.visit = &no_visit};
    struct wf_lane *lane = weft_tls.lane;
    if (!lane)
        return;
    wf_lane_revoke(lane);
    lane->probes.top = &no_entry; /* some scopes have the lane in a register */
    weft_tls.lane = NULL;
}
