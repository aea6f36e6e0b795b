/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/probe/judge.h"

#include <string.h>

#include "base/quiet.h"
#include "measure/guest/settings.h"
#include "measure/probe/costs.h"
#include "measure/probe/regions.h"
#include "measure/process/process.h"

#define OFF_VISITS 100000u /* a region is judged after so many visits */
#define OFF_FACTOR 10u     /* and switched off if its visits take less than so many times a probe's cost, */
#define OFF_SHARE 100u     /* or if its probes have cost more than this part of the run so far; */
#define TOTAL_SHARE 50u    /* all together may cost this part */

static bool judge_may_go(const struct wf_probe_region *region)
{
    const struct wf_region_record *record = region->record;
    return (record->kind == WF_REGION_PROCEDURE || record->kind == WF_REGION_LOOP) &&
           !atomic_load_explicit(&record->off, memory_order_relaxed);
}

/* Adds up what the lane has seen of each region, from wherever it was entered. */
static void judge_sum(struct wf_lane *lane, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        lane->regions[i].num = lane->regions[i].ticks = lane->regions[i].ticks_virtual = 0;
    for (uint32_t s = 0; s <= lane->visits.mask; s++) {
        const struct wf_visit_record *visit = wf_table_at(&lane->visits, s);
        if (!visit || visit->writers_own >= count)
            continue;
        struct wf_lane_region *r = &lane->regions[visit->writers_own];
        r->num += visit->num;
        r->ticks += visit->ticks_raw;
        r->ticks_virtual += visit->ticks_virtual;
    }
}

static uint64_t judge_cost(const struct wf_lane *lane, const struct wf_probe_region *region)
{
    const struct wf_lane_region *r = &lane->regions[region->index];
    return r->num * wf_probe_costs.pair +
           r->slow * (wf_probe_costs.enter + (wf_probe_region_has_fast_way(lane, region) ? 0 : wf_probe_costs.leave));
}

/* A region whose visits are too short for their cost is not worth watching: its figures would be mostly weft's own. Nor
 * is a region with so many visits that watching it alone slows the program down. */
static bool judge_is_too_costly(const struct wf_lane *lane, const struct wf_probe_region *region, uint64_t elapsed)
{
    const struct wf_lane_region *r = &lane->regions[region->index];
    return (int64_t)r->ticks_virtual < (int64_t)(r->num * OFF_FACTOR * wf_probe_costs.pair) ||
           judge_cost(lane, region) > elapsed / OFF_SHARE;
}

static void judge_switch_off(const struct wf_lane *lane, struct wf_probe_region *region)
{
    region->record->off_visits = lane->regions[region->index].num;
    region->record->off_ticks = lane->regions[region->index].ticks;
    atomic_store_explicit(&region->record->off, 1, memory_order_release);
    if (region->source)
        __atomic_store_n(&region->source->state, WEFT_REGION_OFF_, __ATOMIC_RELAXED);
}

/* Among those that are judged, the region with the shortest visits: it costs most for what it tells. */
static struct wf_probe_region *judge_shortest(const struct wf_lane *lane, uint32_t count)
{
    struct wf_probe_region *found = NULL;
    uint64_t least = UINT64_MAX;
    for (uint32_t i = 0; i < count; i++) {
        const struct wf_lane_region *r = &lane->regions[i];
        if (r->num < OFF_VISITS || !judge_may_go(&wf_probe_regions.all[i]))
            continue;
        int64_t mean = (int64_t)r->ticks_virtual / (int64_t)r->num;
        if (mean < 0 || (uint64_t)mean < least) {
            least = mean < 0 ? 0 : (uint64_t)mean;
            found = &wf_probe_regions.all[i];
        }
    }
    return found;
}

/* What is too costly by itself goes first. Then regions go from the shortest visits on, until the rest together costs
 * little enough. */
static void judge_regions(struct wf_lane *lane, uint64_t elapsed)
{
    uint32_t count = wf_probe_regions.count < lane->region_slots ? wf_probe_regions.count : lane->region_slots;
    uint64_t total = 0;
    judge_sum(lane, count);
    for (uint32_t i = 0; i < count; i++) {
        if (!judge_may_go(&wf_probe_regions.all[i]))
            continue;
        if (lane->regions[i].num >= OFF_VISITS && judge_is_too_costly(lane, &wf_probe_regions.all[i], elapsed))
            judge_switch_off(lane, &wf_probe_regions.all[i]);
        else
            total += judge_cost(lane, &wf_probe_regions.all[i]);
    }
    while (total > elapsed / TOTAL_SHARE) {
        struct wf_probe_region *region = judge_shortest(lane, count);
        if (!region)
            break;
        total -= judge_cost(lane, region);
        judge_switch_off(lane, region);
    }
}

void wf_judge_lane(struct wf_lane *lane)
{
    uint64_t begin = wf_clock_ticks();
    wf_probe_costs_account(lane);
    if (strcmp(wf_settings.adaptive, "0") != 0) {
        struct wf_quiet quiet;
        wf_quiet_lock(&quiet, &wf_probe_regions.lock);
        if (!wf_probe_regions.closing) /* else it is done the next time */
            judge_regions(lane, begin - wf_process.segment.header->tick0);
        wf_quiet_unlock(&quiet, &wf_probe_regions.lock);
    }
    wf_lane_charge(lane, begin);
}
