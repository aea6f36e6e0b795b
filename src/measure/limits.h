/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is long and what is short, in ticks of this process's clock: decided in nanoseconds, and converted once, when MPI is initialised.
 */
#ifndef WF_LIMITS_H
#define WF_LIMITS_H

#include <stdint.h>

#include "guest/shared.h"

#define WF_LATE_NS 800       /* a receive that begins so little after its send is not late */
#define WF_LONG_WAIT_NS 8000 /* waits below this are not looked at closely */
#define WF_AWAIT_NS 1700000  /* the most that a send waits for its receiver's answer */
#define WF_SOON_NS 20000     /* what happens so soon behind a receive may be what somebody waits for */
#define WF_SELDOM_NS 40000   /* what has come from other hosts is looked for no sooner again */
#define WF_AT_ONCE_NS 400    /* a clock that is read in this time was read without being interrupted */
#define WF_BYTE_PS 1600      /* no memory needs longer to copy a byte */

struct wf_limits {
    uint64_t late, long_wait, await, soon, seldom, at_once;
    uint64_t ticks_per_kib; /* of WF_BYTE_PS */
};

extern struct wf_limits wf_limits WF_SHARED(limits);

/* The clocks were compared at ticks0 and at ticks1. */
void wf_limits_start(uint64_t ticks0, uint64_t ns0, uint64_t ticks1, uint64_t ns1) WF_SHARED(limits_start);

/* Copying so many bytes takes no longer than this. */
static inline uint64_t wf_limits_copy(uint64_t bytes)
{
    return bytes * wf_limits.ticks_per_kib / 1024 + 1;
}

#endif
