/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The registry of the critical path: which part of the run is followed, and the regions that all processes of one host
 * agree on. One file for each world and host in the run's directory ("path-WORLD-HOST"), mapped by these processes and
 * by the one that starts or stops the path from outside. All fields are atomic. A file of zeros is a valid one, so that
 * no process has to be first.
 *
 * Regions have numbers from 1 on. The first ones have the slots from WF_PATH_FIRST on, as long as there are any. From
 * then on, slots change their regions one at a time, and the log says how: its first v entries make version v + 1 of
 * the map (format/path.h). The entry is written first, then the words of the two regions, then the count of entries. So
 * a thread that has not come as far finds a word that is newer than its map, and takes the region for one without a
 * slot; and one that has, finds all.
 */
#ifndef WF_REGISTRY_H
#define WF_REGISTRY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/path.h"

#define WF_REGISTRY_PREFIX "path-"

enum {
    WF_REGISTRY_REGIONS = 32768, /* more have no number */
    WF_REGISTRY_PLACES = 2 * WF_REGISTRY_REGIONS,
    WF_REGISTRY_LOG = 4096, /* then slots stay as they are */
};

struct wf_registry_place {   /* open addressing */
    _Atomic uint64_t key;    /* the region's, the same in all processes; 0: free */
    _Atomic uint32_t number; /* the region's + 1: the same in all processes of the host; 0: about to be assigned */
    uint32_t reserved;
};

struct wf_registry {
    _Atomic uint32_t epoch;    /* the highest one that was asked for; with the next one, what wf_path_stage compares */
    _Atomic uint32_t changes;  /* so many entries of the log are valid */
    _Atomic uint32_t regions;  /* so many have a number */
    _Atomic uint32_t changing; /* the process that is writing the next change; 0: none */
    _Atomic uint64_t look_ticks; /* when slots are to be looked at next */
    uint32_t reserved[10];
    struct wf_registry_place places[WF_REGISTRY_PLACES];
    _Atomic uint64_t keys[WF_REGISTRY_REGIONS];  /* by number - 1; 0: about to be assigned */
    _Atomic uint64_t slots[WF_REGISTRY_REGIONS]; /* by number - 1: wf_registry_word; 0: as at first */
    _Atomic uint64_t log[WF_REGISTRY_LOG];       /* wf_registry_change, packed */
};

/* A slot that goes from one region to another; by their numbers, with WF_PATH_STATEMENT. */
struct wf_registry_change {
    uint32_t slot, from, to;
};

enum { WF_REGISTRY_BITS = 20 };

static inline uint64_t wf_registry_pack_region(uint32_t region)
{
    return region >> 31 | (uint64_t)(region & ~WF_PATH_STATEMENT) << 1;
}

static inline uint32_t wf_registry_unpack_region(uint64_t packed)
{
    packed &= (1u << WF_REGISTRY_BITS) - 1;
    return (uint32_t)(packed >> 1) | (uint32_t)(packed & 1) << 31;
}

static inline uint64_t wf_registry_pack(struct wf_registry_change c)
{
    return (uint64_t)c.slot << (2 * WF_REGISTRY_BITS) | wf_registry_pack_region(c.from) << WF_REGISTRY_BITS |
           wf_registry_pack_region(c.to);
}

static inline struct wf_registry_change wf_registry_unpack(uint64_t packed)
{
    return (struct wf_registry_change){(uint32_t)(packed >> (2 * WF_REGISTRY_BITS)),
                                       wf_registry_unpack_region(packed >> WF_REGISTRY_BITS),
                                       wf_registry_unpack_region(packed)};
}

/* A region's slot since a version of the map; WF_PATH_OTHER: it has none. */
static inline uint64_t wf_registry_word(uint32_t slot, uint32_t since)
{
    return (uint64_t)since << 32 | slot;
}

/* An epoch (format/path.h): which start it belongs to, and whether it computes. A process that meets a higher one takes
 * it in the place of its own. */
enum { WF_EPOCH_START = 2, WF_EPOCH_ON = 1 };

/* The n-th start, and the stop that ends it; 0: the beginning of the run. */
static inline uint32_t wf_epoch_start(uint32_t n)
{
    return n * WF_EPOCH_START + WF_EPOCH_ON;
}

static inline uint32_t wf_epoch_stop(uint32_t n)
{
    return wf_epoch_start(n) + 1;
}

static inline uint32_t wf_epoch_number(uint32_t epoch)
{
    return epoch ? (epoch - 1) / WF_EPOCH_START : 0;
}

/* Raises the epoch; false: it is as high already. */
static inline bool wf_registry_ask(struct wf_registry *r, uint32_t epoch)
{
    uint32_t now = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    while (now < epoch)
        if (atomic_compare_exchange_weak_explicit(&r->epoch, &now, epoch, memory_order_release, memory_order_relaxed))
            return true;
    return false;
}

/* From outside: asks for the next start, or for the end of the current one; false: there is nothing to end. */
static inline bool wf_registry_ask_start(struct wf_registry *r)
{
    uint32_t now = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    return wf_registry_ask(r, wf_epoch_start(wf_epoch_number(now) + 1));
}

static inline bool wf_registry_ask_stop(struct wf_registry *r)
{
    uint32_t now = atomic_load_explicit(&r->epoch, memory_order_relaxed);
    return (now & WF_EPOCH_ON) && wf_registry_ask(r, wf_epoch_stop(wf_epoch_number(now)));
}

#endif
