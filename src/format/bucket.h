/* SPDX-License-Identifier: BSD-3-Clause
 *
 * More regions than slots: many share one, a bucket, until it is known which of them are on the critical path. Pure, like format/path.h.
 *
 * Regions are numbered from 0, the same in all processes. At first they are dealt out to the buckets. After an epoch of the path, the half of the
 * buckets that had most of it are kept, and what is in them is dealt out anew, for the next epoch; until each has a bucket of its own. A bucket that
 * had more than 1/m of the path, of 2m, is always among those kept: so every region with more than that is found, after log2(regions/buckets) epochs
 * and one more. This is the search of Hollingsworth, An Online Computation of Critical Path Profiling (1996), appendix B, that keeps m buckets even if
 * some of them had less.
 *
 * A region that is met later goes into the last bucket, which is for such regions only, and is dealt out with the others next time.
 *
 * One process refines; the others read. As slots change with the epoch, so must the wf_buckets be another: refining writes into new memory.
 */
#ifndef WF_BUCKET_H
#define WF_BUCKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "format/path.h"

struct wf_buckets {
    uint32_t capacity; /* regions: there is room for */
    uint32_t regions;  /* are dealt out, or are out of the search */
    uint32_t buckets;  /* with the one for newcomers */
    uint32_t kept;     /* regions that are still in the search */
    uint16_t slot_of[]; /* by region */
};

static inline size_t wf_buckets_bytes(uint32_t capacity)
{
    return sizeof(struct wf_buckets) + sizeof(uint16_t) * capacity;
}

static inline uint32_t wf_buckets_slot(const struct wf_buckets *b, uint32_t region)
{
    uint32_t regions = __atomic_load_n(&b->regions, __ATOMIC_RELAXED); /* who refines may be overwriting it: its reader checks */
    return region < regions ? __atomic_load_n(&b->slot_of[region], __ATOMIC_RELAXED) : WF_PATH_FIRST + __atomic_load_n(&b->buckets, __ATOMIC_RELAXED) - 1;
}

/* Every region that is still searched for has a slot of its own. */
static inline bool wf_buckets_are_single(const struct wf_buckets *b)
{
    return b->kept <= b->buckets - 1;
}

/* In wf_buckets_bytes of memory; at least two buckets. */
static inline void wf_buckets_init(struct wf_buckets *b, uint32_t capacity, uint32_t regions, uint32_t buckets)
{
    *b = (struct wf_buckets){.capacity = capacity, .regions = regions < capacity ? regions : capacity, .buckets = buckets};
    b->kept = b->regions;
    for (uint32_t r = 0; r < b->regions; r++)
        b->slot_of[r] = (uint16_t)(WF_PATH_FIRST + r % (buckets - 1));
}

/* How many of the buckets had more than this one, or as much and come before it. */
static inline uint32_t wf_buckets_rank(const struct wf_buckets *b, const int64_t *shares, uint32_t slot)
{
    uint32_t rank = 0;
    for (uint32_t other = WF_PATH_FIRST; other < WF_PATH_FIRST + b->buckets; other++) {
        int64_t a = shares[other], mine = shares[slot];
        rank += other != slot && (a > mine || (a == mine && other < slot));
    }
    return rank;
}

/* The next buckets, in memory of the same capacity, for an epoch to come; shares: of the one that has been (wf_path_shares), regions: how many are
 * known now. When they are single, nothing is thrown out any more. */
static inline void wf_buckets_refine(struct wf_buckets *next, const struct wf_buckets *b, const int64_t *shares, uint32_t regions)
{
    bool single = wf_buckets_are_single(b);
    uint32_t known = regions < b->capacity ? regions : b->capacity;
    next->capacity = b->capacity;
    next->kept = 0;
    __atomic_store_n(&next->regions, known, __ATOMIC_RELAXED);
    __atomic_store_n(&next->buckets, b->buckets, __ATOMIC_RELAXED);
    for (uint32_t r = 0; r < known; r++) {
        uint32_t slot = wf_buckets_slot(b, r);
        bool keep = slot >= WF_PATH_FIRST && (single || (shares[slot] > 0 && wf_buckets_rank(b, shares, slot) < b->buckets / 2));
        uint32_t to = keep ? WF_PATH_FIRST + next->kept++ % (b->buckets - 1) : WF_PATH_OTHER;
        __atomic_store_n(&next->slot_of[r], (uint16_t)to, __ATOMIC_RELAXED);
    }
}

#endif
