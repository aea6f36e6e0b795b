/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/probe/costs.h"

#include "measure/guest/thread.h"
#include "measure/probe/api.h"
#include "measure/probe/regions.h"
#include "measure/probe/stack.h"
#include "measure/probe/visits.h"
#include "measure/process/process.h"

struct wf_probe_costs wf_probe_costs;

void wf_probe_costs_set(struct wf_lane *lane)
{
    if (lane->probes.weft_[WF_LANE_PRICED])
        return;
    lane->probes.weft_[WF_LANE_PRICED] = 1;
    lane->probes.pair = wf_probe_costs_charged(lane, wf_probe_costs.pair);
    lane->probes.pair_inner = wf_probe_costs_charged(lane, wf_probe_costs.inner);
}

void wf_probe_costs_account(struct wf_lane *lane)
{
    uint64_t visits = lane->probes.visits - lane->probes.weft_[WF_LANE_ACCOUNTED];
    lane->probes.weft_[WF_LANE_ACCOUNTED] += visits;
    lane->record->probes += visits;
    lane->record->overhead_ticks += visits * wf_probe_costs.pair;
}

/* ---- calibration ---- */

/* weft's own region is visited in each of the ways that there are, and the best of several batches counts, because
 * noise only ever adds. */
enum { BATCHES = 48, BATCH_VISITS = 32 };

static struct weft_lane_ *costs_learn(struct weft_region_ *region, unsigned long key, unsigned long probe,
                                      const void *frame, struct weft_lane_ **slot)
{
    (void)probe, (void)frame, (void)slot;
    region->key = key;
    return NULL;
}

/* Makes a region's next entry go the fast way. */
static const struct weft_probe_api_ costs_api = {.version = WEFT_PROBE_VERSION, .enter = costs_learn};

static __attribute__((noinline)) void costs_no_visit(struct weft_region_ *region)
{
    __asm__ volatile("" : : "r"(region));
}

static __attribute__((noinline)) void costs_visit(struct weft_region_ *region)
{
    __attribute__((cleanup(weft_leave_))) struct weft_frame_ frame = {region, NULL};
    weft_enter_(&frame);
    __asm__ volatile("" : : "r"(region));
}

static uint64_t costs_batch(void (*visit)(struct weft_region_ *), struct weft_region_ *region, bool slow)
{
    uint64_t begin = wf_clock_ticks();
    for (int i = 0; i < BATCH_VISITS; i++) {
        visit(region);
        if (slow)
            region->key = 0;
    }
    return wf_clock_ticks() - begin;
}

struct costs_way {
    uint64_t pair, inner;
};

static struct costs_way costs_measure(struct weft_region_ *region, struct wf_visit_record *record, bool slow)
{
    uint64_t none = UINT64_MAX, once = UINT64_MAX, inside = UINT64_MAX, ticks;
    costs_batch(costs_visit, region, slow);
    for (int i = 0; i < BATCHES; i++) {
        if ((ticks = costs_batch(costs_no_visit, region, slow)) < none)
            none = ticks;
        record->ticks_raw = 0;
        if ((ticks = costs_batch(costs_visit, region, slow)) < once)
            once = ticks;
        if (record->ticks_raw < inside)
            inside = record->ticks_raw;
    }
    return (struct costs_way){.pair = once > none ? (once - none + BATCH_VISITS / 2) / BATCH_VISITS : 0,
                              .inner = (inside + BATCH_VISITS / 2) / BATCH_VISITS};
}

/* mixed: entered the slow way and left the fast way. */
static void costs_measure_all(struct wf_lane *lane, struct weft_region_ *region, struct wf_visit_record *visit)
{
    struct costs_way fast = {0}, mixed = {0}, slow, again;
    weft_lane_of_thread_ = &lane->probes;
    if (wf_clock_is_tsc) {
        weft_api_found_ = &costs_api;
        region->visit = (struct weft_visit_ *)visit;
        fast = costs_measure(region, visit, false);
        weft_api_found_ = &weft_probe_api_;
        wf_probe_regions.all[0].owner = lane;
        mixed = costs_measure(region, visit, true);
        wf_probe_regions.all[0].owner = NULL;
        region->visit = NULL;
    }
    weft_api_found_ = &weft_probe_api_;
    slow = costs_measure(region, visit, true);
    wf_stack_push(lane, region->weft, UINTPTR_MAX, 0, 0);
    again = costs_measure(region, visit, true);
    weft_probe_api_.leave(region);
    weft_lane_of_thread_ = NULL;
    wf_probe_costs =
        (struct wf_probe_costs){.pair = wf_clock_is_tsc ? fast.pair : slow.pair,
                                .inner = wf_clock_is_tsc ? fast.inner : slow.inner,
                                .enter = mixed.pair > fast.pair ? mixed.pair - fast.pair : 0,
                                .leave = wf_clock_is_tsc && slow.pair > mixed.pair ? slow.pair - mixed.pair : 0,
                                .slow_inner = slow.inner,
                                .again = again.pair};
}

/* The region stays: it is the first of the process. */
void wf_probe_costs_calibrate(struct wf_lane *lane)
{
    static struct wf_region_record record = {.kind = WF_REGION_USER};
    static struct weft_region_ source = {.state = WEFT_REGION_ON_, .kind = WEFT_USER_};
    static struct wf_visit_record visit;
    wf_probe_regions.all[wf_probe_regions.count++] = (struct wf_probe_region){.record = &record, .source = &source};
    struct wf_lane_region *r = lane ? wf_visit_lane_region(lane, &wf_probe_regions.all[0]) : NULL;
    if (!r)
        return;
    struct weft_lane_ probes = lane->probes;
    struct wf_visit_record no_region = lane->no_region;
    struct wf_lane_record record_before = *lane->record;
    struct wf_tls tls = weft_tls;
    uint32_t slow_entries = lane->slow_entries;
    uint64_t delay = wf_process.test_delay_ticks;
    wf_process.test_delay_ticks = 0;
    weft_tls.depth = WF_OUTSIDE;
    r->last = &visit;
    source.weft = &wf_probe_regions.all[0];
    costs_measure_all(lane, &source, &visit);
    weft_tls = tls;
    wf_process.test_delay_ticks = delay;
    lane->probes = probes;
    lane->no_region = no_region;
    lane->slow_entries = slow_entries;
    *lane->record = record_before;
    wf_process.segment.header->pair_ticks = wf_probe_costs.pair;
    wf_process.segment.header->pair_inner_ticks = wf_probe_costs.inner;
}
