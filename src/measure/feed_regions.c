/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which regions a thread's path is in, and which part of the run it is of.
 */
#include "measure/agree.h"
#include "measure/feed_state.h"
#include "measure/front.h"
#include "measure/probe.h"

/* ---- regions ---- */

/* The statement, and the computing behind it; in a program whose procedures are known, those stand for that. */
void wf_feed_find_slots(struct wf_feed *f, struct wf_site *site)
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

static void hear(void *context, uint32_t slot, int64_t own, int64_t all)
{
    wf_trace_line(context, "A %u %lld %lld 1", slot, (long long)own, (long long)all);
}

void wf_feed_count_regions(struct wf_feed *f, uint64_t virt, int64_t now)
{
    if (!f->lane->visit_count)
        return;
    struct wf_counted_to to = {.path = f->path, .scale = 1, .heard = f->trace ? hear : NULL, .context = f->trace};
    if (wf_feed_common.cpu)
        to.scale = virt > f->scale_virt ? (double)(now - f->scale_from) / (double)(virt - f->scale_virt) : 0;
    wf_counted_tell(&f->counted, f->lane, f->path->epoch, virt, wf_path_is_on(f->path) ? &to : NULL);
}

void wf_feed_enter_regions(struct wf_feed *f, int64_t now)
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

void wf_feed_set_stretch(struct wf_feed *f, struct wf_site *site)
{
    uint32_t slot = WF_PATH_OTHER;
    f->behind = site;
    if (site) {
        wf_feed_need_slots(f, site);
        slot = site->path_stretch;
    }
    wf_path_stretch(f->path, slot, f->path->since);
    if (f->trace)
        wf_trace_line(f->trace, "G %u", slot);
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
static void note_start(uint32_t epoch, uint64_t virt)
{
    if (epoch <= atomic_load_explicit(&wf_feed_common.epoch, memory_order_relaxed))
        return;
    atomic_store_explicit(&wf_feed_common.start_virt, virt, memory_order_relaxed);
    atomic_store_explicit(&wf_feed_common.epoch, epoch, memory_order_release);
}

void wf_feed_change_epoch(struct wf_feed *f, uint32_t epoch, uint64_t virt, int64_t now)
{
    wf_feed_trace_epoch(f, epoch, now);
    wf_path_adopt(f->path, epoch, now);
    if (epoch & 1) {
        f->record->start_virtual = virt;
        note_start(epoch, virt);
    } else {
        f->record->stop_virtual = virt;
    }
    wf_counted_renew(&f->counted, epoch);
    wf_feed_set_stretch(f, f->behind);
}

void wf_feed_look_for_epoch(struct wf_feed *f, uint64_t virt, int64_t now)
{
    uint32_t epoch = wf_agree_epoch();
    if (__builtin_expect(epoch <= f->path->epoch, 1))
        return;
    wf_path_advance(f->path, now);
    wf_feed_count_regions(f, virt, now);
    wf_feed_change_epoch(f, epoch, virt, now);
}

void wf_feed_refine(struct wf_feed *f)
{
    uint64_t now = wf_clock_ticks();
    if (now < f->refine_at)
        return;
    f->refine_after *= 2;
    f->refine_at = now + f->refine_after;
    if (wf_agree_is_leader())
        wf_agree_refine(wf_path_shares(f->path), f->path->epoch);
}
