/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The clock of one process: its ticks as nanoseconds of its host's CLOCK_MONOTONIC.
 *
 * Results are cut at +-73 years, so that nobody who adds a few of them has to fear an overflow, whatever a
 * damaged segment says.
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
    uint64_t ticks,
        ns; /* so many ticks are so many nanoseconds; ticks == 0: not known, all durations are 0 */
};

/* From the header's two pairs. A process that ended before its second pair leaves the rate of a TSC unknown.
 */
struct wf_timebase wf_timebase_read(const struct wf_segment_header *header);
bool wf_timebase_known(const struct wf_timebase *timebase);

/* Takes the rate of another process whose counter is the same. */
void wf_timebase_borrow(struct wf_timebase *timebase, const struct wf_timebase *from);

/* A sum of ticks, negative where its highest bit is set. */
int64_t wf_timebase_duration_ns(const struct wf_timebase *timebase, uint64_t ticks);

int64_t wf_timebase_moment_ns(const struct wf_timebase *timebase, uint64_t tick);

#endif
