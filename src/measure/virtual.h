/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The virtual clock: the time that every point of a thread would have had without monitoring. Pure: numbers in, numbers out; it knows neither
 * MPI nor where the numbers come from, and all times are ticks of one time base. The library feeds it real calls, tests/simulation simulated ones.
 *
 * A thread is on three clocks at once (wf_stamp):
 *
 *     real       what the clock shows
 *     virt       real - intrusion: without the cost of watching, here and elsewhere
 *     ideal      virt - lag: without the time of transfers as well, so that only computing and waiting for computing is left
 *
 * Between events all three advance together. At an event where a thread depends on others, wf_merge_* gathers what they were at (the stamps that
 * came with messages, the entries of a collective's members, the begin of the receive that a synchronous send waited for), and wf_settle says
 * what the thread's intrusion and lag are afterwards, and how long it waited for whom.
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

/* What others bring to an event. All zero: nobody. */
struct wf_merge {
    uint64_t real, virt;      /* the latest arrival: what the caller could not go on without */
    uint64_t entry, entry_virt; /* the latest entry of another: the same without the time that a message travels */
    uint64_t ideal;           /* the latest entry on the ideal clock */
    uint64_t delay;           /* the smallest intrusion that any of them brought; only where parts > 0 */
    uint32_t parts;
    int32_t who;      /* whose entry is the latest in virtual time */
    uint64_t address; /* and through which statement of its own */
};

/* Another's moment that the caller depends on; latency: of the message, from the begin of its send until it can be taken. */
static inline void wf_merge_add(struct wf_merge *m, const struct wf_stamp *s, uint64_t latency, int32_t who, uint64_t address)
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
    uint64_t sync, sync_raw; /* of that, waiting for the latest of the others to come; and the same in real time */
};

/* An event from begin to end (real) that depended on nobody; `inner` of it were weft's own. All of it is transfer. */
static inline struct wf_settled wf_settle_alone(enum wf_clock_model model, const struct wf_virtual *before, uint64_t begin, uint64_t end, uint64_t inner)
{
    uint64_t raw = wf_less(end, begin), ticks = model == WF_MODEL_REAL ? raw : wf_less(raw, inner);
    uint64_t intrusion = model == WF_MODEL_REAL ? 0 : before->intrusion;
    return (struct wf_settled){.after = {.intrusion = intrusion + raw - ticks, .lag = before->lag + ticks}, .ticks = ticks};
}

/* An event from begin to end (real), of which the last `inner` were weft's own; *before is the thread's state at its begin. What weft spends before
 * the event can wait belongs in front of begin, as intrusion: a wait would hide it, and it would be taken out all the same. */
static inline struct wf_settled wf_settle(enum wf_clock_model model, const struct wf_virtual *before, uint64_t begin, uint64_t end, uint64_t inner,
                                          const struct wf_merge *m)
{
    if (m->parts == 0)
        return wf_settle_alone(model, before, begin, end, inner);
    struct wf_virtual at_begin = *before;
    if (model == WF_MODEL_REAL)
        inner = at_begin.intrusion = 0;
    struct wf_stamp b = wf_virtual_at(at_begin, begin);
    end = wf_max(end, begin);
    inner = inner < end - begin ? inner : end - begin; /* a calibrated cost may be more than a short call took */
    end -= inner; /* as if the event had ended so much earlier; given back below */
    uint64_t waited_raw = wf_less(m->entry, begin), waited, end_virt;
    if (model == WF_MODEL_REAL || model == WF_MODEL_LOCAL) {
        waited = waited_raw;
        end_virt = end - at_begin.intrusion;
    } else if (model == WF_MODEL_DELAY) {
        uint64_t wait = wf_less(m->real, begin), x2 = at_begin.intrusion;
        waited = wf_less(waited_raw + x2, m->delay); /* without the message's travel, as in the other models */
        end_virt = end - (m->delay < x2 + wait ? m->delay : x2 + wait);
    } else {
        uint64_t take = wf_less(end, wf_max(begin, m->real)); /* what is left when everybody has come */
        waited = wf_less(m->entry_virt, b.virt);
        end_virt = wf_max(b.virt, m->virt) + take;
        if (end_virt > end)
            end_virt = end; /* nothing is sooner because it is watched */
    }
    if (end_virt < b.virt)
        end_virt = b.virt; /* and time does not run backwards */
    uint64_t end_ideal = wf_max(b.ideal, m->ideal);
    if (end_ideal > end_virt)
        end_ideal = end_virt;
    uint64_t ticks = end_virt - b.virt;
    return (struct wf_settled){.after = {.intrusion = end + inner - end_virt, .lag = end_virt - end_ideal},
                               .ticks = ticks,
                               .sync = waited < ticks ? waited : ticks,
                               .sync_raw = waited_raw < end - begin ? waited_raw : end - begin};
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
