/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room clock: time, as numbers. It uses guest/, base/ and format/. Any room above but library/ may use it.
 *
 *     clock.h    the process's clock
 *     limits.h   what is long and what is short, in its ticks
 *     virtual.h  the rules of the virtual clock, which are pure: numbers in, numbers out
 *
 * What is global, one for the process: wf_clock_is_tsc and what a test sets of the clock (clock.c), constant after
 * wf_clock_choose; wf_limits, constant after wf_limits_start. They are separate because they are read at every call.
 *
 * This file: the process's clock, which is the time stamp counter where it is invariant, else CLOCK_MONOTONIC. Any
 * thread, also in a signal handler.
 */
#ifndef WF_CLOCK_H
#define WF_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <x86intrin.h>

#include "base/shared.h"

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
