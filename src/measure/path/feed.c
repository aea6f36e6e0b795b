/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/path/feed_state.h"

#include <assert.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "base/line.h"
#include "measure/path/registry.h"
#include "measure/clock/limits.h"
#include "measure/process/process.h"

#define LAST_PARTS 16u
#define OFTEN 16u           /* so many times in a row: it will again */
#define SOON_TRIES 100u     /* for a promise that is kept at once */
#define PATIENCE_NS 1000000 /* with one that was not: its sender may be without a core */
#define PROMPT_CALLS 1000u  /* after a send that has waited, so many promise nothing */

static_assert(offsetof(struct wf_shown, path.values) == WF_LINE_BYTES, "rows of a snapshot begin at cache lines");

static void feed_end_due(struct wf_feed *f);

/* They have been read: others may write there again. When all have been, because another part may be the same; and when
 * what others wait for has been written, because that would wait for these lines. */
static void feed_release_parts(struct wf_feed *f)
{
    for (uint32_t i = 0; i < f->part_count; i++)
        if (f->parts[i].release)
            atomic_store_explicit(&f->parts[i].shown->ticket, 0, memory_order_release);
    f->part_count = 0;
}

/* Everything is counted up to now. */
static void feed_enter_call(struct wf_feed *f, struct wf_site *site, int64_t now)
{
    wf_feed_need_slots(f, site);
    wf_feed_enter_regions(f, now);
    wf_path_begin(f->path, site->path_slot, now);
    f->path->calling = site->path_region;
}

/* Computing goes on up to here; then the next call begins. */
static inline __attribute__((always_inline)) void feed_next_call(struct wf_feed *f, struct wf_site *site, uint64_t virt,
                                                                 int64_t now)
{
    f->calls++;
    f->current = site;
    f->begin_virt = virt;
    f->begin = now;
    if (__builtin_expect(site->path_map != f->path->map, 0)) {
        wf_feed_note_beginning(f, now);
        wf_feed_find_slots(f, site);
    }
    if (f->trace)
        wf_trace_line(f->trace, "B %llu %u %lld %u", (unsigned long long)f->calls, site->path_slot, (long long)now,
                      site->path_region);
    wf_path_advance(f->path, now);
    wf_feed_count_regions(f, virt, now);
    feed_enter_call(f, site, now);
}

/* The path's part of a call's end, behind its parts. */
static inline __attribute__((always_inline)) void feed_leave_call(struct wf_feed *f, int64_t take, int64_t now,
                                                                  uint64_t took_virt, bool due)
{
    wf_path_end(f->path, take, now);
    if (f->trace)
        wf_trace_line(f->trace, "T %lld %lld%s", (long long)take, (long long)now, due ? " 1" : "");
    if (f->counted.depth) {
        wf_path_leave_all(f->path, now);
        wf_region_times_pass(&f->counted, took_virt);
    }
}

void wf_feed_put_off(struct wf_feed *f, uint64_t virt)
{
    int64_t now = wf_feed_clock_at(f, virt);
    wf_feed_write_begins(f);
    feed_leave_call(f, 0, f->begin, 0, false);
    wf_feed_set_stretch(f, f->behind);
    wf_feed_note_beginning(f, now);
    feed_next_call(f, f->current, virt, now);
    wf_feed_write_ends(f);
}

static void feed_begin(struct wf_feed *f, struct wf_site *site, uint64_t virt)
{
    int64_t now = wf_feed_clock_at(f, virt);
    feed_end_due(f);
    wf_feed_write_begins(f);
    if (__builtin_expect(f->path->inside, 0)) { /* the last call was left by a jump */
        wf_path_end(f->path, 0, now);
        wf_path_leave_all(f->path, now);
    }
    wf_feed_look(f, virt, now);
    feed_next_call(f, site, virt, now);
    if (__builtin_expect(f->path->listed != 0, 0) && virt >= f->look_virt)
        wf_feed_refine(f);
    wf_feed_write_ends(f);
}

static void feed_keep_promise(struct wf_feed *f)
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
    feed_begin(f, site, virt);
    feed_release_parts(f);
}

bool wf_feed_may_be_late(const struct wf_feed *f)
{
    return wf_path_is_on(f->path) && !wf_feed_common.cpu && !wf_process.threads && f->calls >= f->prompt_until;
}

void wf_feed_promise(struct wf_feed *f, struct wf_shown *s)
{
    feed_keep_promise(f); /* of a send that was left by a jump */
    /* In a spare block it stands there already: nothing is written that the message would wait for. */
    if (!atomic_load_explicit(&s->promised, memory_order_relaxed))
        atomic_store_explicit(&s->promised, 1, memory_order_relaxed);
    f->promised = s;
}

/* A send that waits keeps its receiver waiting for what it has promised: it waits for memory that the receiver is to
 * give back, so the next ones may, too. */
static void feed_be_prompt_after(struct wf_feed *f, uint64_t took)
{
    if (__builtin_expect(took > wf_limits.soon, 0))
        f->prompt_until = f->calls + PROMPT_CALLS;
}

void wf_feed_begin_late(struct wf_feed *f, struct wf_site *site, uint64_t virt, uint64_t took)
{
    struct wf_site *before = f->current;
    uint64_t since = f->due.site ? f->due.end_virt : f->scale_virt;
    if (f->due.site)
        wf_path_fetch(f->path, &f->parts[0].shown->path);
    if (f->promised)
        wf_feed_expect(f, f->promised);
    if (before)
        before->path_soon =
            f->promised && (int64_t)(virt - since) < (int64_t)wf_limits.soon ? before->path_soon + 1 : 0;
    feed_begin(f, site, virt);
    feed_be_prompt_after(f, took);
    feed_keep_promise(f);
    feed_release_parts(f);
}

bool wf_feed_began_at(const struct wf_feed *f, uint64_t virt)
{
    return f->path->inside && f->begin_virt == virt;
}

size_t wf_feed_shown_bytes(const struct wf_feed *f)
{
    return f->path->epoch ? wf_feed_room : 0;
}

static inline void feed_shown(struct wf_feed *f, struct wf_shown *s)
{
    __atomic_store_n(&s->rank, wf_feed_common.rank, __ATOMIC_RELAXED); /* as read_part reads them */
    __atomic_store_n(&s->thread, (uint16_t)f->record->thread, __ATOMIC_RELAXED);
    __atomic_store_n(&s->call, f->calls, __ATOMIC_RELAXED);
    if (f->trace) {
        wf_trace_line(f->trace, "S %llu", (unsigned long long)f->calls);
        wf_trace_flush(f->trace); /* before any other thread can refer to it */
    }
}

static inline void feed_forget_another_state(const struct wf_feed *f, struct wf_shown *s)
{
    if (s->thread != f->record->thread)
        s->path.version = 0;
}

void wf_feed_show(struct wf_feed *f, struct wf_shown *s)
{
    feed_forget_another_state(f, s);
    wf_path_update(f->path, &s->path);
    feed_shown(f, s);
}

void wf_feed_show_for_now(struct wf_feed *f, struct wf_shown *s)
{
    feed_forget_another_state(f, s);
    wf_path_update_watched(f->path, &s->path);
    feed_shown(f, s);
}

void wf_feed_expect(const struct wf_feed *f, struct wf_shown *s)
{
    wf_path_expect(f->path, &s->path); /* its first line is that of all */
}

static bool feed_is_followed_by_send(const struct wf_feed *f)
{
    return f->current->path_soon >= OFTEN;
}

void wf_feed_part(struct wf_feed *f, const struct wf_feed_part *part)
{
    if (f->part_count == WF_FEED_PARTS) {
        wf_feed_lost(f);
        return;
    }
    struct wf_feed_part *to = &f->parts[f->part_count++]; /* one by one: see src/measure/CMakeLists.txt */
    to->shown = part->shown;
    to->check = part->check;
    to->is = part->is;
    to->release = part->release;
    to->latency = part->latency;
    to->sent_virt = part->sent_virt;
    if (!feed_is_followed_by_send(f) && !atomic_load_explicit(&part->shown->promised, memory_order_relaxed))
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
static const struct wf_shown *feed_read_part(struct wf_feed *f, const struct wf_feed_part *part)
{
    if (!part->check)
        return wf_path_fits(f->path, &part->shown->path) ? part->shown : NULL;
    struct wf_shown *copy = f->scratch;
    if (atomic_load_explicit(part->check, memory_order_acquire) != part->is ||
        !wf_path_copy(f->path, &part->shown->path, &copy->path))
        return NULL;
    copy->rank = __atomic_load_n(&part->shown->rank, __ATOMIC_RELAXED);
    copy->thread = __atomic_load_n(&part->shown->thread, __ATOMIC_RELAXED);
    copy->call = __atomic_load_n(&part->shown->call, __ATOMIC_RELAXED);
    atomic_thread_fence(memory_order_acquire);
    return atomic_load_explicit(part->check, memory_order_relaxed) == part->is ? copy : NULL;
}

/* One of the parts is of an epoch or a version of the map that is not ours yet: as if the call began with it. To a
 * reader of the trace the call has begun, and stays so. */
static void feed_adopt_parts(struct wf_feed *f, struct wf_site *site)
{
    uint32_t epoch = f->path->epoch, map = f->path->map, newest = wf_registry_epoch();
    for (uint32_t i = 0; i < f->part_count; i++) {
        const struct wf_shown *s = feed_read_part(f, &f->parts[i]);
        epoch = s && s->path.epoch > epoch ? s->path.epoch : epoch;
        map = s && s->path.map > map ? s->path.map : map;
    }
    if (epoch == f->path->epoch && map == f->path->map)
        return;
    epoch = newest > epoch ? newest : epoch;
    wf_registry_ask(wf_registry, epoch); /* from another host, others of ours may not have heard of it */
    wf_path_end(f->path, 0, f->begin);
    wf_path_leave_all(f->path, f->begin);
    wf_feed_change(f, epoch, wf_registry_map(), f->begin_virt, f->begin);
    wf_feed_need_slots(f, site);
    if (f->trace)
        wf_trace_line(f->trace, "C %u %u", site->path_slot, site->path_region);
    feed_enter_call(f, site, f->begin);
}

/* Of another epoch or version of the map; mostly it is newer. */
static bool feed_has_other_part(const struct wf_feed *f)
{
    uint64_t stage = wf_path_stage(&f->path->epoch);
    for (uint32_t i = 0; i < f->part_count; i++)
        if (__builtin_expect(wf_path_stage(&f->parts[i].shown->path.epoch) != stage, 0))
            return true;
    return false;
}

/* What was shown before slots changed, with the slots of now; in the place of what was copied last. */
static const struct wf_shown *feed_translate(struct wf_feed *f, const struct wf_shown *s)
{
    struct wf_shown *to = f->scratch;
    uint16_t place = s->path.place;
    if (s->path.map == 0 || s->path.map > f->path->map || s->path.epoch != f->path->epoch)
        return s;
    to->rank = s->rank;
    to->thread = s->thread;
    to->call = s->call;
    wf_path_load(f->other, &((struct wf_shown *)(uintptr_t)s)->path); /* only read */
    while (f->other->map < f->path->map) {
        struct wf_registry_change c = wf_registry_change(f->other->map);
        wf_path_reassign(f->other, c.slot, c.from, c.to);
    }
    wf_path_snapshot(f->other, &to->path);
    to->path.place = place;
    return to;
}

static void feed_merge_parts(struct wf_feed *f, uint64_t end_virt)
{
    for (uint32_t i = 0; i < f->part_count; i++) {
        const struct wf_feed_part *part = &f->parts[i];
        const struct wf_shown *s = feed_read_part(f, part);
        if (s && __builtin_expect(s->path.map != f->path->map, 0))
            s = feed_translate(f, s);
        int64_t weight = wf_feed_common.cpu ? 0 : wf_path_weight(part->latency, part->sent_virt, end_virt);
        bool merged = s && wf_path_part(f->path, &s->path, weight);
        f->record->parts += merged;
        f->record->lost += !s && wf_path_is_on(f->path);
        if (f->trace && merged)
            wf_trace_line(f->trace, "P %u %u %llu %lld", s->rank, s->thread, (unsigned long long)s->call,
                          (long long)weight);
    }
}

/* What the call itself did: with CPU weights no more than it has neither waited nor been idle. */
static int64_t feed_take_of(const struct wf_feed *f, const struct wf_feed_due *d)
{
    uint64_t begin_virt = __builtin_expect(f->since_virt != 0, 0) ? f->since_virt : f->begin_virt;
    if (!wf_feed_common.cpu) {
        int64_t take = wf_path_take(begin_virt, d->arrival_virt, d->end_virt);
        return __builtin_expect(d->idle != 0, 0) ? (int64_t)wf_less((uint64_t)take, d->idle) : take;
    }
    int64_t most = (int64_t)((double)(d->end_virt - begin_virt - d->waited - d->idle) * wf_feed_common.ns_per_tick),
            took = d->now - f->begin;
    return took < most ? (took > 0 ? took : 0) : most;
}

/* What slots stand for, for readers that know more hosts than this one. */
static void feed_write_keys(struct wf_feed *f)
{
    while (f->record->key_count < f->path->used) {
        f->keys[f->record->key_count] = wf_registry_key(wf_path_regions(f->path)[f->record->key_count]);
        f->record->key_count++;
    }
}

static bool feed_is_kept_soon(const struct wf_shown *s)
{
    for (uint32_t tries = 0; atomic_load_explicit(&s->promised, memory_order_acquire); tries++) {
        if (tries >= SOON_TRIES)
            return false;
        for (int i = 0; i < 4; i++)
            wf_line_wait();
    }
    return true;
}

/* The sender that promised may be without a core, or in a send that waits. If it did not keep one promise, the next
 * ones are not waited for long. */
static bool feed_is_kept(const struct wf_shown *s)
{
    static _Atomic uint64_t patience_ns = PATIENCE_NS;
    if (__builtin_expect(feed_is_kept_soon(s), 1))
        return true;
    uint64_t since = wf_clock_ticks(), patience = atomic_load_explicit(&patience_ns, memory_order_relaxed);
    while (atomic_load_explicit(&s->promised, memory_order_acquire)) {
        if ((double)(wf_clock_ticks() - since) * wf_feed_common.ns_per_tick > (double)patience) {
            atomic_store_explicit(&patience_ns, patience - patience / 4, memory_order_relaxed);
            return false;
        }
        sched_yield();
    }
    return true;
}

static bool feed_are_kept_soon(const struct wf_feed *f)
{
    for (uint32_t i = 0; i < f->part_count; i++)
        if (__builtin_expect(!feed_is_kept_soon(f->parts[i].shown), 0))
            return false;
    return true;
}

static void feed_await_parts(struct wf_feed *f)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->part_count; i++)
        if (__builtin_expect(feed_is_kept(f->parts[i].shown), 1)) {
            if (kept != i)
                f->parts[kept] = f->parts[i];
            kept++;
        }
    if (__builtin_expect(kept == f->part_count, 1))
        return;
    f->record->lost += wf_path_is_on(f->path) ? f->part_count - kept : 0;
    f->part_count = kept;
}

static void feed_end(struct wf_feed *f, const struct wf_feed_due *d)
{
    feed_await_parts(f);
    wf_feed_write_begins(f);
    if (__builtin_expect(feed_has_other_part(f), 0))
        feed_adopt_parts(f, d->site);
    feed_merge_parts(f, d->end_virt);
    feed_leave_call(f, feed_take_of(f, d), d->now, d->end_virt - f->begin_virt, d == &f->due);
    f->scale_virt = d->end_virt;
    f->scale_from = d->now;
    f->since_virt = 0;
    wf_feed_set_stretch(f, d->site);
    if (__builtin_expect(wf_feed_common.hosts, 0))
        feed_write_keys(f);
    wf_feed_write_ends(f);
}

static void feed_end_due(struct wf_feed *f)
{
    if (!f->due.site)
        return;
    feed_end(f, &f->due);
    f->due.site = NULL;
}

bool wf_feed_end(struct wf_feed *f, struct wf_site *site, uint64_t arrival_virt, uint64_t end_virt, uint64_t waited,
                 uint64_t idle)
{
    struct wf_feed_due d = {.site = site,
                            .arrival_virt = arrival_virt,
                            .end_virt = end_virt,
                            .waited = waited,
                            .idle = idle,
                            .now = wf_feed_clock_at(f, end_virt)};
    /* What is not there at once will be at the next call, most probably: the program goes on. */
    bool followed = f->part_count == 1 && f->parts[0].release && feed_is_followed_by_send(f);
    if (followed || !feed_are_kept_soon(f)) {
        f->due = d;
        return false;
    }
    feed_end(f, &d);
    feed_release_parts(f);
    return true;
}

void wf_feed_counts_since(struct wf_feed *f, uint64_t virt)
{
    f->since_virt = virt;
}

void wf_feed_catch_up(struct wf_feed *f)
{
    feed_end_due(f);
    feed_release_parts(f);
}
