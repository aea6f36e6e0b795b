/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a thread's path begins, pauses and ends.
 */
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"
#include "measure/guest/guard.h"
#include "base/memory.h"
#include "measure/guest/settings.h"
#include "measure/path/registry.h"
#include "measure/path/feed_state.h"
#include "measure/process/process.h"

#define MAX_PLACES 64u /* of more ranks than this, several share a place */
#define DEFAULT_REGIONS 64u

bool wf_feed_wanted;
size_t wf_feed_room = sizeof(struct wf_shown);

struct wf_feed_common wf_feed_common;

static uint32_t feed_places(void)
{
    return wf_feed_common.size < MAX_PLACES ? wf_feed_common.size : MAX_PLACES;
}

static bool feed_make_state(struct wf_feed *f)
{
    uint32_t capacity = WF_PATH_FIRST + wf_feed_common.regions;
    size_t bytes = (wf_path_bytes(capacity, feed_places()) + 7) / 8 * 8;
    size_t key_bytes = wf_feed_common.hosts ? capacity * sizeof *f->keys : 0;
    size_t chunk_bytes =
        (sizeof *f->record + bytes + key_bytes + WF_SEGMENT_UNIT - 1) / WF_SEGMENT_UNIT * WF_SEGMENT_UNIT;
    struct wf_chunk *chunk =
        wf_segment_add(&wf_process.segment, WF_CHUNK_PATH, f->lane->offset, (uint32_t)chunk_bytes, chunk_bytes);
    f->scratch = chunk ? wf_memory_pages(sizeof(struct wf_shown) + 2 * bytes) : NULL;
    f->parts = f->scratch ? wf_memory_pages(WF_FEED_PARTS * sizeof *f->parts) : NULL;
    if (!f->parts)
        return false;
    f->record = (struct wf_path_record *)(chunk + 1);
    f->path = (struct wf_path *)(f->record + 1);
    f->keys = (uint64_t *)((char *)f->path + bytes);
    f->record->state_bytes = (uint32_t)bytes;
    f->record->weight = wf_feed_common.cpu ? WF_PATH_CPU : WF_PATH_ELAPSED;
    f->record->thread = wf_feed_common.threads++;
    f->other = (struct wf_path *)((char *)f->scratch + sizeof(struct wf_shown) + bytes);
    f->other->capacity = (uint16_t)capacity;
    f->other->places = (uint16_t)feed_places();
    wf_path_init(f->path, capacity, feed_places(), wf_feed_common.rank * feed_places() / wf_feed_common.size);
    atomic_store_explicit(&chunk->count, 1, memory_order_release);
    return true;
}

static struct wf_feed *feed_new(struct wf_lane *lane)
{
    struct wf_feed *f = wf_memory_pages(sizeof *f);
    if (!f)
        return NULL;
    f->lane = lane;
    if (!feed_make_state(f))
        return NULL;
    f->trace = wf_trace_open(wf_feed_common.rank, f->record->thread);
    return f;
}

/* What regions have had before does not count; not known: it is not known how much that is. */
static void feed_begin_at(struct wf_feed *f, uint32_t epoch, uint64_t virt, bool known)
{
    int64_t now = wf_feed_clock_at(f, virt);
    f->scale_virt = virt;
    f->scale_from = now;
    if (known && f->lane->visit_count)
        wf_region_times_tell(&f->counted, f->lane, f->path->map, virt, NULL);
    wf_feed_change(f, epoch, wf_registry_map(), virt, now);
}

/* A thread that comes later has not been on the path so far, as far as is known: its own begins with its process's, and
 * all of it is computing. */
struct wf_feed *wf_feed_open(struct wf_lane *lane)
{
    static struct wf_lock opening;
    static bool full; /* the lock's: no room for one more, others go on with theirs */
    uint64_t since = wf_clock_ticks();
    wf_lock_take(&opening);
    struct wf_feed *f = full ? NULL : feed_new(lane);
    full = !f;
    wf_lock_give(&opening);
    if (!f)
        return NULL;
    uint32_t epoch = wf_registry_epoch();
    uint32_t own = atomic_load_explicit(&wf_feed_common.epoch, memory_order_acquire);
    epoch = epoch > own ? epoch : own;
    uint64_t virt =
        epoch == own ? atomic_load_explicit(&wf_feed_common.start_virt, memory_order_relaxed) : wf_feed_virt_now(lane);
    feed_begin_at(f, epoch, virt, epoch != own || f->record->thread == 0);
    lane->feed = f;
    wf_lane_charge(lane, since);
    return f;
}

static uint32_t feed_wanted_regions(void)
{
    const char *text = wf_settings.path_regions; /* weft run has checked it */
    return *text ? (uint32_t)strtoul(text, NULL, 10) : DEFAULT_REGIONS;
}

void wf_feed_start(int rank, int size, bool hosts, uint64_t virt)
{
    const char *wish = wf_settings.path;
    const struct wf_segment_header *header = wf_process.segment.header;
    struct wf_lane *lane = weft_tls.lane;
    if (!lane || strcmp(wish, "off") == 0)
        return;
    wf_feed_common.rank = (uint32_t)rank;
    wf_feed_common.size = (uint32_t)size;
    wf_feed_common.hosts = hosts;
    wf_feed_common.regions = feed_wanted_regions();
    wf_feed_common.cpu = strcmp(wf_settings.path_weight, "cpu") == 0;
    wf_feed_common.ns_per_tick = (double)(header->ns1 - header->ns0) / (double)(header->tick1 - header->tick0);
    wf_feed_common.epoch = strcmp(wish, "later") == 0 ? 0 : wf_epoch_start(0);
    wf_feed_common.start_virt = virt;
    wf_feed_room =
        offsetof(struct wf_shown, path) + wf_path_snapshot_bytes(WF_PATH_FIRST + wf_feed_common.regions, feed_places());
    uint64_t since = wf_clock_ticks();
    wf_feed_wanted = wf_registry_open(wf_feed_common.regions) == 0;
    wf_lane_charge(lane, since);
    if (!wf_feed_wanted)
        return;
    wf_feed_open(lane);
    wf_registry_ask(wf_registry, wf_feed_common.epoch); /* so that it can be stopped from outside */
}

void wf_feed_ask(bool start)
{
    struct wf_lane *lane = weft_tls.lane;
    struct wf_feed *f = lane ? lane->feed : NULL;
    if (!f)
        return;
    uint32_t starts = atomic_fetch_add(&wf_feed_common.starts, start) + start;
    wf_registry_ask(wf_registry, start ? wf_epoch_start(starts) : wf_epoch_stop(starts));
    uint64_t virt = wf_feed_virt_now(lane);
    wf_feed_catch_up(f);
    wf_feed_write_begins(f);
    wf_feed_look(f, virt, wf_feed_clock_at(f, virt));
    wf_feed_write_ends(f);
}

void wf_feed_told(int start)
{
    struct wf_guard guard;
    if (!wf_guard_enter(&guard))
        return;
    wf_feed_ask(start != 0);
    wf_guard_leave(&guard);
}

/* Not before its last call ended: that may have begun before a pause and ended in it. */
static uint64_t feed_virt_at(const struct wf_feed *f, uint64_t ticks)
{
    uint64_t virt = ticks - f->lane->probes.intrusion;
    return (int64_t)(virt - f->scale_virt) > 0 ? virt : f->scale_virt;
}

void wf_feed_paused(struct wf_lane *lane, uint64_t ticks)
{
    struct wf_feed *f = lane ? lane->feed : NULL;
    if (!f)
        return;
    wf_feed_catch_up(f);
    uint64_t virt = feed_virt_at(f, ticks);
    int64_t now = wf_feed_clock_at(f, virt);
    wf_feed_write_begins(f);
    wf_path_advance(f->path, now);
    wf_feed_count_regions(f, virt, now);
    wf_feed_write_ends(f);
}

void wf_feed_resumed(struct wf_lane *lane, uint64_t since, uint64_t ticks)
{
    struct wf_feed *f = lane ? lane->feed : NULL;
    if (!f)
        return;
    uint64_t virt = feed_virt_at(f, since + ticks);
    wf_feed_write_begins(f);
    if (lane->visit_count)
        wf_region_times_tell(&f->counted, lane, f->path->map, virt, NULL);
    wf_path_skip(f->path, wf_feed_clock_at(f, virt));
    wf_feed_write_ends(f);
}

void wf_feed_rested(struct wf_feed *f, uint64_t virt)
{
    int64_t now = wf_feed_clock_at(f, virt);
    wf_feed_catch_up(f);
    wf_feed_write_begins(f);
    if (f->lane->visit_count)
        wf_region_times_tell(&f->counted, f->lane, f->path->epoch, virt, NULL);
    wf_path_skip(f->path, now);
    f->scale_virt = virt;
    f->scale_from = now;
    if (f->trace)
        wf_trace_line(f->trace, "Q %lld", (long long)now);
    wf_feed_write_ends(f);
}

static void feed_trace_values(struct wf_feed *f, int64_t now)
{
    struct wf_path *p = f->path;
    wf_trace_line(f->trace, "F %lld", (long long)now);
    wf_trace_line(f->trace, "L %lld", (long long)p->length);
    for (uint32_t slot = 0; slot < p->used; slot++) {
        int32_t row = wf_path_row(slot, WF_PATH_OWN), all_row = wf_path_row(slot, WF_PATH_ALL);
        const int64_t *share = wf_path_shares(p), *own = wf_path_savings(p) + row * WF_PATH_STEPS,
                      *all = wf_path_savings(p) + all_row * WF_PATH_STEPS;
        wf_trace_line(f->trace, "H %u %lld %lld", slot, (long long)share[row], (long long)share[all_row]);
        wf_trace_line(f->trace, "V %u %lld %lld %lld %lld %lld %lld %lld %lld", slot, (long long)own[0],
                      (long long)own[1], (long long)own[2], (long long)own[3], (long long)all[0], (long long)all[1],
                      (long long)all[2], (long long)all[3]);
    }
    for (uint32_t i = 0; i < p->listed; i++)
        wf_trace_line(f->trace, "K %u %lld %lld", p->list[i].region, (long long)p->list[i].share,
                      (long long)p->list[i].weight);
    for (uint32_t place = 0; place < p->places; place++)
        wf_trace_line(f->trace, "R %u %lld %lld", place, (long long)wf_path_places(p)[2 * place],
                      (long long)wf_path_places(p)[2 * place + 1]);
    wf_trace_flush(f->trace);
}

/* Counts everything up to now. */
static void feed_close_state(struct wf_feed *f, uint64_t virt, bool ended)
{
    int64_t now = wf_feed_clock_at(f, virt);
    wf_feed_catch_up(f);
    wf_feed_write_begins(f);
    wf_feed_look(f, virt, now);
    wf_feed_note_beginning(f, now);
    wf_path_advance(f->path, now);
    wf_feed_count_regions(f, virt, now);
    wf_path_sample(f->path, now, &((struct wf_shown *)f->scratch)->path);
    f->record->ended = ended;
    wf_feed_write_ends(f);
    if (f->trace)
        feed_trace_values(f, now);
}

void wf_feed_thread_ends(struct wf_lane *lane)
{
    if (lane->feed && !wf_process.paused)
        feed_close_state(lane->feed, wf_feed_virt_now(lane), false);
}

void wf_feed_finish(struct wf_lane *lane, uint64_t virt)
{
    if (lane && lane->feed) {
        feed_close_state(lane->feed, virt, true);
        lane->feed = NULL;
    }
    wf_feed_wanted = false;
}
