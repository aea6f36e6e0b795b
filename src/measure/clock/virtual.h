/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The virtual clock: the time that every point of a thread would have had without monitoring. Pure: numbers in, numbers
 * out; it knows neither MPI nor where the numbers come from, and all times are ticks of one time base. The library
 * feeds it real calls, tests/simulation simulated ones.
 *
 * A thread is on three clocks at once (wf_stamp):
 *
 *     real       what the clock shows
 *     virt       real - intrusion: without the cost of watching, here and elsewhere
 *     ideal      virt - lag: without the time of transfers as well, so that only computing and waiting for computing is
 * left
 *
 * Between events all three advance together. At an event a thread may depend on others: wf_merge_* gathers where they
 * were. That comes from the stamps of messages, from the entries of a collective's members, and from the begin of the
 * receive that a synchronous send waited for. wf_settle says what the thread's intrusion and lag are afterwards, and
 * how long it waited for which rank.
 */
#ifndef WF_VIRTUAL_H
#define WF_VIRTUAL_H

#include <stdbool.h>
#include <stdint.h>

#include "format/segment.h"

struct wf_stamp {
    uint64_t real, virt, ideal;
};

/* The thread's own state between events. */
struct wf_virtual {
    uint64_t intrusion; /* real - virt */
    uint64_t lag;       /* virt - ideal */
};

static inline uint64_t wf_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* a - b, or 0 where stamps of two cores are a few ticks out of order. */
static inline uint64_t wf_less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static inline struct wf_stamp wf_virtual_at(struct wf_virtual v, uint64_t real)
{
    uint64_t virt = real - v.intrusion;
    return (struct wf_stamp){.real = real, .virt = virt, .ideal = virt - v.lag};
}

/* What others bring to an event. All zero: it depends on no other thread. */
struct wf_merge {
    uint64_t real, virt;        /* the latest arrival: what the caller could not go on without */
    uint64_t entry, entry_virt; /* the latest entry of another: the same without the time that a message travels */
    uint64_t ideal;             /* the latest entry on the ideal clock */
    uint64_t delay;             /* the smallest intrusion that any of them brought; only where parts > 0 */
    uint32_t parts;
    int32_t who;      /* the rank whose entry is the latest in virtual time */
    uint64_t address; /* and through which statement of its own */
};

/* Another's moment that the caller depends on; latency: of the message, from the begin of its send until it can be
 * taken. */
static inline void wf_merge_add(struct wf_merge *m, const struct wf_stamp *s, uint64_t latency, int32_t who,
                                uint64_t address)
{
    uint64_t delay = s->real - s->virt;
    if (m->parts == 0 || delay < m->delay)
        m->delay = delay;
    if (m->parts == 0 || s->virt > m->entry_virt) {
        m->entry_virt = s->virt;
        m->who = who;
        m->address = address;
    }
    m->entry = wf_max(m->entry, s->real);
    m->real = wf_max(m->real, s->real + latency);
    m->virt = wf_max(m->virt, s->virt + latency);
    m->ideal = wf_max(m->ideal, s->ideal);
    m->parts++;
}

struct wf_settled {
    struct wf_virtual after; /* at the event's end */
    uint64_t ticks;          /* how long the event took in virtual time */
    uint64_t sync, sync_raw; /* its waiting for the latest of the others; and the same in real time */
};

/* An event from begin to end (real) that depended on no other thread; `inner` of it were weft's own. All of it is
 * transfer. */
static inline struct wf_settled wf_settle_alone(enum wf_clock_model model, const struct wf_virtual *before,
                                                uint64_t begin, uint64_t end, uint64_t inner)
{
    uint64_t raw = wf_less(end, begin), ticks = model == WF_MODEL_REAL ? raw : wf_less(raw, inner);
    uint64_t intrusion = model == WF_MODEL_REAL ? 0 : before->intrusion;
    return (struct wf_settled){.after = {.intrusion = intrusion + raw - ticks, .lag = before->lag + ticks},
                               .ticks = ticks};
}

/* When an event that depended on others has ended, on the virtual clock, and how long it waited for them on that. */
struct wf_virtual_end {
    uint64_t virt, waited;
};

/* `end` is without what was weft's own. */
static inline __attribute__((always_inline)) struct wf_virtual_end
wf_settle_end(enum wf_clock_model model, const struct wf_stamp *b, uint64_t end, const struct wf_merge *m)
{
    struct wf_virtual_end e;
    uint64_t waited_raw = wf_less(m->entry, b->real), intrusion = b->real - b->virt;
    if (model == WF_MODEL_REAL || model == WF_MODEL_LOCAL) {
        e.waited = waited_raw;
        e.virt = end - intrusion;
    } else if (model == WF_MODEL_DELAY) {
        uint64_t most = intrusion + wf_less(m->real, b->real);
        e.waited = wf_less(waited_raw + intrusion, m->delay); /* without the message's travel, as in the other models */
        e.virt = end - (m->delay < most ? m->delay : most);
    } else {
        uint64_t take = wf_less(end, wf_max(b->real, m->real)); /* what is left when the last of them has arrived */
        e.waited = wf_less(m->entry_virt, b->virt);
        e.virt = wf_max(b->virt, m->virt) + take;
        if (e.virt > end)
            e.virt = end; /* nothing is sooner because it is watched */
    }
    if (e.virt < b->virt)
        e.virt = b->virt; /* and time does not run backwards */
    return e;
}

/* An event from begin to end (real), of which the last `inner` were weft's own; *before is the thread's state at its
 * begin. What weft spends before the event can wait belongs in front of begin, as intrusion: a wait would hide it, and
 * it would be taken out all the same. */
static inline struct wf_settled wf_settle(enum wf_clock_model model, const struct wf_virtual *before, uint64_t begin,
                                          uint64_t end, uint64_t inner, const struct wf_merge *m)
{
    if (m->parts == 0)
        return wf_settle_alone(model, before, begin, end, inner);
    struct wf_virtual at_begin = *before;
    if (model == WF_MODEL_REAL)
        inner = at_begin.intrusion = 0;
    struct wf_stamp b = wf_virtual_at(at_begin, begin);
    end = wf_max(end, begin);
    inner = inner < end - begin ? inner : end - begin; /* a calibrated cost may be more than a short call took */
    end -= inner;                                      /* as if the event had ended so much earlier; given back below */
    struct wf_virtual_end e = wf_settle_end(model, &b, end, m);
    uint64_t end_ideal = wf_max(b.ideal, m->ideal);
    if (end_ideal > e.virt)
        end_ideal = e.virt;
    uint64_t ticks = e.virt - b.virt, waited_raw = wf_less(m->entry, begin);
    return (struct wf_settled){.after = {.intrusion = end + inner - e.virt, .lag = e.virt - end_ideal},
                               .ticks = ticks,
                               .sync = e.waited < ticks ? e.waited : ticks,
                               .sync_raw = waited_raw < end - begin ? waited_raw : end - begin};
}

/* What a settled event did besides waiting for the latest of its parts: `rest` ticks. Of these, so much was no transfer
 * as is in *idle and fits. It lasts as long on an ideal network, so the thread's lag does not grow by it. */
static inline struct wf_idle_ticks wf_settle_idle(uint64_t rest, uint64_t *lag, const struct wf_idle_ticks *idle)
{
    struct wf_idle_ticks fits;
    fits.no_core = idle->no_core < rest ? idle->no_core : rest;
    rest -= fits.no_core;
    fits.polling = idle->polling < rest ? idle->polling : rest;
    rest -= fits.polling;
    fits.unexplained = idle->unexplained < rest ? idle->unexplained : rest;
    *lag = wf_less(*lag, fits.no_core + fits.polling + fits.unexplained);
    return fits;
}

/* What is known of how long messages of one size take: the smallest seen, because everything else only adds. */
struct wf_latency {
    uint64_t both; /* latency and taking together, of a message that was waited for; 0: none seen */
    uint64_t take; /* taking alone, of a message that lay there; 0: none seen */
};

/* Any thread: two that learn at once may forget one. */
static inline uint64_t wf_latency_get(const uint64_t *least)
{
    return __atomic_load_n(least, __ATOMIC_RELAXED);
}

static inline uint64_t wf_latency_estimate(const struct wf_latency *l)
{
    return wf_less(wf_latency_get(&l->both), wf_latency_get(&l->take));
}

static inline void wf_latency_learn(struct wf_latency *l, uint64_t sent, uint64_t begin, uint64_t end)
{
    uint64_t *least = begin <= sent ? &l->both : &l->take;
    uint64_t seen = begin <= sent ? wf_less(end, sent) : wf_less(end, begin);
    uint64_t both = wf_latency_get(&l->both), known = wf_latency_get(least);
    if (begin > sent && (both == 0 || begin - sent < both))
        return; /* it may have been waited for: that tells nothing */
    if (seen && (known == 0 || seen < known))
        __atomic_store_n(least, seen, __ATOMIC_RELAXED);
}

#endif
