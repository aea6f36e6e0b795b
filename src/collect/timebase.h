/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of one process: its ticks as nanoseconds of its host's CLOCK_MONOTONIC. And the clock of one host: its
 * CLOCK_MONOTONIC as nanoseconds of a clock that all hosts share. Both are values, without memory of their own.
 *
 * Results are cut at +-73 years, so that sums of a few of them cannot overflow, even if a segment is damaged.
 */
#ifndef WF_COLLECT_TIMEBASE_H
#define WF_COLLECT_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

#include "format/segment.h"

#define WF_TIME_LIMIT_NS ((INT64_C(1) << 61) - 1)

struct wf_timebase {
    uint64_t tick0;
    int64_t ns0;
    uint64_t ticks, ns; /* `ticks` ticks last `ns` nanoseconds; ticks == 0: not known, all durations are 0 */
};

/* From the header's two pairs. A process that ended before its second pair leaves the rate of a TSC unknown. */
struct wf_timebase wf_timebase_read(const struct wf_segment_header *header);
bool wf_timebase_known(const struct wf_timebase *timebase);

/* Takes the rate of another process whose counter is the same. */
void wf_timebase_borrow(struct wf_timebase *timebase, const struct wf_timebase *from);

/* A sum of ticks, negative where its highest bit is set. */
int64_t wf_timebase_duration_ns(const struct wf_timebase *timebase, uint64_t ticks);

int64_t wf_timebase_moment_ns(const struct wf_timebase *timebase, uint64_t tick);

/* The tick at a moment of CLOCK_MONOTONIC; 0 if it cannot be told. */
uint64_t wf_timebase_tick_at(const struct wf_timebase *timebase, int64_t ns);

/* This moment, by the process's clock, if it runs on this host. */
uint64_t wf_timebase_now(const struct wf_segment_header *header);

/* host + offset_ns + drift is the shared clock; the drift is counted from since_ns on the host's. */
struct wf_host_clock {
    int64_t offset_ns, drift_ppb, since_ns;
};

/* By the time of day alone, which every process knows. */
struct wf_host_clock wf_host_clock_of_day(const struct wf_segment_header *header);

/* Whether the process has compared its host's clock with that of rank 0's host. On rank 0's own host there is nothing
 * to compare. */
bool wf_host_clock_compared(const struct wf_segment_header *header);

/* By that comparison, where `first` is the clock of rank 0's host. */
struct wf_host_clock wf_host_clock_against(const struct wf_segment_header *header, const struct wf_host_clock *first);

int64_t wf_host_clock_shared_ns(const struct wf_host_clock *clock, int64_t host_ns);

#endif
