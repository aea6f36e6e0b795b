/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a lane knows of the regions that its thread enters: a struct wf_lane_region for each, and a visit record in the
 * segment for each place that it is entered from. Owned by the lane, touched by its thread only.
 */
#ifndef WF_PROBE_VISITS_H
#define WF_PROBE_VISITS_H

#include <stdint.h>

#include "measure/probe/regions.h"
#include "measure/record/lane.h"

/* A visit that has ended the slow way: all that is known of it. Visits that end the fast way are counted by
 * instrumented code itself (include/weft/probe.h). */
struct wf_visit_event {
    struct wf_probe_region *region;
    struct wf_visit_record *visit;   /* the record of its region and the place it was entered from */
    struct wf_visit_record *outside; /* the same of the visit around it; the lane's no_region if there is none */
    uint64_t begin, end, begin_virtual;
    uint64_t ticks_raw, ticks_virtual; /* how long it took */
    uint64_t inner_raw, inner_virtual; /* its part in procedures and calls that were entered inside */
    bool repaired;                     /* its function did not leave it: it may have ended before `end` */
};

/* Room for the region with this index. False: there is none. */
uintptr_t wf_visit_make_room(struct wf_lane *lane, uint32_t index);

/* What the lane knows of the region; NULL: no room. */
static inline struct wf_lane_region *wf_visit_lane_region(struct wf_lane *lane, const struct wf_probe_region *region)
{
    if (__builtin_expect(region->index >= lane->region_slots, 0) &&
        !weft_saved_(wf_visit_make_room, (uintptr_t)lane, region->index, 0, 0, 0))
        return NULL;
    return &lane->regions[region->index];
}

/* As wf_visit_at, for another place than that of the last entry. */
struct wf_visit_record *wf_visit_find(struct wf_lane *lane, const struct wf_probe_region *region,
                                      struct wf_lane_region *r, uintptr_t caller, uintptr_t probe);

/* Where an entry of the region from this place is counted; NULL: no room. */
static inline struct wf_visit_record *wf_visit_at(struct wf_lane *lane, const struct wf_probe_region *region,
                                                  struct wf_lane_region *r, uintptr_t caller, uintptr_t probe)
{
    struct wf_visit_record *last = r->last;
    if (last && last->caller == caller && last->probe == probe)
        return last;
    return wf_visit_find(lane, region, r, caller, probe);
}

/* Counts a visit. What is around a procedure does not have its time as its own. What is around a loop does, except for
 * the procedures and calls inside. */
static inline void wf_visit_count(struct wf_lane *lane, const struct wf_visit_event *e)
{
    bool procedure = e->region->record->kind == WF_REGION_PROCEDURE;
    e->visit->ticks_raw += e->ticks_raw;
    e->visit->ticks_virtual += e->ticks_virtual;
    e->visit->num++;
    lane->last_ended[lane->ended++ % WF_ENDED_VISITS] = (struct weft_visit_ *)e->visit;
    e->outside->inner_raw += procedure ? e->ticks_raw : e->inner_raw;
    e->outside->inner_virtual += procedure ? e->ticks_virtual : e->inner_virtual;
    if (!procedure && e->outside != &lane->no_region) {
        lane->regions[e->outside->writers_own].nested_virtual += (int64_t)(e->ticks_virtual - e->inner_virtual);
        lane->nestings++;
    }
}

#endif
