/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/feed_state.h"

#include <assert.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/line.h"
#include "measure/agree.h"
#include "measure/clock.h"
#include "measure/front.h"
#include "measure/probe.h"
#include "measure/process.h"
#include "measure/trace.h"

#define MAX_PLACES 64u      /* of more ranks than this, several share a place */
#define MAX_PARTS 65536u    /* of one call; address space only */
#define LAST_PARTS 16u
#define REFINE_NS 200000000 /* after this, and twice, four times, ... as much */
#define SOON_TICKS 50000    /* what happens so soon behind a receive may be what somebody waits for */
#define OFTEN 16u           /* so many times in a row: it will again */
#define PATIENCE_NS 1000000000 /* with a promise: its sender may be without a core */
#define DEFAULT_REGIONS 64u

static_assert(offsetof(struct wf_shown, path.values) == WF_LINE_BYTES, "rows of a snapshot begin at cache lines");

bool wf_feed_wanted;

struct wf_feed_common wf_feed_common;


/* ---- the path's clock ---- */

/* CPU time without that of watching. */
static int64_t cpu_now(const struct wf_feed *f)
{
    uint64_t ns = wf_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return (int64_t)ns - (int64_t)((double)f->lane->record->overhead_ticks * wf_feed_common.ns_per_tick);
}

static int64_t clock_at(const struct wf_feed *f, uint64_t virt)
{
    return __builtin_expect(wf_feed_common.cpu, 0) ? cpu_now(f) : (int64_t)virt;
}

static uint64_t virt_now(const struct wf_lane *lane)
{
    return wf_clock_ticks() - lane->probes.intrusion;
}

/* Readers find an odd number while we write. */
static void write_begins(struct wf_feed *f)
{
    uint32_t n = atomic_load_explicit(&f->record->sequence, memory_order_relaxed);
    atomic_store_explicit(&f->record->sequence, n + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static void write_ends(struct wf_feed *f)
{
    if (f->trace) /* what can be read now is written down by then */
        wf_trace_flush(f->trace);
    uint32_t n = atomic_load_explicit(&f->record->sequence, memory_order_relaxed);
    atomic_store_explicit(&f->record->sequence, n + 1, memory_order_release);
}

/* ---- regions ---- */

/* The statement, and the computing behind it; in a program whose procedures are known, those stand for that. */
static __attribute__((noinline)) void find_slots(struct wf_feed *f, struct wf_site *site)
{
    uint32_t epoch = f->path->epoch;
    bool selected = wf_agree_selects(wf_front_call_name(site->call), "");
    if (site->offset && selected && site->path_number == 0)
        site->path_number = wf_agree_number(wf_agree_mix(wf_counted_place(1, site->address), site->call));
    if (site->offset && selected && site->path_stretch_number == 0 && !wf_probe_has_procedures)
        site->path_stretch_number = wf_agree_number(wf_agree_mix(wf_counted_place(2, site->address), site->call));
    uint32_t slot = wf_agree_slot(site->path_number, epoch);
    site->path_slot = (uint16_t)(slot == WF_PATH_OTHER ? WF_PATH_TRANSFER : slot);
    site->path_stretch = (uint16_t)wf_agree_slot(site->path_stretch_number, epoch);
    site->path_epoch = epoch;
    if (site->offset && epoch & WF_EPOCH_ON) { /* else those of the epoch that the values are of stay to be read */
        site->record->path_slot = (uint16_t)slot;
        site->record->path_stretch = site->path_stretch;
        site->record->path_epoch = epoch;
    }
}

static inline void need_slots(struct wf_feed *f, struct wf_site *site)
{
    if (__builtin_expect(site->path_epoch != f->path->epoch, 0))
        find_slots(f, site);
}

static void hear(void *context, uint32_t slot, int64_t own, int64_t all)
{
    wf_trace_line(context, "A %u %lld %lld 1", slot, (long long)own, (long long)all);
}

/* What the probes have counted up to here. */
static void count_regions(struct wf_feed *f, uint64_t virt, int64_t now)
{
    if (!f->lane->visits.used)
        return;
    struct wf_counted_to to = {.path = f->path, .scale = 1, .heard = f->trace ? hear : NULL, .context = f->trace};
    if (wf_feed_common.cpu)
        to.scale = virt > f->scale_virt ? (double)(now - f->scale_from) / (double)(virt - f->scale_virt) : 0;
    wf_counted_tell(&f->counted, f->lane, f->path->epoch, virt, wf_path_is_on(f->path) ? &to : NULL);
}

static void enter_regions(struct wf_feed *f, int64_t now)
{
    for (uint32_t i = 0; i < f->counted.depth; i++) {
        const struct wf_counted_visit *v = f->counted.open[i];
        if (!v || v->slot == WF_PATH_OTHER)
            continue;
        wf_path_enter(f->path, v->slot, now);
        if (f->trace)
            wf_trace_line(f->trace, "E %u", v->slot);
    }
}

static void set_stretch(struct wf_feed *f, struct wf_site *site)
{
    uint32_t slot = WF_PATH_OTHER;
    f->behind = site;
    if (site) {
        need_slots(f, site);
        slot = site->path_stretch;
    }
    wf_path_stretch(f->path, slot, f->path->since);
    if (f->trace)
        wf_trace_line(f->trace, "G %u", slot);
}

/* ---- epochs ---- */

static void trace_epoch(struct wf_feed *f, uint32_t epoch, int64_t now)
{
    if (f->trace && epoch & 1)
        wf_trace_line(f->trace, "I %u %u %u %lld", wf_feed_common.rank, f->record->thread, epoch, (long long)now);
    else if (f->trace)
        wf_trace_line(f->trace, "Z %u %lld", epoch, (long long)now);
}

/* For threads that come later. Two at once: either will do. */
static void note_start(uint32_t epoch, uint64_t virt)
{
    if (epoch <= atomic_load_explicit(&wf_feed_common.epoch, memory_order_relaxed))
        return;
    atomic_store_explicit(&wf_feed_common.start_virt, virt, memory_order_relaxed);
    atomic_store_explicit(&wf_feed_common.epoch, epoch, memory_order_release);
}

/* In no call, and everything counted up to now: another epoch begins. */
static void change_epoch(struct wf_feed *f, uint32_t epoch, uint64_t virt, int64_t now)
{
    trace_epoch(f, epoch, now);
    wf_path_adopt(f->path, epoch, now);
    if (epoch & 1) {
        f->record->start_virtual = virt;
        note_start(epoch, virt);
    } else {
        f->record->stop_virtual = virt;
    }
    wf_counted_renew(&f->counted, epoch);
    set_stretch(f, f->behind);
}

static void look_for_epoch(struct wf_feed *f, uint64_t virt, int64_t now)
{
    uint32_t epoch = wf_agree_epoch();
    if (__builtin_expect(epoch <= f->path->epoch, 1))
        return;
    wf_path_advance(f->path, now);
    count_regions(f, virt, now);
    change_epoch(f, epoch, virt, now);
}

/* More regions than slots are sorted out by one process for all. */
static void refine(struct wf_feed *f)
{
    uint64_t now = wf_clock_ticks();
    if (now < f->refine_at)
        return;
    f->refine_after *= 2;
    f->refine_at = now + f->refine_after;
    if (wf_agree_is_leader())
        wf_agree_refine(wf_path_shares(f->path), f->path->epoch);
}

/* ---- calls ---- */

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
    need_slots(f, site);
    enter_regions(f, now);
    wf_path_begin(f->path, site->path_slot, now);
}

static void begin(struct wf_feed *f, struct wf_site *site, uint64_t virt)
{
    int64_t now = clock_at(f, virt);
    end_what_is_due(f);
    write_begins(f);
    if (__builtin_expect(f->path->inside, 0)) { /* the last call was left by a jump */
        wf_path_end(f->path, 0, now);
        wf_path_leave_all(f->path, now);
    }
    look_for_epoch(f, virt, now);
    f->calls++;
    f->current = site;
    f->begin_virt = virt;
    f->begin = now;
    need_slots(f, site);
    if (f->trace)
        wf_trace_line(f->trace, "B %llu %u %lld", (unsigned long long)f->calls, site->path_slot, (long long)now);
    wf_path_advance(f->path, now);
    count_regions(f, virt, now);
    enter_call(f, site, now);
    if (f->refine_at && atomic_load_explicit(&wf_registry->regions, memory_order_relaxed) >= wf_feed_common.regions)
        refine(f);
    write_ends(f);
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
    keep_promise(f); /* of a send that was left by a jump */
    release_parts(f);
}

bool wf_feed_may_be_late(const struct wf_feed *f)
{
    return wf_path_is_on(f->path) && !wf_feed_common.cpu && !wf_process.threads;
}

void wf_feed_promise(struct wf_feed *f, struct wf_shown *s)
{
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
        before->path_soon = f->promised && (int64_t)(virt - since) < SOON_TICKS ? before->path_soon + 1 : 0;
    begin(f, site, virt);
    keep_promise(f);
    release_parts(f);
}

bool wf_feed_began_at(const struct wf_feed *f, uint64_t virt)
{
    return f->path->inside && f->begin_virt == virt;
}

size_t wf_feed_shown_room(const struct wf_feed *f)
{
    return offsetof(struct wf_shown, path) + wf_path_snapshot_bytes(f->path->capacity, f->path->places);
}

size_t wf_feed_shown_bytes(const struct wf_feed *f)
{
    const struct wf_path *p = f->path;
    return p->epoch ? offsetof(struct wf_shown, path) + wf_path_snapshot_bytes(p->capacity, wf_path_is_on(p) ? p->places : 0) : 0;
}

void wf_feed_show(struct wf_feed *f, struct wf_shown *s)
{
    if (s->thread != f->record->thread) /* what is there is another state's */
        s->path.version = 0;
    wf_path_update(f->path, &s->path);
    s->rank = wf_feed_common.rank;
    s->thread = f->record->thread;
    s->call = f->calls;
    if (f->trace) {
        wf_trace_line(f->trace, "S %llu", (unsigned long long)f->calls);
        wf_trace_flush(f->trace); /* before anybody can refer to it */
    }
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
    if (f->part_count == MAX_PARTS) {
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

/* What the part showed, or NULL: it has been overwritten. */
static const struct wf_shown *read_part(struct wf_feed *f, const struct wf_feed_part *part)
{
    if (!part->check)
        return part->shown;
    struct wf_shown *copy = f->scratch;
    if (atomic_load_explicit(part->check, memory_order_acquire) != part->is || part->shown->path.bytes > f->record->state_bytes)
        return NULL;
    memcpy(copy, part->shown, offsetof(struct wf_shown, path) + part->shown->path.bytes);
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
    trace_epoch(f, epoch, f->begin);
    f->trace = NULL; /* to whoever reads it the call has begun, and stays so */
    wf_path_end(f->path, 0, f->begin);
    wf_path_leave_all(f->path, f->begin);
    change_epoch(f, epoch, f->begin_virt, f->begin);
    f->trace = trace;
    need_slots(f, site);
    if (f->trace)
        wf_trace_line(f->trace, "C %u", site->path_slot);
    enter_call(f, site, f->begin);
}

static bool has_new_epoch(const struct wf_feed *f)
{
    for (uint32_t i = 0; i < f->part_count; i++)
        if (__builtin_expect(f->parts[i].shown->path.epoch > f->path->epoch, 0))
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

/* Whoever promised has sent the message, and does nothing else first: it is a matter of a core. Once it is not, the next ones are not waited for long. */
static bool is_kept(const struct wf_shown *s)
{
    static uint64_t patience_ns = PATIENCE_NS;
    uint64_t since = 0;
    for (uint32_t tries = 0; atomic_load_explicit(&s->promised, memory_order_acquire); tries++) {
        if (tries < 1000) {
            for (int i = 0; i < 4; i++)
                wf_line_wait();
            continue;
        }
        uint64_t now = wf_clock_ticks();
        since = since ? since : now;
        if ((double)(now - since) * wf_feed_common.ns_per_tick > (double)patience_ns) {
            patience_ns /= 16;
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
    write_begins(f);
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
    set_stretch(f, d->site);
    if (__builtin_expect(wf_feed_common.hosts, 0))
        write_keys(f);
    write_ends(f);
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
    struct wf_feed_due d = {.site = site, .arrival_virt = arrival_virt, .end_virt = end_virt, .waited = waited, .now = clock_at(f, end_virt)};
    if (f->part_count == 1 && f->parts[0].release && is_followed_by_send(f)) {
        f->due = d;
        return false;
    }
    end(f, &d);
    release_parts(f);
    return true;
}

/* ---- beginning and end ---- */

static uint32_t places(void)
{
    return wf_feed_common.size < MAX_PLACES ? wf_feed_common.size : MAX_PLACES;
}

static bool make_state(struct wf_feed *f)
{
    uint32_t capacity = WF_PATH_FIRST + wf_feed_common.regions;
    size_t bytes = (wf_path_bytes(capacity, places()) + 7) / 8 * 8;
    size_t key_bytes = wf_feed_common.hosts ? capacity * sizeof *f->keys : 0;
    size_t chunk_bytes = (sizeof *f->record + bytes + key_bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    struct wf_chunk *chunk = wf_segment_add(&wf_process.segment, WF_CHUNK_PATH, f->lane->offset, (uint32_t)chunk_bytes, chunk_bytes);
    f->scratch = chunk ? wf_lane_pages(sizeof(struct wf_shown) + bytes) : NULL;
    f->parts = f->scratch ? wf_lane_pages(MAX_PARTS * sizeof *f->parts) : NULL;
    if (!f->parts)
        return false;
    f->record = (struct wf_path_record *)(chunk + 1);
    f->path = (struct wf_path *)(f->record + 1);
    f->keys = (uint64_t *)((char *)f->path + bytes);
    f->record->state_bytes = (uint32_t)bytes;
    f->record->weight = wf_feed_common.cpu ? WF_PATH_CPU : WF_PATH_ELAPSED;
    f->record->thread = wf_feed_common.threads++;
    wf_path_init(f->path, capacity, places(), wf_feed_common.rank * places() / wf_feed_common.size);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return true;
}

static struct wf_feed *new_feed(struct wf_lane *lane)
{
    struct wf_feed *f = wf_lane_pages(sizeof *f);
    if (!f)
        return NULL;
    f->lane = lane;
    if (!make_state(f))
        return NULL;
    f->trace = wf_trace_open(wf_feed_common.rank, f->record->thread);
    return f;
}

/* A thread that comes later has not been on the path so far, as far as is known: its own begins with its process's, and all of it is computing. */
struct wf_feed *wf_feed_open(struct wf_lane *lane)
{
    static atomic_flag opening = ATOMIC_FLAG_INIT;
    uint64_t since = wf_clock_ticks();
    while (atomic_flag_test_and_set_explicit(&opening, memory_order_acquire))
        ;
    struct wf_feed *f = new_feed(lane);
    atomic_flag_clear_explicit(&opening, memory_order_release);
    if (!f) {
        wf_feed_wanted = false; /* no room for it: others go on with theirs */
        return NULL;
    }
    uint32_t epoch = wf_agree_epoch();
    uint32_t own = atomic_load_explicit(&wf_feed_common.epoch, memory_order_acquire);
    epoch = epoch > own ? epoch : own;
    uint64_t virt = epoch == own ? atomic_load_explicit(&wf_feed_common.start_virt, memory_order_relaxed) : virt_now(lane);
    if (epoch)
        change_epoch(f, epoch, virt, wf_feed_common.cpu ? cpu_now(f) : (int64_t)virt);
    lane->feed = f;
    wf_lane_charge(lane, since);
    return f;
}

static uint32_t wanted_regions(void)
{
    const char *text = getenv("WEFT_PATH_REGIONS"); /* weft run has checked it */
    return text && *text ? (uint32_t)strtoul(text, NULL, 10) : DEFAULT_REGIONS;
}

void wf_feed_start(int rank, int size, bool hosts, uint64_t virt)
{
    const char *wish = getenv("WEFT_PATH"), *weight = getenv("WEFT_PATH_WEIGHT");
    const struct wf_segment_header *header = wf_process.segment.header;
    struct wf_lane *lane = weft_tls.lane;
    if (!lane || (wish && strcmp(wish, "off") == 0))
        return;
    wf_feed_common.rank = (uint32_t)rank;
    wf_feed_common.size = (uint32_t)size;
    wf_feed_common.hosts = hosts;
    wf_feed_common.regions = wanted_regions();
    wf_feed_common.cpu = weight && strcmp(weight, "cpu") == 0;
    wf_feed_common.ns_per_tick = (double)(header->ns1 - header->ns0) / (double)(header->tick1 - header->tick0);
    wf_feed_common.epoch = wish && strcmp(wish, "later") == 0 ? 0 : wf_epoch_start(0, 0);
    wf_feed_common.start_virt = virt;
    uint64_t since = wf_clock_ticks();
    wf_feed_wanted = wf_agree_start(wf_feed_common.regions) == 0;
    wf_lane_charge(lane, since);
    struct wf_feed *f = wf_feed_wanted ? wf_feed_open(lane) : NULL;
    if (f && !hosts) {
        f->refine_after = (uint64_t)(REFINE_NS / wf_feed_common.ns_per_tick);
        f->refine_at = wf_clock_ticks() + f->refine_after;
    }
}

void wf_feed_ask(bool start)
{
    struct wf_lane *lane = weft_tls.lane;
    struct wf_feed *f = lane ? lane->feed : NULL;
    if (!f)
        return;
    uint32_t refined = wf_epoch_refined(wf_agree_epoch());
    wf_feed_common.starts += start;
    wf_registry_ask(wf_registry, start ? wf_epoch_start(wf_feed_common.starts, refined) : wf_epoch_stop(wf_feed_common.starts));
    uint64_t virt = virt_now(lane);
    end_what_is_due(f);
    release_parts(f);
    write_begins(f);
    look_for_epoch(f, virt, clock_at(f, virt));
    write_ends(f);
}

void wf_feed_told(int start)
{
    wf_feed_ask(start != 0);
}

void wf_feed_paused(struct wf_lane *lane)
{
    struct wf_feed *f = lane ? lane->feed : NULL;
    if (!f)
        return;
    uint64_t virt = virt_now(lane);
    int64_t now = clock_at(f, virt);
    end_what_is_due(f);
    release_parts(f);
    write_begins(f);
    wf_path_advance(f->path, now);
    count_regions(f, virt, now);
    write_ends(f);
}

void wf_feed_resumed(struct wf_lane *lane)
{
    struct wf_feed *f = lane ? lane->feed : NULL;
    if (!f)
        return;
    uint64_t virt = virt_now(lane);
    write_begins(f);
    if (lane->visits.used)
        wf_counted_tell(&f->counted, lane, f->path->epoch, virt, NULL);
    wf_path_skip(f->path, clock_at(f, virt));
    write_ends(f);
}

static void trace_values(struct wf_feed *f, int64_t now)
{
    struct wf_path *p = f->path;
    wf_trace_line(f->trace, "F %lld", (long long)now);
    wf_trace_line(f->trace, "L %lld", (long long)p->length);
    for (uint32_t slot = 0; slot < p->used; slot++) {
        int32_t row = wf_path_row(slot, WF_PATH_OWN), all_row = wf_path_row(slot, WF_PATH_ALL);
        const int64_t *share = wf_path_shares(p), *own = wf_path_savings(p) + row * WF_PATH_STEPS, *all = wf_path_savings(p) + all_row * WF_PATH_STEPS;
        wf_trace_line(f->trace, "H %u %lld %lld", slot, (long long)share[row], (long long)share[all_row]);
        wf_trace_line(f->trace, "V %u %lld %lld %lld %lld %lld %lld %lld %lld", slot, (long long)own[0], (long long)own[1], (long long)own[2],
                      (long long)own[3], (long long)all[0], (long long)all[1], (long long)all[2], (long long)all[3]);
    }
    for (uint32_t place = 0; place < p->places; place++)
        wf_trace_line(f->trace, "R %u %lld %lld", place, (long long)wf_path_places(p)[2 * place], (long long)wf_path_places(p)[2 * place + 1]);
    wf_trace_flush(f->trace);
}

/* Counts everything up to now. */
static void close_state(struct wf_feed *f, uint64_t virt, bool ended)
{
    int64_t now = clock_at(f, virt);
    end_what_is_due(f);
    release_parts(f);
    write_begins(f);
    look_for_epoch(f, virt, now);
    wf_path_advance(f->path, now);
    count_regions(f, virt, now);
    wf_path_sample(f->path, now, &((struct wf_shown *)f->scratch)->path);
    f->record->ended = ended;
    write_ends(f);
    if (f->trace)
        trace_values(f, now);
}

void wf_feed_thread_ends(struct wf_lane *lane)
{
    if (lane->feed && !wf_process.paused)
        close_state(lane->feed, virt_now(lane), false);
}

void wf_feed_finish(struct wf_lane *lane, uint64_t virt)
{
    if (lane && lane->feed) {
        close_state(lane->feed, virt, true);
        lane->feed = NULL;
    }
    wf_feed_wanted = false;
}
