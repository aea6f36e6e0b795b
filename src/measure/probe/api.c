/* SPDX-License-Identifier: BSD-3-Clause
 *
 * weft_probe_api_: how code that `weft cc` has instrumented, and <weft/weft.h>, come in.
 *
 * enter and leave are called from places where the compiler expects no call (include/weft/probe.h). So this file and
 * what it calls directly are compiled for general registers only. What is done rarely goes through weft_saved_, which
 * saves all other registers.
 */
#include "measure/probe/api.h"

#include <assert.h>
#include <stddef.h>

#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "measure/path/feed.h"
#include "measure/probe/costs.h"
#include "measure/probe/probe.h"
#include "measure/probe/regions.h"
#include "measure/probe/stack.h"
#include "measure/probe/visits.h"
#include "measure/record/lanes.h"
#include "weft/probe.h"

static_assert(offsetof(struct weft_region_, visit) == 8 && sizeof(struct weft_stack_) == 64 &&
                  offsetof(struct weft_stack_, stack) == 8 && offsetof(struct weft_stack_, start) == 16 &&
                  offsetof(struct weft_stack_, start_virtual) == 24 && offsetof(struct weft_visit_, num) == 24 &&
                  offsetof(struct weft_visit_, ticks) == 32 && offsetof(struct weft_visit_, inner) == 40 &&
                  offsetof(struct weft_visit_, ticks_virtual) == 48 &&
                  offsetof(struct weft_visit_, inner_virtual) == 56 && offsetof(struct weft_lane_, intrusion) == 8 &&
                  offsetof(struct weft_lane_, pair) == 16 && offsetof(struct weft_lane_, pair_inner) == 24 &&
                  offsetof(struct weft_lane_, visits) == 32 && offsetof(struct weft_lane_, wrapped) == 40,
              "numbers in the assembly of weft/probe.h");
static_assert(offsetof(struct weft_visit_, caller) == offsetof(struct wf_visit_record, caller) &&
                  offsetof(struct weft_visit_, num) == offsetof(struct wf_visit_record, num) &&
                  offsetof(struct weft_visit_, ticks) == offsetof(struct wf_visit_record, ticks_raw) &&
                  offsetof(struct weft_visit_, inner) == offsetof(struct wf_visit_record, inner_raw) &&
                  offsetof(struct weft_visit_, ticks_virtual) == offsetof(struct wf_visit_record, ticks_virtual) &&
                  offsetof(struct weft_visit_, inner_virtual) == offsetof(struct wf_visit_record, inner_virtual),
              "instrumented code writes into the segment's records");

/* What an entry has to do first where the thread, the program or library, or the region is new. NULL: the region is not
 * watched. */
static struct wf_lane *api_prepare(struct weft_region_ *source, struct weft_lane_ **slot)
{
    if (wf_child_is())
        wf_probe_forked();
    wf_process_open();
    struct wf_lane *lane = wf_api_lane();
    if (!lane)
        source->state = WEFT_REGION_OFF_;
    if (!lane || wf_api_attend(lane))
        return NULL;
    uint64_t begin = wf_clock_ticks();
    if (source->state == WEFT_REGION_NEW_)
        wf_probe_region_meet(lane, source);
    wf_probe_costs_set(lane);
    wf_lane_lend(lane, slot, (uintptr_t)source); /* else all of its entries come this way */
    bool watched = source->state == WEFT_REGION_ON_;
    wf_lane_charge(lane, begin);
    return watched ? lane : NULL;
}

static struct weft_lane_ *api_enter_region(struct weft_region_ *source, uintptr_t key, uintptr_t probe, uintptr_t frame,
                                           struct weft_lane_ **slot)
{
    struct wf_lane *lane = weft_tls.lane;
    uintptr_t caller = key - probe - (uintptr_t)*slot;
    if (__builtin_expect(!lane || *slot != &lane->probes || source->state != WEFT_REGION_ON_, 0))
        lane = (struct wf_lane *)weft_saved_(api_prepare, (uintptr_t)source, (uintptr_t)slot, 0, 0, 0);
    return lane && wf_stack_push(lane, source->weft, frame, caller, probe) ? &lane->probes : NULL;
}

static void api_leave_region(struct weft_region_ *source)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    if (lane && lane->probes.wrapped) { /* it has been left the fast way */
        lane->probes.wrapped = 0;
        source->visit->num += 0x10000;
        weft_saved_(wf_judge_lane, (uintptr_t)lane, 0, 0, 0, 0);
    } else if (lane) {
        wf_stack_leave(lane, source->weft, now, wf_probe_costs.slow_inner);
    }
}

/* Where a function of the system tells the time, all of it needs the other registers saved. */
static struct weft_lane_ *api_enter(struct weft_region_ *source, unsigned long key, unsigned long probe,
                                    const void *frame, struct weft_lane_ **slot)
{
    struct wf_guard guard;
    struct weft_lane_ *entered;
    if (!wf_guard_enter(&guard))
        return NULL;
    if (__builtin_expect(!wf_clock_is_tsc, 0))
        entered = (struct weft_lane_ *)weft_saved_(api_enter_region, (uintptr_t)source, key, probe, (uintptr_t)frame,
                                                   (uintptr_t)slot);
    else
        entered = api_enter_region(source, key, probe, (uintptr_t)frame, slot);
    wf_guard_leave(&guard);
    return entered;
}

static void api_leave(struct weft_region_ *source)
{
    struct wf_guard guard;
    if (!wf_guard_enter(&guard))
        return;
    if (__builtin_expect(!wf_clock_is_tsc, 0))
        weft_saved_(api_leave_region, (uintptr_t)source, 0, 0, 0, 0);
    else
        api_leave_region(source);
    wf_guard_leave(&guard);
}

/* ---- marked by hand ---- */

struct wf_visit_record *wf_probe_counter(struct weft_region_ *counter)
{
    wf_process_open();
    struct wf_lane *lane = wf_api_lane();
    if (lane && wf_api_attend(lane))
        return NULL;
    if (lane && counter->state == WEFT_REGION_NEW_)
        wf_probe_region_meet(lane, counter);
    struct wf_lane_region *r =
        lane && counter->state == WEFT_REGION_ON_ ? wf_visit_lane_region(lane, counter->weft) : NULL;
    return r ? wf_visit_at(lane, counter->weft, r, 0, 0) : NULL;
}

/* It may be ended in another function. So its frame counts as that of the region around it, if there is one. */
static void api_begin_named(const char *name, unsigned long bytes, uintptr_t frame)
{
    uint64_t now = wf_clock_ticks();
    wf_process_open();
    struct wf_lane *lane = wf_api_lane();
    struct wf_probe_region *region = lane && !wf_api_attend(lane) ? wf_probe_region_meet_named(name, bytes) : NULL;
    if (!region)
        return;
    wf_lane_charge(lane, now);
    wf_stack_push(lane, region, lane->probes.top == lane->stack ? frame : lane->probes.top->stack + 1, 0, 0);
}

static void api_end_named(const char *name, unsigned long bytes)
{
    uint64_t now = wf_clock_ticks();
    struct wf_lane *lane = weft_tls.lane;
    struct wf_probe_region *region = lane ? wf_probe_region_meet_named(name, bytes) : NULL;
    if (!region)
        return;
    uint64_t found = wf_clock_ticks();
    wf_stack_leave(lane, region, now, wf_probe_costs.inner);
    wf_probe_costs_add(lane, found - now);
}

static void api_begin(const char *name, unsigned long bytes)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    api_begin_named(name, bytes, (uintptr_t)__builtin_frame_address(0));
    wf_guard_leave(&guard);
}

static void api_end(const char *name, unsigned long bytes)
{
    struct wf_guard guard;
    if (wf_child_is() || !wf_guard_enter(&guard))
        return;
    api_end_named(name, bytes);
    wf_guard_leave(&guard);
}

const struct weft_probe_api_ weft_probe_api_ = {.version = WEFT_PROBE_VERSION,
                                                .enter = api_enter,
                                                .leave = api_leave,
                                                .count = wf_probe_count,
                                                .begin = api_begin,
                                                .end = api_end,
                                                .path = wf_feed_told};
