/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regions that the process has met, each with its record in the segment. Owned by the process. A region stays where
 * it is for ever, so any thread reads it without a lock; regions are added and closed with the lock held. The source of
 * a region (struct weft_region_) lies in the program or in a library, and is gone when the library is closed.
 */
#ifndef WF_PROBE_REGIONS_H
#define WF_PROBE_REGIONS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "measure/record/lane.h"

struct wf_probe_region {
    struct wf_region_record *record;
    uint32_t index;              /* its place in wf_probe_regions.all and in lane->regions */
    uint32_t offset;             /* of its record */
    struct weft_region_ *source; /* in its program or library; NULL: a procedure known by its address only, or the
                                    library is closed */
    const struct wf_lane *owner; /* whose thread has the fast way; NULL: none */
    _Atomic uintptr_t address;   /* of a procedure known by it; UINTPTR_MAX: its library is closed */
    bool closed;
};

struct wf_probe_regions {
    struct wf_probe_region *all; /* [WF_MAX_REGIONS], address space only; the first one is for calibration */
    uint32_t count;
    uint32_t closed;  /* how many of them are of a closed library */
    uint32_t closing; /* how many calls of dlclose are under way: while it is 0 and the lock is held, sources exist */
    struct wf_lock lock; /* of all of this, and of the states of sources; taken in quiet */
};

extern struct wf_probe_regions wf_probe_regions __attribute__((visibility("hidden")));

static inline bool wf_probe_region_has_fast_way(const struct wf_lane *lane, const struct wf_probe_region *region)
{
    return region->owner == lane;
}

/* The first entry of a source by any thread decides whether it is watched. */
void wf_probe_region_meet(struct wf_lane *lane, struct weft_region_ *source);

/* A region that has only a name and no source, met at its first entry; NULL: it is not watched. */
struct wf_probe_region *wf_probe_region_meet_named(const char *name, size_t bytes);

/* With the lock held: a new region, by its source or by its address. Calibrates before the first one. NULL: no room. */
struct wf_probe_region *wf_probe_region_add(struct weft_region_ *source, uintptr_t address);

/* Do the run's --only and --skip choose a procedure that has both names? */
bool wf_probe_region_is_wanted(const char *name, const char *other, const char *file);

/* A visit of a region with the fast way has ended. Its library may be closed: the region's own code did not run. */
void wf_probe_region_end_visit(struct wf_probe_region *region);

/* The next entry of each region takes the slow way, which finds the visit record anew. False: not now, because a
 * library is being closed. */
bool wf_probe_region_forget_places(const struct wf_lane *lane);

/* With the lock held: the region's library is gone if it was between these addresses. */
void wf_probe_region_close(struct wf_probe_region *region, uintptr_t start, uintptr_t end);

#endif
