/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/timebase.h"

#include <time.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

static int64_t timebase_cut_ns(__int128 ns)
{
    if (ns > WF_TIME_LIMIT_NS)
        return WF_TIME_LIMIT_NS;
    return ns < -WF_TIME_LIMIT_NS ? -WF_TIME_LIMIT_NS : (int64_t)ns;
}

struct wf_timebase wf_timebase_read(const struct wf_segment_header *header)
{
    struct wf_timebase timebase = {.tick0 = header->tick0, .ns0 = timebase_cut_ns(header->ns0)};
    if (header->clock == WF_CLOCK_MONOTONIC) {
        timebase.ticks = timebase.ns = 1;
    } else if (header->tick1 > header->tick0 && header->ns1 > header->ns0 &&
               header->ns1 - header->ns0 <= (uint64_t)WF_TIME_LIMIT_NS) {
        timebase.ticks = header->tick1 - header->tick0;
        timebase.ns = header->ns1 - header->ns0;
    }
    return timebase;
}

bool wf_timebase_known(const struct wf_timebase *timebase)
{
    return timebase->ticks != 0;
}

void wf_timebase_borrow(struct wf_timebase *timebase, const struct wf_timebase *from)
{
    timebase->ticks = from->ticks;
    timebase->ns = from->ns;
}

int64_t wf_timebase_duration_ns(const struct wf_timebase *timebase, uint64_t ticks)
{
    if (timebase->ticks == 0)
        return 0;
    if (timebase->ticks == timebase->ns)
        return timebase_cut_ns((int64_t)ticks);
    __int128 product = (__int128)(int64_t)ticks * timebase->ns;
    __int128 half = timebase->ticks / 2;
    return timebase_cut_ns((product < 0 ? product - half : product + half) / timebase->ticks);
}

int64_t wf_timebase_moment_ns(const struct wf_timebase *timebase, uint64_t tick)
{
    return timebase_cut_ns((__int128)timebase->ns0 + wf_timebase_duration_ns(timebase, tick - timebase->tick0));
}

uint64_t wf_timebase_tick_at(const struct wf_timebase *timebase, int64_t ns)
{
    if (timebase->ns == 0 || ns < timebase->ns0)
        return 0;
    __int128 ticks = (__int128)(ns - timebase->ns0) * timebase->ticks / timebase->ns + timebase->tick0;
    return ticks > INT64_MAX ? 0 : (uint64_t)ticks;
}

uint64_t wf_timebase_now(const struct wf_segment_header *header)
{
#ifdef __x86_64__
    if (header->clock == WF_CLOCK_TSC)
        return __rdtsc();
#endif
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- hosts ---- */

struct wf_host_clock wf_host_clock_of_day(const struct wf_segment_header *header)
{
    return (struct wf_host_clock){
        .offset_ns = timebase_cut_ns((__int128)timebase_cut_ns(header->epoch_ns0) - timebase_cut_ns(header->ns0))};
}

bool wf_host_clock_compared(const struct wf_segment_header *header)
{
    return header->host_offset_ns || header->host_drift_ppb || header->host_error_ns;
}

struct wf_host_clock wf_host_clock_against(const struct wf_segment_header *header, const struct wf_host_clock *first)
{
    return (struct wf_host_clock){.offset_ns = timebase_cut_ns((__int128)header->host_offset_ns + first->offset_ns),
                                  .drift_ppb = header->host_drift_ppb,
                                  .since_ns = timebase_cut_ns(header->ns0)};
}

int64_t wf_host_clock_shared_ns(const struct wf_host_clock *clock, int64_t host_ns)
{
    __int128 drift = ((__int128)host_ns - clock->since_ns) * clock->drift_ppb / 1000000000;
    return timebase_cut_ns((__int128)host_ns + clock->offset_ns + drift);
}
