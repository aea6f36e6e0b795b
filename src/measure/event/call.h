/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One watched call, from its entry to its end, on the stack of the thread that makes it:
 *
 *     enter   is it the application's own call, and is it watched? This finds its statement.
 *     begin   reads the clock; the class of the function leaves a header for the ranks that depend on this call; then
 *             the real function runs
 *     end     reads the clock
 *     settle  with the headers of those that it depended on: its time on all three clocks, and how long it waited
 *     take    with its partner and bytes the event is complete, and goes to all that keep something of it (event.h)
 *     leave   what all this has cost
 */
#ifndef WF_CALL_H
#define WF_CALL_H

#include <errno.h>
#include <time.h>

#include "measure/guest/guard.h"
#include "measure/clock/limits.h"
#include "measure/event/explain.h"
#include "measure/event/poll.h"

struct wf_call {
    struct wf_tls *tls;
    struct wf_lane *lane;
    struct wf_site *site;
    const char *requests;     /* where Fortran keeps the call's requests; NULL: it was called from C */
    uint64_t start, end;      /* real, around the real function */
    uint64_t put;             /* what the headers that it left have cost */
    uint64_t granted;         /* until then order control has held back what has come; 0: it has not */
    uint64_t awaited;         /* how long weft waited for an answer, or did what is rare, after the real function */
    uint64_t moved;           /* bytes of operations that it has completed */
    struct wf_virtual before; /* the thread's, at start */
    struct wf_feed *feed;     /* of the critical path; NULL: the call is not on it */
    const void *expected;     /* a line that others write before it ends, and that is read then */
    bool local;               /* it concerns no other rank, and is computing for the critical path */
    bool disk;                /* it reads or writes a file, which takes as long as it takes */
    bool late;                /* its feed begins when the real function is over (measure/path/feed.h) */
    bool chained;             /* it goes on with the polls before it; false where it does not poll */
    bool tells;               /* others are told where the thread was before it: */
    bool returned;            /* it has computed for long */
    bool sampled;             /* what weft does after it is not calibrated, but measured at every 16th, */
    bool fed;                 /* or every time */
    uint8_t polls;            /* enum wf_polls_how */
    const void *caller;       /* the statement, also where nothing is counted; only for order control */
    uintptr_t asked;          /* where it polls: the first request's handle, 0: it has none */
};

/* What watching a call costs, by calls that do nothing; for wf_listener. */
struct wf_cost wf_call_calibrate(struct wf_lane *lane);

/* Where the wrapper's part of the stack begins: it does not depend on how large that is. */
static inline __attribute__((always_inline)) uintptr_t wf_call_stack(void)
{
    return (uintptr_t)__builtin_dwarf_cfa();
}

/* A call inside a watched one is further down the stack. If it is not, the watched one was left by a jump: an error
 * handler of the application's own may do so. */
static inline __attribute__((always_inline)) bool wf_call_is_inside(struct wf_tls *tls)
{
    return tls->depth != WF_OUTSIDE && wf_guard_is_inside(tls, wf_call_stack());
}

static inline __attribute__((always_inline)) bool wf_call_enter(struct wf_call *c, uint32_t call, const void *address,
                                                                const char *requests)
{
    struct wf_tls *tls = &weft_tls;
    struct wf_lane *lane = tls->lane;
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
    c->local = c->disk = c->late = c->chained = c->tells = c->returned = c->sampled = c->fed = false;
    c->polls = WF_POLLS_NOT;
    bool muted = __builtin_expect(atomic_load_explicit(&lane->attention, memory_order_relaxed) != 0, 0) &&
                 wf_process_attend(lane);
    c->site = __builtin_expect(muted, 0) ? &lane->muted : wf_lane_site(lane, (uintptr_t)address, call);
    return true;
}

/* Into the real function: what runs there is MPI's and the application's own. */
static inline __attribute__((always_inline)) void wf_call_go(struct wf_call *c)
{
    wf_guard_order();
    c->tls->depth = WF_IN_MPI;
}

/* WEFT_TEST_DELAY makes watching as costly as a test wants it. A long delay gives its core away: with more ranks than
 * cores it would slow down others. */
static __attribute__((noinline, unused)) void wf_call_delay_now(struct wf_lane *lane)
{
    uint64_t since = wf_clock_ticks();
    int saved = errno;
    if (wf_process.test_delay_ns > 80000)
        nanosleep(&(struct timespec){.tv_sec = (time_t)((wf_process.test_delay_ns - 60000) / 1000000000),
                                     .tv_nsec = (long)((wf_process.test_delay_ns - 60000) % 1000000000)},
                  NULL);
    errno = saved;
    while (wf_clock_ticks() - since < wf_process.test_delay_ticks)
        ;
    wf_lane_charge(lane, since);
}

/* All that a call does at its begin only where it was asked for. */
static __attribute__((noinline, unused)) void wf_call_begin_slowly(struct wf_lane *lane)
{
    if (wf_process.shown_clock)
        wf_shown_clock_enter(wf_process.shown_clock, wf_clock_ticks());
    if (wf_process.test_delay_ticks)
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

/* Without a core, watching costs nothing: the call begins later all the same. Returns what it has cost. */
static __attribute__((noinline, cold, unused)) uint64_t wf_call_without_core(struct wf_call *c, uint64_t ticks,
                                                                             uint64_t now)
{
    uint64_t without = wf_event_without_core(c->lane, ticks, now), virt = c->start - c->before.intrusion;
    c->start += without;
    if (without && c->feed && wf_feed_began_at(c->feed, virt))
        wf_feed_put_off(c->feed, virt + without);
    return ticks - without;
}

/* What takes a different time each time is measured. */
static inline uint64_t wf_call_put_off_since(struct wf_call *c, uint64_t since)
{
    uint64_t now = wf_clock_ticks(), ticks = wf_less(now, since);
    if (__builtin_expect(ticks > wf_limits.long_call, 0))
        ticks = wf_call_without_core(c, ticks, now);
    wf_call_put_off(c, ticks);
    return ticks;
}

/* The last look was long ago. */
static __attribute__((noinline, cold, unused)) void wf_call_look(struct wf_call *c)
{
    c->returned = wf_less(c->start, c->lane->record->leave_ticks) > wf_limits.look;
    c->tells = c->returned || c->lane->unknown.ticks;
    c->late = c->late && !c->returned;
    wf_event_look(c->lane, c->start);
    wf_call_put_off_since(c, c->start);
}

/* A moment on the clock of root causes. Virtual times of two processes are of one time base. Where only each one's own
 * cost is subtracted (or delays are passed on without one), real times are. */
static inline uint64_t wf_call_root_time(uint64_t real, uint64_t virt)
{
    return wf_process.model == WF_MODEL_VIRTUAL ? virt : real;
}

/* All that a call does at its begin now and then only: one test in each call stands for it (wf_lane.rare_at). */
static __attribute__((noinline, cold, unused)) void wf_call_begin_rarely(struct wf_call *c)
{
    struct wf_lane *lane = c->lane;
    if (c->start - lane->core.at > wf_limits.look || lane->unknown.ticks)
        wf_call_look(c);
    if (lane->polling)
        wf_poll_meet(c);
    lane->rare_at = lane->core.at + wf_limits.look;
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
        wf_feed_begin_late(c->feed, c->site, wf_call_virt(c), c->end - c->start);
    c->late = false;
}

static inline __attribute__((always_inline)) void wf_call_begin(struct wf_call *c)
{
    struct wf_lane *lane = c->lane;
    if (__builtin_expect(wf_process.begins_slowly, 0))
        wf_call_begin_slowly(lane);
    c->feed = wf_call_feed(c);
    lane->record->current_site = c->site->offset;
    c->put = c->granted = c->awaited = c->moved = 0;
    c->expected = lane;
    c->before.intrusion = lane->probes.intrusion + (__builtin_expect(lane->charged, 1) ? wf_process.cost.before : 0);
    c->before.lag = lane->lag;
    c->late = c->late && c->feed && wf_feed_may_be_late(c->feed);
    c->start = wf_clock_ticks();
    if (__builtin_expect(c->start >= lane->rare_at, 0))
        wf_call_begin_rarely(c);
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

/* What is known of a settled call; the thread is that late from now on. All that settle fill the caller's event: one
 * that is handed back by value would be copied in memory. */
static inline __attribute__((always_inline)) void wf_call_event(struct wf_call *c, const struct wf_settled *s,
                                                                struct wf_event *e)
{
    c->lane->probes.intrusion = s->after.intrusion;
    c->lane->lag = s->after.lag;
    *e = (struct wf_event){
        .site = c->site,
        .begin = c->start,
        .end = c->end,
        .begin_virt = wf_call_virt(c),
        .times = {.raw = c->end - c->start, .virt = s->ticks, .sync_raw = s->sync_raw, .sync = s->sync},
        .after = s->after};
}

/* What the call cost, now that it is known which ranks it depended on; m->parts 0: on none. To find that out has taken
 * a time that differs from call to call. */
static inline __attribute__((always_inline)) void wf_call_settle(struct wf_call *c, const struct wf_merge *m,
                                                                 uint32_t kind, struct wf_event *e)
{
    struct wf_settled s = wf_settle(wf_process.model, &c->before, c->start, c->end, wf_process.cost.inner, m);
    wf_call_event(c, &s, e);
    e->arrival_virt = m->parts ? m->virt : 0;
    e->culprit = m->who;
    e->wait = kind;
    e->through = m->address;
    c->sampled = true;
}

static inline __attribute__((always_inline)) void wf_call_settle_alone(struct wf_call *c, struct wf_event *e)
{
    struct wf_settled s = wf_settle_alone(wf_process.model, &c->before, c->start, c->end, wf_process.cost.inner);
    c->sampled = false;
    wf_call_event(c, &s, e);
}

/* It took long: what it did meanwhile. What this costs is measured. */
static __attribute__((noinline, cold, unused)) struct wf_idle_ticks
wf_call_explain(struct wf_call *c, uint64_t rest, uint64_t bytes, int32_t partner, uint64_t *lag)
{
    uint64_t since = wf_clock_ticks();
    struct wf_explain x = {.site = c->site,
                           .end = c->end,
                           .took = c->end - c->start,
                           .rest = rest,
                           .bytes = bytes > c->moved ? bytes : c->moved,
                           .all = partner == WF_PARTNER_ALL,
                           .own = c->local || c->disk};
    struct wf_idle_ticks idle = wf_event_explain(c->lane, &x);
    idle = wf_settle_idle(rest, lag, &idle);
    c->lane->lag = *lag;
    c->awaited += wf_less(wf_clock_ticks(), since) + c->lane->core.kept;
    return idle;
}

/* It is not known for whom it waited, if it did: the next call tells others. */
static inline void wf_call_note_unknown(struct wf_call *c, const struct wf_event *e, uint64_t ticks)
{
    struct wf_lane *lane = c->lane;
    if (ticks <= wf_limits.long_wait || !lane->record->main)
        return;
    lane->unknown.end = wf_call_root_time(c->end, e->begin_virt + e->times.virt);
    lane->unknown.ticks = ticks;
    lane->rare_at = 0;
}

/* The event is complete: with whom it was, and how much was transferred. */
static inline __attribute__((always_inline)) void wf_call_take(struct wf_call *c, struct wf_event *e, int32_t partner,
                                                               uint64_t num, uint64_t bytes)
{
    e->partner = partner;
    e->num = num;
    e->bytes = bytes;
    wf_call_feed_begin(c);
    if (__builtin_expect(e->times.raw > wf_limits.long_call, 0)) {
        uint64_t lag = e->after.lag;
        struct wf_idle_ticks idle = wf_call_explain(c, wf_times_transfer(&e->times), bytes, partner, &lag);
        e->after.lag = lag;
        wf_idle_ticks_add(&e->idle, &idle);
        e->times.idle += idle.polling + idle.no_core + idle.unexplained;
        if (idle.unexplained)
            wf_call_note_unknown(c, e, idle.unexplained + idle.no_core);
    }
    c->fed = wf_event_take(c->lane, c->feed, e);
}

/* The same with several partners. What each one's part is follows (wf_event_count_part), or is known later. */
static inline __attribute__((always_inline)) void wf_call_take_shared(struct wf_call *c, struct wf_event *e)
{
    e->shared = true;
    wf_call_take(c, e, WF_PARTNER_NONE, 0, 0);
}

/* A call that depended on no other rank. */
static inline __attribute__((always_inline)) void wf_call_take_alone(struct wf_call *c, int32_t partner, uint64_t num,
                                                                     uint64_t bytes)
{
    if (__builtin_expect(c->chained, 0)) {
        wf_poll_take_alone(c, partner, num, bytes);
        return;
    }
    struct wf_event e;
    wf_call_settle_alone(c, &e);
    wf_call_take(c, &e, partner, num, bytes);
}

/* What weft does after the real function. Where headers are involved it is full of cache misses, which no calibration
 * shows, but much the same each time at one statement. */
static inline uint64_t wf_call_after(const struct wf_call *c)
{
    uint64_t *usual = &c->site->after;
    if (c->fed)
        return wf_less(wf_clock_ticks(), c->end) + wf_process.cost.tail;
    if (!c->sampled)
        return wf_process.cost.after + c->awaited;
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

/* Others see how late the thread goes on. */
static inline void wf_call_show_clock(const struct wf_lane *lane)
{
    if (__builtin_expect(wf_process.shown_clock != NULL, 0))
        wf_shown_clock_leave(wf_process.shown_clock, lane->probes.intrusion + wf_process.cost.before);
}

/* The last thing before the application goes on. */
static inline __attribute__((always_inline)) void wf_call_leave(struct wf_call *c)
{
    struct wf_lane *lane = c->lane;
    struct wf_lane_record *record = lane->record;
    uint64_t after = wf_call_after(c);
    if (__builtin_expect(after > wf_limits.long_call, 0))
        after -= wf_event_without_core(lane, after, wf_clock_ticks());
    record->leave_ticks = c->end;
    record->current_site = 0;
    record->overhead_ticks += wf_process.cost.before + wf_process.cost.inner + c->put + after;
    if (__builtin_expect(lane->charged, 1))
        lane->probes.intrusion += after;
    record->intrusion_ticks = lane->probes.intrusion;
    record->lag_ticks = lane->lag;
    lane->previous = c->site->address;
    wf_call_show_clock(lane);
    wf_guard_order();
    c->tls->depth = WF_OUTSIDE;
}

#endif
