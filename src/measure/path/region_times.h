/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regions that a lane's probes count, as the critical path wants them: how much time each has had since the last
 * call, its own and with all that is inside. Probes do not report visits, so the sums of all visits are compared with
 * what they were, and what is under way is added.
 *
 * Elsewhere in weft a procedure's own time is what it spends outside other procedures and calls, and includes that of
 * its loops. Here every moment is the innermost region's own, whatever kind that is: so shares add up.
 *
 * Part of a thread's feed (feed_state.h): only that thread touches it. All zero is one that has compared nothing yet.
 */
#ifndef WF_REGION_TIMES_H
#define WF_REGION_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/table.h"
#include "format/path.h"
#include "measure/record/lane.h"

struct wf_region_times_visit {
    const struct wf_visit_record *visit;
    int64_t all, own; /* counted so far */
    uint32_t slot, region;
    uint32_t under_way;
};

struct wf_region_times_region { /* by the region's index */
    int64_t nested;             /* of its own time, in regions right inside it: counted so far */
    int64_t under_way;          /* and in one that has not ended yet */
};

struct wf_region_times {
    struct wf_region_times_visit *visits; /* address space for all there can be */
    uint32_t count;
    struct wf_table index;          /* of them, by their records' addresses */
    uint64_t fast, ended, nestings; /* of the lane's visits when they were last compared */
    uint32_t depth; /* visits under way, from the outermost; what is deeper than there is room for has no share of calls
                     */
    struct wf_region_times_visit *open[WF_PATH_DEPTH];
    struct wf_region_times_region *regions; /* address space for all there can be */
    uint32_t highest;                       /* index of a region with a visit */
};

/* What is told of it. NULL in place of one: nothing. */
struct wf_region_times_to {
    struct wf_path *path;
    double scale; /* the path's clock for a tick of ours */
    void (*heard)(void *context, uint32_t slot, uint32_t region, int64_t own, int64_t all);
    void *context;
};

/* Compares at virtual time `virt`, with this version of the map. */
void wf_region_times_tell(struct wf_region_times *k, struct wf_lane *lane, uint32_t map, uint64_t virt,
                          const struct wf_region_times_to *to);

/* A call has taken so long: it is in the time of all that is under way, and has been told to the path. */
void wf_region_times_pass(struct wf_region_times *k, uint64_t ticks);

/* Slots mean something else from now on. */
void wf_region_times_renew(struct wf_region_times *k, uint32_t map);

/* A key for what is at an address, the same in all processes. */
uint64_t wf_region_times_place(uint64_t key, uintptr_t address);

#endif
