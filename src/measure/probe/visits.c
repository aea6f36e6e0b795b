/* SPDX-License-Identifier: BSD-3-Clause
 *
 * wf_visit_find is reached where the compiler has saved no register (api.c): general registers only.
 */
#include "measure/probe/visits.h"

#include <assert.h>

#include "base/memory.h"
#include "base/quiet.h"
#include "base/table.h"
#include "measure/probe/costs.h"
#include "measure/probe/probe.h"
#include "measure/process/process.h"
#include "measure/record/module.h"

#define FIRST_REGIONS 128u

static_assert(FIRST_REGIONS * sizeof(struct wf_lane_region) % 4096 == 0, "their memory is resized by whole pages");

/* In quiet: a thread that is cancelled in the middle would end with memory that is gone. */
uintptr_t wf_visit_make_room(struct wf_lane *lane, uint32_t index)
{
    struct wf_quiet quiet;
    uint64_t begin = wf_clock_ticks();
    uint32_t before = lane->region_slots, more = before ? before : FIRST_REGIONS;
    while (more <= index)
        more *= 2;
    wf_quiet_begin(&quiet);
    struct wf_lane_region *table = wf_memory_resize(lane->regions, before * sizeof *table, more * sizeof *table);
    if (table) {
        if (!before)
            wf_lane_show_stack(lane);
        lane->regions = table;
        lane->region_slots = more;
        wf_lane_charge(lane, begin);
    } else {
        atomic_fetch_add(&wf_process.segment.header->dropped_visits, 1);
    }
    wf_quiet_end(&quiet);
    return table != NULL;
}

static uint32_t visit_hash(uint32_t region, uintptr_t caller, uintptr_t probe)
{
    return wf_hash(region + caller * 0x9E3779B9u + probe);
}

static uint32_t visit_hash_of(const void *record)
{
    const struct wf_visit_record *visit = record;
    return visit_hash(visit->region, visit->caller, visit->probe);
}

/* For the critical path, which looks at all of them. */
static void visit_list_add(struct wf_lane *lane, const struct wf_visit_record *visit)
{
    if (!lane->visit_list)
        lane->visit_list = wf_memory_pages(WF_LISTED_VISITS * sizeof *lane->visit_list);
    if (lane->visit_list && lane->visit_count < WF_LISTED_VISITS)
        lane->visit_list[lane->visit_count] = wf_segment_offset(&wf_process.segment, visit);
    lane->visit_count++;
}

static struct wf_visit_record *visit_make(struct wf_lane *lane, const struct wf_probe_region *region, uintptr_t caller,
                                          uintptr_t probe)
{
    struct wf_visit_record *visit = wf_lane_next_record(lane, &lane->visit_chunk, WF_CHUNK_VISIT, sizeof *visit);
    if (!visit)
        return NULL;
    visit->region = region->offset;
    visit->writers_own = region->index;
    visit->caller = caller;
    visit->probe = probe;
    if (!wf_table_add(&lane->visits, visit, visit_hash_of))
        return NULL;
    wf_lane_publish(lane->visit_chunk);
    lane->regions[region->index].record = region->record;
    if (caller)
        wf_module_find(&wf_process.segment, caller);
    if (probe)
        wf_module_find(&wf_process.segment, probe);
    visit_list_add(lane, visit);
    return visit;
}

static struct wf_visit_record *visit_add(struct wf_lane *lane, const struct wf_probe_region *region, uintptr_t caller,
                                         uintptr_t probe)
{
    struct wf_quiet quiet;
    uint64_t begin = wf_clock_ticks();
    wf_quiet_begin(&quiet);
    struct wf_visit_record *visit = visit_make(lane, region, caller, probe);
    wf_lane_charge(lane, begin);
    wf_quiet_end(&quiet);
    return visit;
}

struct wf_visit_record *wf_visit_find(struct wf_lane *lane, const struct wf_probe_region *region,
                                      struct wf_lane_region *r, uintptr_t caller, uintptr_t probe)
{
    uint32_t i = visit_hash(region->offset, caller, probe);
    struct wf_visit_record *visit;
    while ((visit = wf_table_at(&lane->visits, i)) &&
           (visit->region != region->offset || visit->caller != caller || visit->probe != probe))
        i++;
    if (!visit)
        visit = (struct wf_visit_record *)weft_saved_(visit_add, (uintptr_t)lane, (uintptr_t)region, caller, probe, 0);
    if (visit)
        r->last = visit;
    else
        atomic_fetch_add(&wf_process.segment.header->dropped_visits, 1);
    return visit;
}

static bool visit_is_open(const void *record)
{
    const struct wf_visit_record *visit = record;
    return !wf_module_is_past(visit, visit->caller) && !wf_module_is_past(visit, visit->probe);
}

/* The same address may be a place in another library from now on: each entry finds its visit record anew. In quiet: the
 * table is changed where it is. */
bool wf_probe_forget_closed(struct wf_lane *lane)
{
    struct wf_quiet quiet;
    if (!wf_probe_region_forget_places(lane))
        return false;
    wf_quiet_begin(&quiet);
    wf_table_keep(&lane->visits, visit_is_open, visit_hash_of);
    for (uint32_t i = 0; i < lane->region_slots; i++)
        if (lane->regions[i].last && !visit_is_open(lane->regions[i].last))
            lane->regions[i].last = NULL;
    lane->visit_chunk = NULL;
    wf_quiet_end(&quiet);
    return true;
}
