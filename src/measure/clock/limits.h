/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is long and what is short, in ticks of this process's clock: decided in nanoseconds, and converted once, when
 * MPI is initialised. Any thread reads.
 */
#ifndef WF_LIMITS_H
#define WF_LIMITS_H

#include <stdint.h>

#include "base/shared.h"

#define WF_LATE_NS 800         /* a receive that begins so little after its send is not late */
#define WF_LONG_WAIT_NS 8000   /* waits below this are not looked at closely */
#define WF_AWAIT_NS 1700000    /* the most that a send waits for its receiver's reply */
#define WF_SOON_NS 20000       /* what happens so soon behind a receive may be what another rank waits for */
#define WF_SELDOM_NS 40000     /* what has come from other hosts is looked for no sooner again */
#define WF_TURN_NS 2000        /* from one poll to the next, where nothing else is done */
#define WF_REST_NS 20000       /* sleeping takes longer than this */
#define WF_AT_ONCE_NS 400      /* a clock that is read in this time was read without being interrupted */
#define WF_LONG_CALL_NS 200000 /* what a call that took longer did is looked at closely */
#define WF_LOOK_NS 2000000     /* a thread's time without a core is looked at that often */
#define WF_SETUP_NS 500000     /* a call that moves no data, and waits for no rank, takes no longer */
#define WF_ARRIVED_NS 1000000  /* what was waited for is over so soon after the last arrival */
#define WF_ORDER_NS 8000       /* messages sent in less than this may come in either order */
#define WF_BYTE_PS 1600        /* no memory needs longer to copy a byte */

struct wf_limits {
    uint64_t late, long_wait, await, soon, seldom, at_once, long_call, look, setup, turn, rest, arrived, order;
    uint64_t ticks_per_kib; /* of WF_BYTE_PS */
    double ns_per_tick;
};

extern struct wf_limits wf_limits WF_SHARED(limits);

/* The clocks were compared at ticks0 and at ticks1. */
void wf_limits_start(uint64_t ticks0, uint64_t ns0, uint64_t ticks1, uint64_t ns1) WF_SHARED(limits_start);

static inline uint64_t wf_limits_ticks(uint64_t ns)
{
    return (uint64_t)((double)ns / wf_limits.ns_per_tick);
}

/* Copying so many bytes takes no longer than this. */
static inline uint64_t wf_limits_copy(uint64_t bytes)
{
    return bytes * wf_limits.ticks_per_kib / 1024 + 1;
}

#endif
