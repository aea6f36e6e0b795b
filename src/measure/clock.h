/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process's clock: the time stamp counter where it is invariant, else CLOCK_MONOTONIC. Any thread.
 */
#ifndef WF_CLOCK_H
#define WF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

#include "guest/shared.h"

extern bool wf_clock_is_tsc WF_SHARED(clock_is_tsc); /* set once by wf_clock_choose */

static inline uint64_t wf_clock_read_ns(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* CLOCK_MONOTONIC; for tests, WEFT_TEST_CLOCK="HOST:OFFSET_NS:DRIFT_PPB[,...]" makes it wrong on a host. */
uint64_t wf_clock_mono_ns(void) WF_SHARED(clock_mono_ns);

static inline uint64_t wf_clock_ticks(void)
{
    return __builtin_expect(wf_clock_is_tsc, 1) ? __rdtsc() : wf_clock_mono_ns();
}

void wf_clock_choose(void);

/* One moment on both clocks: of several tries the one whose two readings of the ticks lie closest together. */
void wf_clock_pair(uint64_t *ticks, uint64_t *ns);

#endif
