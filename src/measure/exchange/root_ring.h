/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The last waits of a process, for those who wait for it: when that was, whom it waited for, and whose work was the
 * root (measure/clock/roots.h). One thread writes, behind each long wait; any process reads. Pieces are in the order of
 * time and do not overlap; the last one of a wait ends when that did. What the ring has forgotten counts as the
 * process's own work.
 */
#ifndef WF_ROOT_RING_H
#define WF_ROOT_RING_H

#include <assert.h>
#include <stdbool.h>

#include "measure/clock/roots.h"
#include "measure/exchange/stamp.h"

#ifndef WF_ROOT_PIECES /* a test has few */
#define WF_ROOT_PIECES 1024u
#endif

struct wf_root_piece {
    _Atomic uint64_t begin, end; /* in virtual time */
    _Atomic uint64_t address;
    _Atomic int32_t rank;
    _Atomic int32_t culprit; /* whom the process waited for, and was released by */
};

struct wf_root_ring {
    _Atomic uint64_t begun, written; /* pieces so far; begun is ahead while one is written */
    uint64_t reserved[6];
    struct wf_root_piece pieces[WF_ROOT_PIECES];
};

static_assert(sizeof(struct wf_root_ring) % 64 == 0, "whole cache lines");

/* The writer's next piece. What it has written before stays as it is: a piece begins no sooner than the last ended. */
static inline void wf_root_ring_put(struct wf_root_ring *ring, const struct wf_root *root, int32_t culprit,
                                    uint64_t begin, uint64_t end)
{
    uint64_t number = wf_get(ring->written);
    uint64_t least = number ? wf_get(ring->pieces[(number - 1) % WF_ROOT_PIECES].end) : 0;
    struct wf_root_piece *piece = &ring->pieces[number % WF_ROOT_PIECES];
    begin = wf_max(begin, least);
    if (begin >= end)
        return;
    wf_set(ring->begun, number + 1);
    atomic_thread_fence(memory_order_release);
    wf_set(piece->begin, begin);
    wf_set(piece->end, end);
    wf_set(piece->address, root->address);
    wf_set(piece->rank, root->rank);
    wf_set(piece->culprit, culprit);
    atomic_store_explicit(&ring->written, number + 1, memory_order_release);
}

/* The wait that began then, for those who wait for this process. Parts shorter than `least` are left out, but not the
 * last one: it tells when the process was released. */
static inline void wf_root_ring_publish(struct wf_root_ring *ring, const struct wf_roots *roots, uint64_t begin,
                                        uint64_t least)
{
    for (uint32_t i = 0; i < roots->count; i++) {
        uint64_t end = begin + roots->parts[i].ticks;
        if (roots->parts[i].ticks >= least || i + 1 == roots->count)
            wf_root_ring_put(ring, &roots->parts[i].root, roots->culprit.rank, begin, end);
        begin = end;
    }
}

/* A wait that is to be divided, in virtual time. */
struct wf_root_wait {
    uint64_t begin, end;
    uint64_t released; /* the end of the waiter's last wait before, or its begin */
    int32_t waiter;
};

/* Pieces from `first` on, and before `behind`; from `since` until `until`. */
struct wf_root_walk {
    uint64_t first, behind;
    uint64_t since, until;
    uint64_t read; /* the oldest piece that was looked at */
};

static inline const struct wf_root_piece *wf_root_ring_at(const struct wf_root_ring *ring, uint64_t number)
{
    return &ring->pieces[number % WF_ROOT_PIECES];
}

/* How much later than the waiter the ring's process was released, before the wait's end: what it passes on. No more
 * than the wait, and only from when the process itself has waited for the waiter: there both were even. */
static inline struct wf_root_walk wf_root_ring_walk(const struct wf_root_ring *ring, uint64_t count,
                                                    const struct wf_root_wait *w)
{
    uint64_t oldest = count < WF_ROOT_PIECES ? 0 : count - WF_ROOT_PIECES, i = count;
    while (i > oldest && wf_get(wf_root_ring_at(ring, i - 1)->begin) >= w->end)
        i--;
    struct wf_root_walk walk = {.first = i, .behind = i, .since = w->end, .until = w->end, .read = i};
    if (i == oldest)
        return walk;
    walk.read = i - 1;
    uint64_t released = wf_get(wf_root_ring_at(ring, i - 1)->end);
    walk.until = released < w->end ? released : w->end;
    uint64_t later = wf_less(walk.until, w->released), ticks = wf_less(w->end, w->begin);
    walk.since = walk.until - (later < ticks ? later : ticks);
    for (; walk.first > oldest; walk.first--) {
        const struct wf_root_piece *piece = wf_root_ring_at(ring, walk.first - 1);
        uint64_t end = wf_get(piece->end);
        if (end <= walk.since)
            break;
        walk.read = walk.first - 1;
        if (wf_get(piece->rank) == w->waiter || wf_get(piece->culprit) == w->waiter) {
            walk.since = end < walk.until ? end : walk.until;
            break;
        }
    }
    return walk;
}

/* False: the writer has written over what was read. */
static inline bool wf_root_ring_try(const struct wf_root_ring *ring, struct wf_roots *roots,
                                    const struct wf_root_wait *w)
{
    uint64_t count = atomic_load_explicit(&ring->written, memory_order_acquire);
    struct wf_root_walk walk = wf_root_ring_walk(ring, count, w);
    uint64_t at = walk.since;
    for (uint64_t i = walk.first; i < walk.behind; i++) {
        const struct wf_root_piece *piece = wf_root_ring_at(ring, i);
        struct wf_root root = {.rank = wf_get(piece->rank), .address = wf_get(piece->address)};
        uint64_t from = wf_max(at, wf_get(piece->begin)), to = wf_get(piece->end);
        to = to < walk.until ? to : walk.until;
        if (from >= to)
            continue;
        wf_roots_add(roots, &roots->culprit, from - at);
        wf_roots_add(roots, &root, to - from);
        at = to;
    }
    wf_roots_add(roots, &roots->culprit, wf_less(w->end, w->begin) - (at - walk.since));
    atomic_thread_fence(memory_order_acquire);
    return wf_get(ring->begun) <= walk.read + WF_ROOT_PIECES;
}

/* Divides a wait for the process whose ring this is; ring NULL: nothing is known of that one's waits. */
static inline void wf_root_ring_divide(const struct wf_root_ring *ring, struct wf_roots *roots,
                                       const struct wf_root_wait *w)
{
    struct wf_root culprit = roots->culprit;
    for (int i = 0; ring && i < 4; i++) {
        wf_roots_start(roots, culprit.rank, culprit.address);
        if (wf_root_ring_try(ring, roots, w))
            return;
    }
    wf_roots_start(roots, culprit.rank, culprit.address);
    wf_roots_add(roots, &culprit, wf_less(w->end, w->begin));
}

#endif
