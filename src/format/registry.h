/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registry of the critical path: which part of the run is followed, and the regions that all processes of one host agree on. One file a world and
 * host in the run's directory ("path-WORLD-HOST"), mapped by all of them and by whoever starts or stops the path from outside. A file of zeros is
 * a valid one, so that nobody has to be first.
 *
 * An epoch (format/path.h) is made of three numbers: which start it belongs to, how often the buckets have been refined since, and whether it
 * computes. A higher one replaces a lower one in whoever meets it.
 */
#ifndef WF_REGISTRY_H
#define WF_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/bucket.h"

#define WF_REGISTRY_PREFIX "path-"

enum {
    WF_REGISTRY_REGIONS = 4096, /* more are not followed */
    WF_REGISTRY_PLACES = 2 * WF_REGISTRY_REGIONS,
    WF_REGISTRY_MAPS = 4, /* the newest ones; whoever is further behind takes the newest */
};

struct wf_registry_place { /* open addressing */
    _Atomic uint64_t key;    /* of a region, the same in all processes; 0: free */
    _Atomic uint32_t number; /* the region's + 1; 0: about to be given */
    uint32_t reserved;
};

struct wf_registry_map {
    _Atomic uint32_t refined; /* which: how often the buckets had been refined; 0: empty */
    uint32_t reserved[15];
    struct wf_buckets buckets;
    uint16_t slots[WF_REGISTRY_REGIONS]; /* where buckets.slot_of lies */
};

struct wf_registry {
    _Atomic uint32_t epoch;   /* the highest that anybody has asked for */
    _Atomic uint32_t regions; /* how many have a number */
    _Atomic uint32_t leader;  /* the process that refines; 0: nobody yet */
    uint32_t reserved[13];
    struct wf_registry_place places[WF_REGISTRY_PLACES];
    _Atomic uint64_t keys[WF_REGISTRY_REGIONS]; /* by number; 0: about to be given */
    struct wf_registry_map maps[WF_REGISTRY_MAPS];
};

enum { WF_EPOCH_START = 1 << 16, WF_EPOCH_REFINED = 2, WF_EPOCH_ON = 1 };

static inline uint32_t wf_epoch_refined(uint32_t epoch)
{
    return epoch & WF_EPOCH_ON ? epoch % WF_EPOCH_START / WF_EPOCH_REFINED : 0;
}

/* The n-th start, or, from 1 on, what ends it. */
static inline uint32_t wf_epoch_start(uint32_t n, uint32_t refined)
{
    return n * WF_EPOCH_START + refined * WF_EPOCH_REFINED + WF_EPOCH_ON;
}

static inline uint32_t wf_epoch_stop(uint32_t n)
{
    return n * WF_EPOCH_START + WF_EPOCH_START - WF_EPOCH_REFINED;
}

static inline uint32_t wf_epoch_number(uint32_t epoch)
{
    return epoch / WF_EPOCH_START;
}

/* Raises the epoch; false: it has been as high before. */
static inline bool wf_registry_ask(struct wf_registry *r, uint32_t epoch)
{
    uint32_t now = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    while (now < epoch)
        if (atomic_compare_exchange_weak_explicit(&r->epoch, &now, epoch, memory_order_release, memory_order_relaxed))
            return true;
    return false;
}

/* From outside: the next start, or the end of what runs; false: there is nothing to end. */
static inline bool wf_registry_ask_start(struct wf_registry *r)
{
    uint32_t now = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    return wf_registry_ask(r, wf_epoch_start(wf_epoch_number(now) + 1, wf_epoch_refined(now)));
}

static inline bool wf_registry_ask_stop(struct wf_registry *r)
{
    uint32_t now = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    return (now & WF_EPOCH_ON) && wf_registry_ask(r, wf_epoch_stop(wf_epoch_number(now)));
}

#endif
