/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/feed_state.h"

#include <assert.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "base/line.h"
#include "measure/agree.h"
#include "measure/limits.h"
#include "measure/process.h"

#define LAST_PARTS 16u
#define OFTEN 16u        /* so many times in a row: it will again */
#define PATIENCE_NS 1000000000 /* with a promise: its sender may be without a core */

static_assert(offsetof(struct wf_shown, path.values) == WF_LINE_BYTES, "rows of a snapshot begin at cache lines");

static void end_what_is_due(struct wf_feed *f);

/* They have been read: others may write there again. When all have been, because another part may be the same; and when what others wait for has been
 * written, because that would wait for these lines. */
static void release_parts(struct wf_feed *f)
{
    for (uint32_t i = 0; i < f->part_count; i++)
        if (f->parts[i].release)
            atomic_store_explicit(&f->parts[i].shown->ticket, 0, memory_order_release);
    f->part_count = 0;
}

/* Everything is counted up to now. */
static void enter_call(struct wf_feed *f, struct wf_site *site, int64_t now)
{
    wf_feed_need_slots(f, site);
    wf_feed_enter_regions(f, now);
    wf_path_begin(f->path, site->path_slot, now);
}

static void begin(struct wf_feed *f, struct wf_site *site, uint64_t virt)
{
    int64_t now = wf_feed_clock_at(f, virt);
    end_what_is_due(f);
    wf_feed_write_begins(f);
    if (__builtin_expect(f->path->inside, 0)) { /* the last call was left by a jump */
        wf_path_end(f->path, 0, now);
        wf_path_leave_all(f->path, now);
    }
    wf_feed_look_for_epoch(f, virt, now);
    f->calls++;
    f->current = site;
    f->begin_virt = virt;
    f->begin = now;
    wf_feed_need_slots(f, site);
    if (f->trace)
        wf_trace_line(f->trace, "B %llu %u %lld", (unsigned long long)f->calls, site->path_slot, (long long)now);
    wf_path_advance(f->path, now);
    wf_feed_count_regions(f, virt, now);
    enter_call(f, site, now);
    if (f->refine_at && atomic_load_explicit(&wf_registry->regions, memory_order_relaxed) >= wf_feed_common.regions)
        wf_feed_refine(f);
    wf_feed_write_ends(f);
}

static void keep_promise(struct wf_feed *f)
{
    struct wf_shown *s = f->promised;
    if (!s)
        return;
    f->promised = NULL;
    wf_feed_show(f, s);
    atomic_store_explicit(&s->promised, 0, memory_order_release);
    wf_line_hand_over(s);
}

void wf_feed_begin(struct wf_feed *f, struct wf_site *site, uint64_t virt)
{
    if (f->current)
        f->current->path_soon = 0;
    begin(f, site, virt);
    release_parts(f);
}

bool wf_feed_may_be_late(const struct wf_feed *f)
{
    return wf_path_is_on(f->path) && !wf_feed_common.cpu && !wf_process.threads;
}

void wf_feed_promise(struct wf_feed *f, struct wf_shown *s)
{
    keep_promise(f); /* of a send that was left by a jump */
    /* In a spare block it stands there already: nothing is written that the message would wait for. */
    if (!atomic_load_explicit(&s->promised, memory_order_relaxed))
        atomic_store_explicit(&s->promised, 1, memory_order_relaxed);
    f->promised = s;
}

void wf_feed_begin_late(struct wf_feed *f, struct wf_site *site, uint64_t virt)
{
    struct wf_site *before = f->current;
    uint64_t since = f->due.site ? f->due.end_virt : f->scale_virt;
    if (f->due.site)
        wf_path_fetch(f->path, &f->parts[0].shown->path);
    if (f->promised)
        wf_feed_expect(f, f->promised);
    if (before)
        before->path_soon = f->promised && (int64_t)(virt - since) < (int64_t)wf_limits.soon ? before->path_soon + 1 : 0;
    begin(f, site, virt);
    keep_promise(f);
    release_parts(f);
}

bool wf_feed_began_at(const struct wf_feed *f, uint64_t virt)
{
    return f->path->inside && f->begin_virt == virt;
}

size_t wf_feed_shown_bytes(const struct wf_feed *f)
{
    return f->path->epoch ? wf_feed_room : 0;
}

static inline void shown(struct wf_feed *f, struct wf_shown *s)
{
    __atomic_store_n(&s->rank, wf_feed_common.rank, __ATOMIC_RELAXED); /* as read_part reads them */
    __atomic_store_n(&s->thread, f->record->thread, __ATOMIC_RELAXED);
    __atomic_store_n(&s->call, f->calls, __ATOMIC_RELAXED);
    if (f->trace) {
        wf_trace_line(f->trace, "S %llu", (unsigned long long)f->calls);
        wf_trace_flush(f->trace); /* before anybody can refer to it */
    }
}

static inline void forget_another_state(const struct wf_feed *f, struct wf_shown *s)
{
    if (s->thread != f->record->thread)
        s->path.version = 0;
}

void wf_feed_show(struct wf_feed *f, struct wf_shown *s)
{
    forget_another_state(f, s);
    wf_path_update(f->path, &s->path);
    shown(f, s);
}

void wf_feed_show_for_now(struct wf_feed *f, struct wf_shown *s)
{
    forget_another_state(f, s);
    wf_path_update_watched(f->path, &s->path);
    shown(f, s);
}

void wf_feed_expect(const struct wf_feed *f, struct wf_shown *s)
{
    wf_path_expect(f->path, &s->path); /* its first line is that of all */
}

static bool is_followed_by_send(const struct wf_feed *f)
{
    return f->current->path_soon >= OFTEN;
}

void wf_feed_part(struct wf_feed *f, const struct wf_feed_part *part)
{
    if (f->part_count == WF_FEED_PARTS) {
        f->record->lost++;
        return;
    }
    struct wf_feed_part *to = &f->parts[f->part_count++]; /* one by one: see src/measure/CMakeLists.txt */
    to->shown = part->shown;
    to->check = part->check;
    to->is = part->is;
    to->release = part->release;
    to->latency = part->latency;
    to->sent_virt = part->sent_virt;
    if (!is_followed_by_send(f) && !atomic_load_explicit(&part->shown->promised, memory_order_relaxed))
        wf_path_fetch(f->path, &part->shown->path); /* it is read when all parts are known */
}

bool wf_feed_has_part(const struct wf_feed *f, const struct wf_shown *shown)
{
    bool has = false;
    for (uint32_t i = 1; i <= LAST_PARTS && i <= f->part_count && !has; i++)
        has = f->parts[f->part_count - i].shown == shown;
    return has;
}

void wf_feed_lost(struct wf_feed *f)
{
    f->record->lost += wf_path_is_on(f->path);
}

/* What the part showed, or NULL: it has been overwritten, or is nothing that could be. */
static const struct wf_shown *read_part(struct wf_feed *f, const struct wf_feed_part *part)
{
    if (!part->check)
        return wf_path_fits(f->path, &part->shown->path) ? part->shown : NULL;
    struct wf_shown *copy = f->scratch;
    if (atomic_load_explicit(part->check, memory_order_acquire) != part->is || !wf_path_copy(f->path, &part->shown->path, &copy->path))
        return NULL;
    copy->rank = __atomic_load_n(&part->shown->rank, __ATOMIC_RELAXED);
    copy->thread = __atomic_load_n(&part->shown->thread, __ATOMIC_RELAXED);
    copy->call = __atomic_load_n(&part->shown->call, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(part->check, memory_order_relaxed) == part->is ? copy : NULL;
}

/* One of the parts is of an epoch that is not ours yet: as if the call began with it. */
static void adopt_parts(struct wf_feed *f, struct wf_site *site)
{
    uint32_t epoch = f->path->epoch;
    for (uint32_t i = 0; i < f->part_count; i++) {
        const struct wf_shown *s = read_part(f, &f->parts[i]);
        if (s && s->path.epoch > epoch)
            epoch = s->path.epoch;
    }
    if (epoch == f->path->epoch)
        return;
    uint32_t newest = wf_agree_epoch(); /* whose slots are certainly there */
    epoch = newest > epoch ? newest : epoch;
    wf_registry_ask(wf_registry, epoch); /* from another host, others of ours may not have heard of it */
    struct wf_trace *trace = f->trace;
    wf_feed_trace_epoch(f, epoch, f->begin);
    f->trace = NULL; /* to whoever reads it the call has begun, and stays so */
    wf_path_end(f->path, 0, f->begin);
    wf_path_leave_all(f->path, f->begin);
    wf_feed_change_epoch(f, epoch, f->begin_virt, f->begin);
    f->trace = trace;
    wf_feed_need_slots(f, site);
    if (f->trace)
        wf_trace_line(f->trace, "C %u", site->path_slot);
    enter_call(f, site, f->begin);
}

static bool has_new_epoch(const struct wf_feed *f)
{
    for (uint32_t i = 0; i < f->part_count; i++)
        if (__builtin_expect(__atomic_load_n(&f->parts[i].shown->path.epoch, __ATOMIC_RELAXED) > f->path->epoch, 0))
            return true;
    return false;
}

static void merge_parts(struct wf_feed *f, uint64_t end_virt)
{
    for (uint32_t i = 0; i < f->part_count; i++) {
        const struct wf_feed_part *part = &f->parts[i];
        const struct wf_shown *s = read_part(f, part);
        int64_t weight = wf_feed_common.cpu ? 0 : wf_path_weight(part->latency, part->sent_virt, end_virt);
        bool merged = s && wf_path_part(f->path, &s->path, weight);
        f->record->parts += merged;
        f->record->lost += !s && wf_path_is_on(f->path);
        if (f->trace && merged)
            wf_trace_line(f->trace, "P %u %u %llu %lld", s->rank, s->thread, (unsigned long long)s->call, (long long)weight);
    }
}

/* What the call itself did: with CPU weights no more than it has not waited. */
static int64_t take_of(const struct wf_feed *f, uint64_t arrival_virt, uint64_t end_virt, uint64_t waited, int64_t now)
{
    if (!wf_feed_common.cpu)
        return wf_path_take(f->begin_virt, arrival_virt, end_virt);
    int64_t most = (int64_t)((double)(end_virt - f->begin_virt - waited) * wf_feed_common.ns_per_tick), took = now - f->begin;
    return took < most ? (took > 0 ? took : 0) : most;
}

/* What slots stand for, for whoever knows more hosts than this one. */
static void write_keys(struct wf_feed *f)
{
    while (f->record->key_count < f->path->used) {
        f->keys[f->record->key_count] = wf_agree_key(f->record->key_count);
        f->record->key_count++;
    }
}

/* Whoever promised has sent the message, and does nothing else first: it is a matter of a core. Once it is not, the next ones are not waited for
 * long. */
static bool is_kept(const struct wf_shown *s)
{
    static _Atomic uint64_t patience_ns = PATIENCE_NS;
    uint64_t since = 0;
    for (uint32_t tries = 0; atomic_load_explicit(&s->promised, memory_order_acquire); tries++) {
        if (tries < 100) {
            for (int i = 0; i < 4; i++)
                wf_line_wait();
            continue;
        }
        uint64_t now = wf_clock_ticks();
        since = since ? since : now;
        uint64_t patience = atomic_load_explicit(&patience_ns, memory_order_relaxed);
        if ((double)(now - since) * wf_feed_common.ns_per_tick > (double)patience) {
            atomic_store_explicit(&patience_ns, patience / 16, memory_order_relaxed);
            return false;
        }
        sched_yield();
    }
    return true;
}

static void await_parts(struct wf_feed *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->part_count; i++)
        if (__builtin_expect(is_kept(f->parts[i].shown), 1)) {
            if (kept != i)
                f->parts[kept] = f->parts[i];
            kept++;
        }
    f->record->lost += f->part_count - kept;
    f->part_count = kept;
}

static void end(struct wf_feed *f, const struct wf_feed_due *d)
{
    await_parts(f);
    wf_feed_write_begins(f);
    if (__builtin_expect(has_new_epoch(f), 0))
        adopt_parts(f, d->site);
    merge_parts(f, d->end_virt);
    int64_t take = take_of(f, d->arrival_virt, d->end_virt, d->waited, d->now);
    wf_path_end(f->path, take, d->now);
    f->scale_virt = d->end_virt;
    f->scale_from = d->now;
    if (f->trace)
        wf_trace_line(f->trace, "T %lld %lld%s", (long long)take, (long long)d->now, d == &f->due ? " 1" : "");
    if (f->counted.depth) {
        wf_path_leave_all(f->path, d->now);
        wf_counted_pass(&f->counted, d->end_virt - f->begin_virt);
    }
    wf_feed_set_stretch(f, d->site);
    if (__builtin_expect(wf_feed_common.hosts, 0))
        write_keys(f);
    wf_feed_write_ends(f);
}

static void end_what_is_due(struct wf_feed *f)
{
    if (!f->due.site)
        return;
    end(f, &f->due);
    f->due.site = NULL;
}

bool wf_feed_end(struct wf_feed *f, struct wf_site *site, uint64_t arrival_virt, uint64_t end_virt, uint64_t waited)
{
    struct wf_feed_due d = {.site = site, .arrival_virt = arrival_virt, .end_virt = end_virt, .waited = waited, .now = wf_feed_clock_at(f, end_virt)};
    if (f->part_count == 1 && f->parts[0].release && is_followed_by_send(f)) {
        f->due = d;
        return false;
    }
    end(f, &d);
    release_parts(f);
    return true;
}

void wf_feed_catch_up(struct wf_feed *f)
{
    end_what_is_due(f);
    release_parts(f);
}
