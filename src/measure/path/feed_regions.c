/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which regions a thread's path is in, and which part of the run it is of.
 */
#include <stdlib.h>
#include <string.h>

#include "measure/path/registry.h"
#include "measure/path/feed_state.h"
#include "measure/record/lanes.h"
#include "measure/record/mpi_calls.h"

#define REFINE_NS 50000000 /* slots are looked at so often, and seldomer if many have changed */

/* A region gets a slot if its share is so many times that of the region that has it, and more than one such part of the
 * path. */
enum { MUCH_MORE = 2, LITTLE = 200, CHANGES = 16 /* at once */ };

/* ---- regions ---- */

/* The statement, and the computing behind it; in a program whose procedures are known, those stand for that. */
static void feed_find_regions(struct wf_site *site)
{
    if (!site->offset || !wf_registry_selects(wf_mpi_call_name(site->call), ""))
        return;
    if (site->path_region == 0)
        site->path_region = wf_registry_region(wf_hash_mix(wf_region_times_place(1, site->address), site->call), true);
    if (site->path_stretch_region == 0 && !wf_lanes.have_procedures)
        site->path_stretch_region =
            wf_registry_region(wf_hash_mix(wf_region_times_place(2, site->address), site->call), false);
    site->record->path_number = site->path_region & ~WF_PATH_STATEMENT;
    site->record->path_stretch = site->path_stretch_region;
}

void wf_feed_find_slots(struct wf_feed *f, struct wf_site *site)
{
    feed_find_regions(site);
    uint32_t slot = wf_registry_slot(site->path_region, f->path->map);
    site->path_slot = (uint16_t)(slot == WF_PATH_OTHER ? WF_PATH_TRANSFER : slot);
    site->path_stretch = (uint16_t)wf_registry_slot(site->path_stretch_region, f->path->map);
    site->path_map = f->path->map;
}

static void feed_hear(void *context, uint32_t slot, uint32_t region, int64_t own, int64_t all)
{
    wf_trace_line(context, "A %u %lld %lld 1 %u", slot, (long long)own, (long long)all, region);
}

void wf_feed_count_regions(struct wf_feed *f, uint64_t virt, int64_t now)
{
    if (!f->lane->visit_count)
        return;
    struct wf_region_times_to to = {
        .path = f->path, .scale = 1, .heard = f->trace ? feed_hear : NULL, .context = f->trace};
    if (wf_feed_common.cpu)
        to.scale = virt > f->scale_virt ? (double)(now - f->scale_from) / (double)(virt - f->scale_virt) : 0;
    wf_region_times_tell(&f->counted, f->lane, f->path->map, virt, wf_path_is_on(f->path) ? &to : NULL);
}

void wf_feed_enter_regions(struct wf_feed *f, int64_t now)
{
    for (uint32_t i = 0; i < f->counted.depth; i++) {
        const struct wf_region_times_visit *v = f->counted.open[i];
        if (!v || v->slot == WF_PATH_OTHER)
            continue;
        wf_path_enter(f->path, v->slot, now);
        if (f->trace)
            wf_trace_line(f->trace, "E %u", v->slot);
    }
}

void wf_feed_set_stretch(struct wf_feed *f, struct wf_site *site)
{
    uint32_t slot = WF_PATH_OTHER, region = 0;
    f->behind = site;
    if (site) {
        wf_feed_need_slots(f, site);
        slot = site->path_stretch;
        region = site->path_stretch_region;
    }
    wf_path_stretch(f->path, slot, f->path->since);
    if (__builtin_expect(slot == WF_PATH_OTHER, 0))
        wf_path_around(f->path, region);
    if (f->trace)
        wf_trace_line(f->trace, "G %u %u", slot, region);
}

void wf_feed_note_beginning(struct wf_feed *f, int64_t now)
{
    if (!f->behind && !wf_lanes.have_procedures && wf_path_is_on(f->path) && !f->path->inside && now > f->path->since)
        f->record->beginning += (uint64_t)(now - f->path->since);
}

/* ---- epochs ---- */

void wf_feed_trace_epoch(struct wf_feed *f, uint32_t epoch, int64_t now)
{
    if (f->trace && epoch & 1)
        wf_trace_line(f->trace, "I %u %u %u %lld", wf_feed_common.rank, f->record->thread, epoch, (long long)now);
    else if (f->trace)
        wf_trace_line(f->trace, "Z %u %lld", epoch, (long long)now);
}

/* For threads that come later. Two at once: either will do. */
static void feed_note_start(uint32_t epoch, uint64_t virt)
{
    if (epoch <= atomic_load_explicit(&wf_feed_common.epoch, memory_order_relaxed))
        return;
    atomic_store_explicit(&wf_feed_common.start_virt, virt, memory_order_relaxed);
    atomic_store_explicit(&wf_feed_common.epoch, epoch, memory_order_release);
}

static void feed_change_epoch(struct wf_feed *f, uint32_t epoch, uint64_t virt, int64_t now)
{
    wf_feed_trace_epoch(f, epoch, now);
    wf_path_adopt(f->path, epoch, now);
    if (epoch & 1) {
        f->record->start_virtual = virt;
        f->record->beginning = 0;
        feed_note_start(epoch, virt);
    } else {
        f->record->stop_virtual = virt;
    }
}

static void feed_change_map(struct wf_feed *f, uint32_t map, int64_t now)
{
    wf_path_leave_all(f->path, now);
    while (f->path->map < map) {
        struct wf_registry_change c = wf_registry_change(f->path->map);
        wf_path_reassign(f->path, c.slot, c.from, c.to);
        if (f->trace)
            wf_trace_line(f->trace, "M %u %u %u %u %lld", f->path->map, c.slot, c.from, c.to, (long long)now);
        if (c.slot < f->record->key_count)
            f->keys[c.slot] = wf_registry_key(c.to & ~WF_PATH_STATEMENT);
    }
}

void wf_feed_change(struct wf_feed *f, uint32_t epoch, uint32_t map, uint64_t virt, int64_t now)
{
    if (epoch > f->path->epoch)
        feed_change_epoch(f, epoch, virt, now);
    if (map > f->path->map)
        feed_change_map(f, map, now);
    wf_region_times_renew(&f->counted, map);
    wf_feed_set_stretch(f, f->behind);
}

void wf_feed_take_news(struct wf_feed *f, uint64_t virt, int64_t now)
{
    uint32_t epoch = wf_registry_epoch(), map = wf_registry_map();
    if (epoch <= f->path->epoch && map <= f->path->map)
        return;
    wf_path_advance(f->path, now);
    wf_feed_count_regions(f, virt, now);
    wf_feed_change(f, epoch, map, virt, now);
}

/* ---- which regions get slots ---- */

/* Also what its region had before it got the slot. */
static int64_t feed_value_of(struct wf_path *p, uint32_t slot)
{
    int64_t own = slot < p->used ? wf_path_shares(p)[wf_path_row(slot, WF_PATH_OWN)] : 0;
    for (uint32_t i = 0; i < p->listed; i++)
        if ((p->list[i].region & ~WF_PATH_STATEMENT) == wf_path_regions(p)[slot])
            own += p->list[i].share;
    int64_t all = slot < p->all_used ? wf_path_shares(p)[wf_path_row(slot, WF_PATH_ALL)] : 0;
    return own > all ? own : all;
}

static bool feed_is_among(uint32_t slot, const uint32_t *slots, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] == slot)
            return true;
    return false;
}

/* `given`: those that have just been given away. */
static uint32_t feed_least_slot(struct wf_path *p, const uint32_t *given, uint32_t count)
{
    uint32_t least = WF_PATH_OTHER;
    for (uint32_t slot = WF_PATH_FIRST; slot < p->capacity; slot++)
        if ((least == WF_PATH_OTHER || feed_value_of(p, slot) < feed_value_of(p, least)) &&
            !feed_is_among(slot, given, count))
            least = slot;
    return least;
}

static int feed_listed_by_share(const void *left, const void *right)
{
    int64_t a = ((const struct wf_path_listed *)left)->share, b = ((const struct wf_path_listed *)right)->share;
    return (a < b) - (a > b);
}

/* The regions with the largest shares get the slots with the least. */
static void feed_give_slots(struct wf_path *p)
{
    struct wf_path_listed list[WF_PATH_LISTED];
    uint32_t given[CHANGES];
    memcpy(list, p->list, p->listed * sizeof *list);
    qsort(list, p->listed, sizeof *list, feed_listed_by_share);
    for (uint32_t i = 0, count = 0; i < p->listed && count < CHANGES; i++) {
        if (wf_registry_slot(list[i].region, p->map) != WF_PATH_OTHER)
            continue;
        uint32_t slot = feed_least_slot(p, given, count);
        if (slot == WF_PATH_OTHER || list[i].share <= MUCH_MORE * feed_value_of(p, slot) ||
            list[i].share <= p->length / LITTLE)
            return;
        uint32_t number = wf_path_regions(p)[slot];
        uint32_t from = wf_registry_region_of_key(wf_registry_key(number));
        if ((number && !from) || !wf_registry_change_add((struct wf_registry_change){slot, from, list[i].region}))
            return;
        given[count++] = slot;
    }
}

void wf_feed_refine(struct wf_feed *f)
{
    uint64_t now = wf_clock_ticks(), next = 0;
    if (wf_registry_may_look(now, &next, (uint64_t)(REFINE_NS / wf_feed_common.ns_per_tick)) &&
        wf_registry_change_begin(f->path->map)) {
        feed_give_slots(f->path);
        wf_registry_change_end();
    }
    f->look_virt = f->begin_virt + (next > now ? next - now : 0);
}
