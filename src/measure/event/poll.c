/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/event/poll.h"

#include <sys/resource.h>

#include "measure/clock/limits.h"
#include "measure/event/call.h"
#include "measure/process/core.h"

#define LITTLE_NS 30000 /* of CPU time: to lose the core and to get it back takes no more */
#define BUSY_PARTS 2u   /* a thread that used less than one part of so many of the time slept */
#define LONGEST_TURN 10 /* of wf_limits.turn: what a poll takes does not excuse more */

/* No more of a chain than one part of so many may be something else: who knows what the machine did. */
#define ODD_PARTS 16u

/* ---- between two polls ---- */

static uint64_t poll_ns(uint64_t ticks)
{
    return (uint64_t)((double)ticks * wf_limits.ns_per_tick);
}

static void poll_read_cpu(struct wf_polls *p, uint64_t now)
{
    struct rusage used;
    p->cpu_ns = wf_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    p->sleeps = getrusage(RUSAGE_THREAD, &used) == 0 ? (uint64_t)used.ru_nvcsw : 0;
    p->cpu_at = now;
}

/* How long the thread has computed since the last poll. Between the last reading and the end of the last poll it was
 * busy: that was not long. Sets *slept: it slept most of the time, or had no core and nothing to do with one. */
static uint64_t poll_computed_ns(struct wf_polls *p, uint64_t now, bool *slept)
{
    uint64_t known = p->cpu_ns + poll_ns(wf_less(p->end, p->cpu_at)) + poll_ns(wf_less(p->gap, p->gap_virt));
    uint64_t sleeps = p->sleeps;
    poll_read_cpu(p, now);
    uint64_t used = wf_less(p->cpu_ns, known);
    *slept = used * BUSY_PARTS < poll_ns(p->gap_virt) && (p->sleeps != sleeps || used < LITTLE_NS);
    return used;
}

/* Has the statement failed before, in this chain? */
static bool poll_has_failed(const struct wf_call *c, const struct wf_polls *p)
{
    for (uint32_t i = 0; i < p->shares; i++)
        if (p->share[i].site == c->site)
            return true;
    return false;
}

/* A loop sleeps as long as it likes. What another statement does behind a sleep longer than those of the loop is
 * something else. */
static bool poll_rested(const struct wf_call *c, struct wf_polls *p)
{
    if (p->paused != wf_process.segment.header->paused_ticks ||
        (p->gap_virt / 2 > p->longest && !poll_has_failed(c, p)))
        return false;
    uint64_t odd = p->gap;
    if (p->gap_virt >= wf_limits.rest) {
        bool slept;
        uint64_t computed = wf_limits_ticks(poll_computed_ns(p, c->start, &slept));
        if (slept)
            return true;
        odd = computed < odd ? computed : odd; /* the rest of it, the thread had no core */
    }
    p->odd += odd;
    return p->odd * ODD_PARTS <= c->start - p->begin;
}

static bool poll_asks_again(const struct wf_call *c, const struct wf_polls *p)
{
    switch ((enum wf_polls_how)c->polls) {
    case WF_POLLS_ASKS:
        return true;
    case WF_POLLS_LOOKS:
        return c->site == p->last;
    case WF_POLLS_WAITS:
        return c->asked == p->asked;
    case WF_POLLS_NOT:
        break;
    }
    return false;
}

static bool poll_goes_on(const struct wf_call *c, struct wf_polls *p)
{
    uint64_t longest = LONGEST_TURN * wf_limits.turn, took = p->took < longest ? p->took : longest;
    p->gap = wf_less(c->start, p->end);
    p->gap_virt = wf_less(wf_call_virt(c), p->end - p->after.intrusion);
    if (c->site == &c->lane->muted || !poll_asks_again(c, p))
        return false;
    if (p->gap_virt > wf_max(wf_limits.turn, took) && !poll_rested(c, p))
        return false;
    p->longest = wf_max(p->longest, p->gap_virt);
    return true;
}

/* ---- the regions around ---- */

/* How much of their time is not their own. That of a region inside is counted when it ends: here, up to now. */
static uint32_t poll_regions(const struct wf_lane *lane, uint64_t now, uint64_t virt, struct wf_polls_region *to)
{
    uint64_t inside = 0, inside_virtual = 0;
    uint32_t count = 0;
    for (const struct weft_stack_ *e = lane->probes.top; e > lane->stack && count < WF_POLLS_REGIONS; e--) {
        const struct wf_visit_record *visit = (const struct wf_visit_record *)e->visit;
        const struct wf_region_record *region = wf_segment_at(&wf_process.segment, visit->region);
        struct wf_polls_region r = {.entry = e,
                                    .visit = e->visit,
                                    .start = e->start,
                                    .inner = e->visit->inner + inside,
                                    .inner_virtual = e->visit->inner_virtual + inside_virtual};
        bool procedure = region->kind == WF_REGION_PROCEDURE;
        inside = procedure ? now - e->start : r.inner - e->weft_[WF_STACK_INNER];
        inside_virtual = procedure ? virt - e->start_virtual : r.inner_virtual - e->weft_[WF_STACK_INNER_VIRTUAL];
        to[count++] = r;
    }
    return count;
}

/* The time since the last poll is no more the own time of the region that it passed in: the innermost one that the
 * thread has been in since. */
static void poll_take_from_region(const struct wf_call *c, struct wf_polls *p)
{
    struct wf_polls_region now[WF_POLLS_REGIONS];
    uint32_t count = p->regions ? poll_regions(c->lane, c->start, wf_call_virt(c), now) : 0;
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < p->regions; k++) {
            const struct wf_polls_region *then = &p->region[k];
            if (now[i].entry != then->entry || now[i].visit != then->visit || now[i].start != then->start)
                continue;
            now[i].entry->visit->inner += p->gap - (now[i].inner - then->inner);
            now[i].entry->visit->inner_virtual += p->gap_virt - (now[i].inner_virtual - then->inner_virtual);
            return;
        }
}

/* What has been counted as inside the innermost region already. */
static void poll_take_from_inside(const struct wf_lane *lane, uint64_t raw, uint64_t virt)
{
    struct weft_visit_ *around = lane->probes.top->visit;
    around->inner -= raw;
    around->inner_virtual -= virt;
}

/* ---- the chain ---- */

/* The time without a core since the last poll was part of the chain, and none outside of calls. */
static void poll_take_no_core(const struct wf_lane *lane, struct wf_polls *p)
{
    p->gap_no_core = lane->record->no_core_ticks - p->no_core;
    lane->record->no_core_ticks = p->no_core;
}

void wf_poll_meet(struct wf_call *c)
{
    struct wf_polls *p = &c->lane->polls;
    uint64_t since = c->start;
    c->chained = poll_goes_on(c, p);
    c->lane->polling = false;
    if (!c->chained)
        return;
    poll_take_from_region(c, p);
    poll_take_no_core(c->lane, p);
    if (c->feed)
        wf_feed_rested(c->feed, wf_call_virt(c));
    wf_call_put_off_since(c, since);
}

static void poll_open(const struct wf_call *c, struct wf_polls *p)
{
    p->begin = p->end = p->own_begin = c->start;
    p->before = p->after = p->own_before = c->before;
    p->gap = p->gap_virt = p->gap_no_core = p->odd = p->longest = 0;
    p->shares = 0;
}

static struct wf_polls_share *poll_share_of(struct wf_polls *p, struct wf_site *site)
{
    uint32_t i = 0;
    while (i < p->shares && p->share[i].site != site)
        i++;
    if (i == WF_POLLS_STATEMENTS)
        return NULL;
    if (i == p->shares)
        p->share[p->shares++] = (struct wf_polls_share){.site = site};
    return &p->share[i];
}

/* So much of what a poll is given was idle: it had no core, or polled. */
static struct wf_idle_ticks poll_idle(const struct wf_call *c, const struct wf_polls *p, uint64_t idle)
{
    uint64_t without = p->gap_no_core;
    if (__builtin_expect(c->end - c->lane->core.at > wf_limits.look, 0))
        without += wf_core_look(c->lane, c->end);
    without = without < idle ? without : idle;
    return (struct wf_idle_ticks){.no_core = without, .polling = idle - without};
}

/* A poll by itself, with the time since the last one, which is idle; if it failed its own is, too. In a chain, what the
 * probes of failed polls cost is hidden by what the program waits for. */
static struct wf_event poll_settle_alone(struct wf_call *c, const struct wf_polls *p, bool failed)
{
    c->start = p->own_begin;
    c->before = p->own_before;
    struct wf_settled s = wf_settle_alone(wf_process.model, &c->before, c->start, c->end, wf_process.cost.inner);
    s.ticks += p->gap_virt;
    if (failed && c->chained) {
        s.ticks = wf_process.model == WF_MODEL_REAL ? s.ticks : c->end - p->end;
        s.after.intrusion = p->after.intrusion;
    }
    if (failed)
        s.after.lag = c->before.lag;
    struct wf_event e;
    wf_call_event(c, &s, &e);
    e.begin -= p->gap;
    e.begin_virt -= p->gap_virt;
    e.times.raw += p->gap;
    e.times.idle = failed ? s.ticks : p->gap_virt;
    e.idle = poll_idle(c, p, e.times.idle);
    poll_take_from_inside(c->lane, p->gap, p->gap_virt);
    return e;
}

static void poll_note_end(const struct wf_call *c, struct wf_polls *p, const struct wf_event *e)
{
    p->end = c->end;
    p->after = e->after;
    p->took = c->end - c->start;
    p->last = c->site;
    p->asked = c->asked;
    p->paused = wf_process.segment.header->paused_ticks;
    p->no_core = c->lane->record->no_core_ticks;
    p->regions = poll_regions(c->lane, c->end, c->end - e->after.intrusion, p->region);
    if (c->end - p->cpu_at > 2 * wf_limits.rest)
        poll_read_cpu(p, c->end);
}

void wf_poll_failed(struct wf_call *c, uint64_t num)
{
    struct wf_lane *lane = c->lane;
    struct wf_polls *p = &lane->polls;
    bool first = !c->chained;
    if (first)
        poll_open(c, p);
    else
        p->own_begin = c->start, p->own_before = c->before;
    struct wf_event e = poll_settle_alone(c, p, !(first && c->polls == WF_POLLS_LOOKS));
    struct wf_polls_share *share = poll_share_of(p, c->site);
    if (share) {
        share->raw += e.times.raw;
        share->virt += e.times.virt;
        wf_idle_ticks_add(&share->idle, &e.idle);
    }
    if (c->feed && !first)
        wf_feed_counts_since(c->feed, e.begin_virt);
    wf_call_take_shared(c, &e);
    if (num) /* else there is nothing to say of any partner */
        wf_event_count_part(lane, &e, WF_PARTNER_NONE, num, 0, &(struct wf_times){.raw = 0});
    c->sampled = true;
    poll_note_end(c, p, &e);
    lane->polling = share && c->site->offset;
    lane->rare_at = lane->polling ? 0 : lane->rare_at;
}

void wf_poll_came(struct wf_call *c)
{
    struct wf_polls *p = &c->lane->polls;
    if (c->start == p->begin)
        return; /* so it is already */
    p->own_begin = c->start;
    p->own_before = c->before;
    c->start = p->begin;
    c->before = p->before;
}

static void poll_take_idle(struct wf_idle_ticks *from, const struct wf_idle_ticks *idle)
{
    from->polling -= idle->polling;
    from->no_core -= idle->no_core;
}

/* The chain's event has the time that its polls were given. */
static void poll_take_back(const struct wf_lane *lane, const struct wf_polls *p)
{
    uint64_t raw = 0, virt = 0;
    for (uint32_t i = 0; i < p->shares; i++) {
        struct wf_site_record *site = p->share[i].site->record;
        site->ticks_raw -= p->share[i].raw;
        site->ticks_virtual -= p->share[i].virt;
        poll_take_idle(&site->idle, &p->share[i].idle);
        poll_take_idle(&lane->record->idle, &p->share[i].idle);
        raw += p->share[i].raw;
        virt += p->share[i].virt;
    }
    lane->record->mpi_ticks -= raw;
    lane->record->mpi_virtual_ticks -= virt;
    poll_take_from_inside(lane, raw + p->gap, virt + p->gap_virt);
}

/* From the arrival on until it was asked again, nothing was transferred. */
static struct wf_idle_ticks poll_idle_of(const struct wf_polls *p, const struct wf_merge *m)
{
    return (struct wf_idle_ticks){.polling = wf_less(p->own_begin, wf_max(m->real, p->end))};
}

void wf_poll_settle(struct wf_call *c, const struct wf_merge *m, uint32_t kind, struct wf_event *e)
{
    const struct wf_polls *p = &c->lane->polls;
    wf_poll_came(c);
    if (m->parts == 0 || (c->polls != WF_POLLS_WAITS && !poll_has_failed(c, p))) { /* what it found may be old */
        *e = poll_settle_alone(c, p, false);
    } else {
        struct wf_settled s = wf_settle(wf_process.model, &c->before, c->start, c->end, wf_process.cost.inner, m);
        struct wf_idle_ticks idle = poll_idle_of(p, m);
        idle = wf_settle_idle(s.ticks - s.sync, &s.after.lag, &idle);
        wf_call_event(c, &s, e);
        e->idle = idle;
        e->times.idle = idle.polling + idle.no_core + idle.unexplained;
        e->arrival_virt = m->virt;
        e->culprit = m->who;
        e->wait = kind;
        e->through = m->address;
        poll_take_back(c->lane, p);
    }
    if (c->feed)
        wf_feed_counts_since(c->feed, e->begin_virt);
    c->sampled = true;
}

void wf_poll_take_alone(struct wf_call *c, int32_t partner, uint64_t num, uint64_t bytes)
{
    struct wf_event e;
    wf_poll_settle(c, &(struct wf_merge){.parts = 0}, 0, &e);
    wf_call_take(c, &e, partner, num, bytes);
}
