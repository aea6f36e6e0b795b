/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a process is on its virtual clock, for others to read while it goes on: what order control decides by
 * (measure/order/). It lies in the process's box. The thread that makes the MPI calls writes; any process reads.
 *
 * A reader looks at `entered` before `intrusion`. If the process is in a call, it sends nothing before `entered` on its
 * virtual clock. If it is in none, it sends nothing before the moment of the look minus `intrusion`.
 */
#ifndef WF_SHOWN_CLOCK_H
#define WF_SHOWN_CLOCK_H

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#define WF_ASIDE_NONE UINT64_MAX
#define WF_ASIDE_UNKNOWN 0u

struct wf_shown_clock {
    _Atomic uint64_t entered;   /* in a call: its begin in virtual time; 0: in none */
    _Atomic uint64_t intrusion; /* since the last call, with what the begin of the next one costs */
    _Atomic uint64_t aside; /* in a call: the earliest virtual send time of a header that was read already, and whose
                               message the call may receive; or WF_ASIDE_NONE, WF_ASIDE_UNKNOWN */
    _Atomic uint32_t open;  /* so many receives are posted that have no message yet */
    _Atomic uint32_t shown; /* 1: all this is kept up to date */
    uint64_t reserved[4];
};

static_assert(sizeof(struct wf_shown_clock) == 64, "a cache line");

/* The process enters an MPI call. */
static inline void wf_shown_clock_enter(struct wf_shown_clock *shown, uint64_t now)
{
    uint64_t intrusion = atomic_load_explicit(&shown->intrusion, memory_order_relaxed);
    atomic_store_explicit(&shown->aside, WF_ASIDE_UNKNOWN, memory_order_relaxed);
    atomic_store_explicit(&shown->entered, now - intrusion, memory_order_release);
}

/* It goes on, that much later than it would be without monitoring. */
static inline void wf_shown_clock_leave(struct wf_shown_clock *shown, uint64_t intrusion)
{
    atomic_store_explicit(&shown->intrusion, intrusion, memory_order_relaxed);
    atomic_store_explicit(&shown->entered, 0, memory_order_release);
}

/* It sends nothing before this any more; now: read before. */
static inline uint64_t wf_shown_clock_bound(const struct wf_shown_clock *shown, uint64_t now)
{
    uint64_t entered = atomic_load_explicit(&shown->entered, memory_order_acquire);
    uint64_t intrusion = atomic_load_explicit(&shown->intrusion, memory_order_relaxed);
    return entered ? entered : now - intrusion;
}

#endif
