/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a process has heard of others' receives from any source: a vector clock, which counts nothing else. For each
 * process that receives so, it has the number of such receives that had happened before. It goes with each message and
 * each entry of a collective: they name a version of it, and the versions lie in the sender's box. A version is
 * overwritten by a later one; a reader checks that it still is what it looks for.
 *
 * A vector may be incomplete: knowledge was lost, because it came in a way that cannot be followed, or there was no
 * room for it. That is part of what is heard. So a process may know more than its vector says, and never less.
 *
 * Pure, but for what lies in boxes. One thread writes at a time; any process reads.
 */
#ifndef WF_KNOWN_H
#define WF_KNOWN_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/exchange/stamp.h"

#define WF_KNOWN_MOST 63u      /* processes that receive from any source */
#ifndef WF_KNOWN_VERSIONS      /* a test has fewer */
#define WF_KNOWN_VERSIONS 512u /* a power of 2 */
#endif
#define WF_KNOWN_LOST (1u << 31)

struct wf_known {
    uint32_t count;
    bool lost;    /* it is incomplete */
    bool changed; /* since it was shown last */
    struct {
        int32_t rank;
        uint32_t receives;
    } of[WF_KNOWN_MOST];
};

/* One version, in a box. */
struct wf_known_version {
    _Atomic uint32_t version; /* 0: it is being written, or there is none */
    _Atomic uint32_t count;   /* with WF_KNOWN_LOST */
    _Atomic uint64_t of[WF_KNOWN_MOST];
};

static_assert(sizeof(struct wf_known_version) == 512, "some cache lines");

static inline uint32_t wf_known_get(const struct wf_known *k, int32_t rank)
{
    for (uint32_t i = 0; i < k->count; i++)
        if (k->of[i].rank == rank)
            return k->of[i].receives;
    return 0;
}

static inline void wf_known_lose(struct wf_known *k)
{
    k->changed = k->changed || !k->lost;
    k->lost = true;
}

/* So many receives of this rank have happened before. */
static inline void wf_known_raise(struct wf_known *k, int32_t rank, uint32_t receives)
{
    uint32_t i = 0;
    while (i < k->count && k->of[i].rank != rank)
        i++;
    if (i == WF_KNOWN_MOST) {
        wf_known_lose(k);
        return;
    }
    if (i == k->count) {
        k->of[k->count].rank = rank;
        k->of[k->count++].receives = 0;
    }
    if (receives > k->of[i].receives) {
        k->of[i].receives = receives;
        k->changed = true;
    }
}

/* What `other` knows is known from now on. Of its own receives a process knows all. */
static inline void wf_known_merge(struct wf_known *k, const struct wf_known *other, int32_t self)
{
    for (uint32_t i = 0; i < other->count; i++)
        if (other->of[i].rank != self)
            wf_known_raise(k, other->of[i].rank, other->of[i].receives);
    if (other->lost)
        wf_known_lose(k);
}

static inline struct wf_known_version *wf_known_place(struct wf_known_version *versions, uint32_t version)
{
    return &versions[version & (WF_KNOWN_VERSIONS - 1)];
}

/* Version numbers rise, and are not 0. */
static inline void wf_known_write(struct wf_known_version *versions, uint32_t version, const struct wf_known *k)
{
    struct wf_known_version *to = wf_known_place(versions, version);
    wf_set(to->version, 0);
    atomic_thread_fence(memory_order_release);
    wf_set(to->count, k->count | (k->lost ? WF_KNOWN_LOST : 0));
    for (uint32_t i = 0; i < k->count; i++)
        wf_set(to->of[i], (uint64_t)(uint32_t)k->of[i].rank << 32 | k->of[i].receives);
    atomic_store_explicit(&to->version, version, memory_order_release);
}

/* False: it is overwritten, or never was there. */
static inline bool wf_known_read(struct wf_known_version *versions, uint32_t version, struct wf_known *k)
{
    struct wf_known_version *from = wf_known_place(versions, version);
    if (atomic_load_explicit(&from->version, memory_order_acquire) != version)
        return false;
    uint32_t count = wf_get(from->count);
    k->lost = count & WF_KNOWN_LOST;
    k->count = count & ~WF_KNOWN_LOST;
    if (k->count > WF_KNOWN_MOST)
        return false;
    for (uint32_t i = 0; i < k->count; i++) {
        uint64_t of = wf_get(from->of[i]);
        k->of[i].rank = (int32_t)(of >> 32);
        k->of[i].receives = (uint32_t)of;
    }
    atomic_thread_fence(memory_order_acquire);
    return wf_get(from->version) == version;
}

#endif
