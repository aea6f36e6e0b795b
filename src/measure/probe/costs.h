/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the probes cost, in ticks. Owned by the process: calibrated once, before the first region is entered, with the
 * regions' lock held; then any thread reads it without a lock. What a lane has of it is its thread's alone.
 *
 * Each visit makes its thread later than it would be unwatched, and so adds to its lane's intrusion: the calibrated
 * cost where it does the usual, the measured cost where it does something rare (wf_lane_charge).
 */
#ifndef WF_PROBE_COSTS_H
#define WF_PROBE_COSTS_H

#include <stdint.h>

#include "measure/record/lane.h"

struct wf_probe_costs {
    uint64_t pair, inner;  /* of a visit the fast way; inner: its part between the two readings of the clock */
    uint64_t enter, leave; /* how much more it is if it is entered, or left, the slow way */
    uint64_t slow_inner;   /* in place of inner if it is left the slow way */
    uint64_t again;        /* an entry that makes no visit: recursion */
};

extern struct wf_probe_costs wf_probe_costs __attribute__((visibility("hidden")));

/* weft's words in a weft_lane_: whether its costs are set, and how many of its visits are accounted for */
enum { WF_LANE_PRICED, WF_LANE_ACCOUNTED };

/* What of these ticks makes the lane's thread later than it would be unwatched: none with --clock=real. */
static inline uint64_t wf_probe_costs_charged(const struct wf_lane *lane, uint64_t ticks)
{
    return lane->charged ? ticks : 0;
}

static inline void wf_probe_costs_add(struct wf_lane *lane, uint64_t ticks)
{
    lane->record->overhead_ticks += ticks;
    lane->probes.intrusion += wf_probe_costs_charged(lane, ticks);
}

/* Tells the lane what its fast way costs. Later calls do nothing. */
void wf_probe_costs_set(struct wf_lane *lane);

/* Adds the visits that went the fast way to what the lane's record says. */
void wf_probe_costs_account(struct wf_lane *lane);

/* Before any region is entered; what it does to the lane is undone. */
void wf_probe_costs_calibrate(struct wf_lane *lane);

#endif
