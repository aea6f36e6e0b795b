/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One watched call, from its entry to its end, on the stack of the thread that makes it:
 *
 *     enter   is it the application's own call, and is it watched?  finds its statement
 *     begin   reads the clock; the class of the function leaves a header for whoever depends on this call; the real function runs
 *     end     reads the clock
 *     settle  with the headers of those that it depended on: its time on all three clocks, and how long it waited
 *     count   between whom, and how many bytes
 *     leave   what all this has cost
 */
#ifndef WF_CALL_H
#define WF_CALL_H

#include <errno.h>
#include <time.h>

#include "guest/guard.h"
#include "measure/feed.h"
#include "measure/process.h"
#include "measure/virtual.h"

struct wf_call {
    struct wf_tls *tls;
    struct wf_lane *lane;
    struct wf_site *site;
    const char *requests; /* where Fortran keeps the call's requests; NULL: it was called from C */
    uint64_t start, end;      /* real, around the real function */
    uint64_t put;             /* what the headers that it left have cost */
    uint64_t awaited;         /* how long it waited for an answer after the real function */
    struct wf_virtual before; /* the thread's, at start */
    struct wf_span span;      /* how long it took, once it is settled */
    struct wf_feed *feed;     /* of the critical path; NULL: the call is not on it */
    const void *expected;     /* a line that others write before it ends, and that is read then */
    bool local;               /* it concerns nobody else, and is computing for the critical path */
    bool late;                /* its feed begins when the real function is over (measure/feed.h) */
    bool sampled;             /* what weft does after it is not calibrated, but measured at every 16th, */
    bool fed;                 /* or every time */
};

/* Where the wrapper's part of the stack begins: it does not depend on how large that is. */
static inline __attribute__((always_inline)) uintptr_t wf_call_stack(void)
{
    return (uintptr_t)__builtin_dwarf_cfa();
}

/* A call inside a watched one is further down the stack. If it is not, the watched one was left by a jump: an error handler of the application's
 * own may do so. */
static inline __attribute__((always_inline)) bool wf_call_is_inside(struct wf_tls *tls)
{
    return tls->depth != WF_OUTSIDE && wf_guard_is_inside(tls, wf_call_stack());
}

static inline __attribute__((always_inline)) bool wf_call_enter(struct wf_call *c, uint32_t call, const void *address)
{
    struct wf_tls *tls = &weft_tls;
    struct wf_lane *lane = tls->lane;
    const char *requests = NULL;
    if (__builtin_expect(tls->fortran_call != 0, 0)) {
        /* The Fortran binding called us: the statement is where the binding itself was called. */
        if (tls->fortran_call == call + 1) {
            address = tls->fortran_site;
            requests = tls->fortran_requests;
        }
        tls->fortran_call = 0;
    }
    if (__builtin_expect(tls->depth != WF_OUTSIDE, 0) && wf_call_is_inside(tls))
        return false;
    tls->outer = wf_call_stack();
    tls->depth = WF_AT_WORK;
    wf_guard_order();
    if (__builtin_expect(!lane, 0)) {
        lane = wf_process_lane();
        if (!lane) {
            tls->depth = WF_OUTSIDE;
            return false;
        }
    }
    c->tls = tls;
    c->lane = lane;
    c->requests = requests;
    c->local = c->late = false;
    bool muted = __builtin_expect(atomic_load_explicit(&lane->attention, memory_order_relaxed) != 0, 0) && wf_process_attend(lane);
    c->site = __builtin_expect(muted, 0) ? &lane->muted : wf_lane_site(lane, (uintptr_t)address, call);
    return true;
}

/* Into the real function: what runs there is MPI's and the application's own. */
static inline __attribute__((always_inline)) void wf_call_go(struct wf_call *c)
{
    wf_guard_order();
    c->tls->depth = WF_IN_MPI;
}

/* WEFT_TEST_DELAY makes watching as costly as a test wants it. A long delay gives its core away: with more ranks than cores it would slow down others. */
static __attribute__((noinline, unused)) void wf_call_delay_now(struct wf_lane *lane)
{
    uint64_t since = wf_clock_ticks();
    int saved = errno;
    if (wf_process.test_delay_ns > 80000)
        nanosleep(&(struct timespec){.tv_sec = (time_t)((wf_process.test_delay_ns - 60000) / 1000000000),
                                     .tv_nsec = (long)((wf_process.test_delay_ns - 60000) % 1000000000)}, NULL);
    errno = saved;
    while (wf_clock_ticks() - since < wf_process.test_delay_ticks)
        ;
    wf_lane_charge(lane, since);
}

static inline void wf_call_delay(struct wf_lane *lane)
{
    if (__builtin_expect(wf_process.test_delay_ticks != 0, 0))
        wf_call_delay_now(lane);
}

/* The call begins as much later as something of weft's takes that is done between the readings of the clock. */
static inline void wf_call_put_off(struct wf_call *c, uint64_t ticks)
{
    c->start += ticks;
    c->put += ticks;
    if (__builtin_expect(c->lane->charged, 1))
        c->before.intrusion += ticks;
}

/* What takes a different time each time is measured. */
static inline uint64_t wf_call_put_off_since(struct wf_call *c, uint64_t since)
{
    uint64_t ticks = wf_less(wf_clock_ticks(), since);
    wf_call_put_off(c, ticks);
    return ticks;
}

static inline uint64_t wf_call_virt(const struct wf_call *c)
{
    return c->start - c->before.intrusion;
}

static inline struct wf_feed *wf_call_feed(const struct wf_call *c)
{
    struct wf_feed *feed = c->lane->feed;
    if (__builtin_expect(!feed && wf_feed_wanted, 0))
        feed = wf_feed_open(c->lane);
    return c->local || c->site == &c->lane->muted ? NULL : feed;
}

/* If it has not begun yet. */
static inline void wf_call_feed_begin(struct wf_call *c)
{
    if (c->late)
        wf_feed_begin_late(c->feed, c->site, wf_call_virt(c));
    c->late = false;
}

static inline void wf_call_feed_end(struct wf_call *c, uint64_t arrival_virt, const struct wf_settled *s)
{
    wf_call_feed_begin(c);
    c->fed = c->feed && wf_feed_end(c->feed, c->site, arrival_virt, wf_call_virt(c) + s->ticks, s->sync);
}

static inline __attribute__((always_inline)) void wf_call_begin(struct wf_call *c)
{
    struct wf_lane *lane = c->lane;
    wf_call_delay(lane);
    c->feed = wf_call_feed(c);
    lane->record->current_site = c->site->offset;
    c->put = c->awaited = 0;
    c->expected = lane;
    c->before.intrusion = lane->probes.intrusion + (__builtin_expect(lane->charged, 1) ? wf_process.cost.before : 0);
    c->before.lag = lane->lag;
    c->late = c->late && c->feed && wf_feed_may_be_late(c->feed);
    c->start = wf_clock_ticks();
    if (c->feed && !c->late) {
        wf_feed_begin(c->feed, c->site, wf_call_virt(c));
        wf_call_put_off_since(c, c->start);
    }
    lane->record->enter_ticks = c->start;
}

static inline struct wf_stamp wf_call_stamp(const struct wf_call *c)
{
    return wf_virtual_at(c->before, c->start);
}

static inline __attribute__((always_inline)) void wf_call_end(struct wf_call *c)
{
    __builtin_prefetch(c->expected);
    uint64_t now = wf_clock_ticks();
    c->tls->depth = WF_AT_WORK;
    wf_guard_order();
    /* Another core's counter may be a few ticks behind after a migration. */
    c->end = wf_max(now, c->start);
}

static inline void wf_call_waited(struct wf_call *c, const struct wf_merge *m, uint32_t kind)
{
    struct wf_wait_record *wait = c->site->last_wait;
    if (wait->culprit != m->who || wait->address != m->address || wait->kind != kind) {
        wait = wf_lane_wait(c->lane, c->site, m->who, kind, m->address);
        if (!wait)
            return;
    }
    wait->num++;
    wait->raw_ticks += c->span.sync_raw;
    wait->virtual_ticks += c->span.sync;
    if (c->span.sync > wait->max_virtual_ticks)
        wait->max_virtual_ticks = c->span.sync;
}

static inline __attribute__((always_inline)) void wf_call_settled(struct wf_call *c, struct wf_settled s)
{
    struct wf_site_record *site = c->site->record;
    struct wf_lane_record *lane = c->lane->record;
    struct weft_visit_ *around = c->lane->probes.top->visit;
    uint64_t ticks = c->end - c->start;
    c->span = (struct wf_span){.raw = ticks, .virt = s.ticks, .sync_raw = s.sync_raw, .sync = s.sync};
    c->lane->probes.intrusion = s.after.intrusion;
    c->lane->lag = s.after.lag;
    site->calls++;
    site->ticks_raw += ticks;
    site->ticks_virtual += s.ticks;
    if (ticks > site->max_ticks)
        site->max_ticks = ticks;
    around->inner += ticks;
    around->inner_virtual += s.ticks;
    if (__builtin_expect(c->site == &c->lane->muted, 0))
        return;
    lane->events++;
    lane->mpi_ticks += ticks;
    lane->mpi_virtual_ticks += s.ticks;
    lane->sync_ticks += s.sync;
    lane->sync_raw_ticks += s.sync_raw;
    if (__builtin_expect(c->site == &c->lane->lost, 0)) {
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_sites, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_sites_ticks, ticks, memory_order_relaxed);
    }
}

/* What the call cost, now that it is known whom it depended on; m->parts 0: on nobody. To find that out has taken a time that differs from call
 * to call. */
static inline __attribute__((always_inline)) void wf_call_settle(struct wf_call *c, const struct wf_merge *m, uint32_t kind)
{
    struct wf_settled s = wf_settle(wf_process.model, &c->before, c->start, c->end, wf_process.cost.inner, m);
    wf_call_settled(c, s);
    wf_call_feed_end(c, m->parts ? m->virt : 0, &s);
    c->sampled = true;
    if (c->span.sync && c->site != &c->lane->muted)
        wf_call_waited(c, m, kind);
}

static inline __attribute__((always_inline)) void wf_call_settle_alone(struct wf_call *c)
{
    struct wf_settled s = wf_settle_alone(wf_process.model, &c->before, c->start, c->end, wf_process.cost.inner);
    wf_call_settled(c, s);
    wf_call_feed_end(c, 0, &s);
    c->sampled = false;
}

/* What weft does after the real function. Where headers are involved it is full of cache misses, which no calibration shows, but much the same each
 * time at one statement. */
static inline uint64_t wf_call_after(const struct wf_call *c)
{
    uint64_t *usual = &c->site->after;
    if (c->fed)
        return wf_less(wf_clock_ticks(), c->end) + wf_process.cost.tail;
    if (!c->sampled)
        return wf_process.cost.after;
    bool first = c->site->record->calls <= 16 || *usual == 0; /* among them the very first, which is much longer */
    if (!first && (c->site->record->calls & 15))
        return *usual + c->awaited;
    uint64_t ticks = wf_less(wf_clock_ticks(), c->end + c->awaited) + wf_process.cost.tail;
    if (first)
        *usual = *usual == 0 || ticks < *usual ? ticks : *usual;
    else /* an average over the last few, in which one long interruption does not count */
        *usual = (7 * *usual + (ticks < 2 * *usual ? ticks : 2 * *usual)) / 8;
    return ticks + c->awaited;
}

/* The last thing before the application goes on. */
static inline __attribute__((always_inline)) void wf_call_leave(struct wf_call *c)
{
    struct wf_lane *lane = c->lane;
    struct wf_lane_record *record = lane->record;
    uint64_t after = wf_call_after(c);
    record->leave_ticks = c->end;
    record->current_site = 0;
    record->overhead_ticks += wf_process.cost.before + wf_process.cost.inner + c->put + after;
    if (__builtin_expect(lane->charged, 1))
        lane->probes.intrusion += after;
    record->intrusion_ticks = lane->probes.intrusion;
    record->lag_ticks = lane->lag;
    lane->previous = c->site->address;
    wf_guard_order();
    c->tls->depth = WF_OUTSIDE;
}

/* With a part of the call's time, or with all of it. */
static inline void wf_call_count_part(struct wf_call *c, int32_t partner, uint64_t num, uint64_t bytes, const struct wf_span *span)
{
    wf_lane_count(c->lane, c->site, partner, num, bytes, span);
}

static inline void wf_call_count(struct wf_call *c, int32_t partner, uint64_t num, uint64_t bytes)
{
    wf_lane_count(c->lane, c->site, partner, num, bytes, &c->span);
}

#endif
