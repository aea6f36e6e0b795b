/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regions that a lane's probes count, as the critical path wants them: how much time each has had since the last call, its own and with all that
 * is inside. Probes tell nobody of a visit; so the visits' sums are compared with what they were, and what is under way is added.
 *
 * Elsewhere in weft a procedure's own time is what it spends outside other procedures and calls, that of its loops with it. Here every moment is the
 * innermost region's own, whatever kind that is: so shares add up.
 */
#ifndef WF_COUNTED_H
#define WF_COUNTED_H

#include <stdbool.h>
#include <stdint.h>

#include "format/path.h"
#include "measure/lane.h"

struct wf_counted_visit {
    const struct wf_visit_record *visit;
    int64_t all, own; /* counted so far */
    uint32_t slot;
    uint32_t under_way;
};

struct wf_counted_region { /* by the region's index */
    int64_t nested;     /* of its own time, in regions right inside it: counted so far */
    int64_t under_way;  /* and in one that has not ended yet */
};

struct wf_counted {
    struct wf_counted_visit *visits; /* address space for all there can be */
    uint32_t count;
    uint32_t mask;   /* of the index */
    uint32_t *index; /* open addressing by the visit's address; 0: free, else its place in visits + 1 */
    uint64_t fast, ended, nestings; /* of the lane's visits when they were last compared */
    uint32_t depth;  /* visits under way, from the outermost; what is deeper than there is room for has no share of calls */
    struct wf_counted_visit *open[WF_PATH_DEPTH];
    struct wf_counted_region *regions; /* address space for all there can be */
    uint32_t highest;                  /* index of a region with a visit */
};

/* Who hears of it. NULL in place of one: nobody. */
struct wf_counted_to {
    struct wf_path *path;
    double scale; /* the path's clock for a tick of ours */
    void (*heard)(void *context, uint32_t slot, int64_t own, int64_t all);
    void *context;
};

/* Compares, at `virt`, in this epoch. */
void wf_counted_tell(struct wf_counted *k, struct wf_lane *lane, uint32_t epoch, uint64_t virt, const struct wf_counted_to *to);

/* A call has taken so long: it is in the time of all that is under way, and has been told to the path. */
void wf_counted_pass(struct wf_counted *k, uint64_t ticks);

/* Slots mean something else from now on. */
void wf_counted_renew(struct wf_counted *k, uint32_t epoch);

/* What tells apart what stands at an address, in all processes alike. */
uint64_t wf_counted_place(uint64_t key, uintptr_t address);

#endif
