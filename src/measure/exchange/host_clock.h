/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One time base for all hosts: CLOCK_MONOTONIC of rank 0's host, here called common time. Pure: numbers in, numbers
 * out.
 *
 * A reading (wf_reading) says how far the own clock is from common time at one moment, and how wrong that may be: both
 * come from a question and its answer. Between and behind readings the clocks are taken to drift evenly, by what lies
 * between the first reading and the last; how wrong that may be grows with time, until a new reading is better.
 */
#ifndef WF_HOST_CLOCK_H
#define WF_HOST_CLOCK_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* As far as clocks of computers are apart in speed, if nothing is known: 200 ppm. */
#define WF_DRIFT_LIMIT_PPB 200000
/* And as unevenly as they drift: temperature, NTP. */
#define WF_DRIFT_UNEVEN_PPB 100

struct wf_reading {
    int64_t at;     /* own time */
    int64_t offset; /* own time + it = common time */
    int64_t error;
};

enum { WF_READING_KNOWN = 1, WF_READING_UNKNOWN = 2 };

struct wf_shared_reading { /* one that other processes read */
    _Atomic int64_t at, offset, error;
    _Atomic uint32_t state; /* 0: not asked yet; written last */
    uint32_t reserved;
};

struct wf_common_time {
    struct wf_reading first, last;
    bool known;
    int64_t drift_ppb, drift_error_ppb;
};

/* Asked at `asked`, answered at `answered` (own time), the other's clock being `theirs` somewhere in between. */
static inline struct wf_reading wf_reading_of(int64_t asked, int64_t answered, int64_t theirs)
{
    int64_t half = (answered - asked) / 2;
    return (struct wf_reading){.at = asked + half, .offset = theirs - (asked + half), .error = half + 1};
}

static inline int64_t wf_ppb(int64_t ppb, int64_t ns)
{
    return (int64_t)((__int128)ppb * ns / 1000000000);
}

static inline int64_t wf_common_time_offset(const struct wf_common_time *c, int64_t own)
{
    return c->last.offset + wf_ppb(c->drift_ppb, own - c->last.at);
}

/* Bound of the offset's error at this moment. */
static inline int64_t wf_common_time_error(const struct wf_common_time *c, int64_t own)
{
    int64_t away = own > c->last.at ? own - c->last.at : c->last.at - own;
    return c->last.error + wf_ppb(c->drift_error_ppb, away);
}

static inline int64_t wf_common_time_of(const struct wf_common_time *c, int64_t own)
{
    return own + wf_common_time_offset(c, own);
}

static inline int64_t wf_common_time_own(const struct wf_common_time *c, int64_t common)
{
    int64_t near = common - c->last.offset;
    near = common - wf_common_time_offset(c, near); /* near enough for minutes, */
    return common - wf_common_time_offset(c, near); /* and now for years */
}

/* Takes a reading, if it is better than what is known without it. */
static inline void wf_common_time_learn(struct wf_common_time *c, struct wf_reading r)
{
    if (!c->known) {
        *c = (struct wf_common_time){.first = r, .last = r, .known = true, .drift_error_ppb = WF_DRIFT_LIMIT_PPB};
        return;
    }
    if (r.at < c->last.at || r.error > wf_common_time_error(c, r.at))
        return;
    int64_t apart = r.at - c->first.at;
    int64_t doubt = apart > 0 ? (int64_t)((__int128)(r.error + c->first.error) * 1000000000 / apart) : INT64_MAX;
    if (doubt < WF_DRIFT_LIMIT_PPB) {
        c->drift_ppb = (int64_t)((__int128)(r.offset - c->first.offset) * 1000000000 / apart);
        c->drift_error_ppb = doubt + WF_DRIFT_UNEVEN_PPB;
    }
    c->last = r;
}

#endif
