/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The shadow stack of a thread: the regions that it is in. lane->stack[0] stands for no region, lane->probes.top is the
 * innermost one. Owned by the lane, touched by its thread only. But the probes of the thread's signal handlers may push
 * and pop between any two instructions, because the fast way is inline in instrumented code (include/weft/probe.h). So
 * entries are written in an order in which each is valid at every moment.
 *
 * A function that ends without leaving its region (longjmp) leaves an entry behind. The stack is repaired when the
 * region is entered again, or when one further out is left.
 */
#ifndef WF_PROBE_STACK_H
#define WF_PROBE_STACK_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/probe/judge.h"
#include "measure/probe/regions.h"
#include "measure/record/lane.h"

/* Pushes an entry. False if there is nothing to record: recursion, or no room. frame: where the frame of the function
 * that enters begins. */
bool wf_stack_push(struct wf_lane *lane, struct wf_probe_region *region, uintptr_t frame, uintptr_t caller,
                   uintptr_t probe);

/* How a visit ends. */
enum wf_stack_exit {
    WF_STACK_LEFT,      /* its region's code leaves it */
    WF_STACK_REENTERED, /* by repair: its region's code enters the region again */
    WF_STACK_ABANDONED, /* by repair, or by the thread's end: its region's library may be closed */
};

/* Takes the top entry off: its visit ends now. inner: what of the cost lay before now. */
void wf_stack_pop(struct wf_lane *lane, uint64_t now, uint64_t inner, enum wf_stack_exit how);

static inline struct wf_probe_region *wf_stack_region(const struct weft_stack_ *entry)
{
    return &wf_probe_regions.all[((const struct wf_visit_record *)entry->visit)->writers_own];
}

/* The region's entry, or NULL. */
static inline struct weft_stack_ *wf_stack_find(struct wf_lane *lane, const struct wf_probe_region *region)
{
    struct weft_stack_ *entry = lane->probes.top;
    while (entry > lane->stack && wf_stack_region(entry) != region)
        entry--;
    return entry > lane->stack ? entry : NULL;
}

/* Leaves a region, and what was entered in it and never left. An entry that a repair has taken off, or that a forked
 * child has inherited, is not there any more. */
static inline void wf_stack_leave(struct wf_lane *lane, struct wf_probe_region *region, uint64_t now, uint64_t inner)
{
    struct weft_stack_ *entry = wf_stack_find(lane, region);
    if (!entry)
        return;
    while (lane->probes.top >= entry)
        wf_stack_pop(lane, now, inner, lane->probes.top == entry ? WF_STACK_LEFT : WF_STACK_ABANDONED);
    if ((entry->visit->num & 0xffff) == 0)
        weft_saved_(wf_judge_lane, (uintptr_t)lane, 0, 0, 0, 0);
}

#endif
