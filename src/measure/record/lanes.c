/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/lanes.h"

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/quiet.h"

struct wf_lanes wf_lanes;

static struct wf_lane *lanes_take_free(void)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    struct wf_lane *lane = wf_lanes.free;
    if (lane)
        wf_lanes.free = lane->next_free;
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
    return lane;
}

void wf_lane_revoke(struct wf_lane *lane)
{
    const struct wf_lent *lent = lane->lent.memory;
    for (uint32_t i = 0; i < lane->lent_count; i++)
        __atomic_store_n(lent[i].slot, NULL, __ATOMIC_RELAXED);
}

void wf_lane_release(struct wf_lane *lane)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    wf_lane_revoke(lane);
    lane->lent_count = 0;
    lane->polling = false;
    if (lane->needs) {
        atomic_store_explicit(&lane->needs->mode, WF_NEEDS_RUNNING, memory_order_relaxed);
        atomic_store_explicit(&lane->needs->thread_id, 0, memory_order_relaxed);
    }
    lane->released = 0;
    lane->next_free = wf_lanes.free;
    wf_lanes.free = lane;
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

/* Remembered, because a pause or a forked child must take it back. */
static void lane_lend(struct wf_lane *lane, struct weft_lane_ **slot, uintptr_t inside)
{
    struct wf_lent *lent = lane->lent.memory;
    uint32_t i = 0;
    while (i < lane->lent_count && lent[i].slot != slot)
        i++;
    if (i == lane->lent_count) {
        if (!wf_pages_reserve(&lane->lent, (i + 1) * sizeof *lent))
            return;
        lent = lane->lent.memory;
        lent[lane->lent_count++] = (struct wf_lent){.slot = slot, .inside = inside};
    }
    *slot = &lane->probes;
}

void wf_lane_lend(struct wf_lane *lane, struct weft_lane_ **slot, uintptr_t inside)
{
    struct wf_quiet quiet;
    if (*slot == &lane->probes)
        return;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    if (!atomic_load(&lane->attention))
        lane_lend(lane, slot, inside);
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

/* Where the library's thread-local variable was may be that of a later library. */
static void lane_forget_lent(struct wf_lane *lane, uintptr_t start, uintptr_t end)
{
    struct wf_lent *lent = lane->lent.memory;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lane->lent_count; i++)
        if (lent[i].inside < start || lent[i].inside >= end)
            lent[kept++] = lent[i];
    lane->lent_count = kept;
}

void wf_lane_module_closed(uintptr_t start, uintptr_t end)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    for (struct wf_lane *lane = wf_lanes.first; lane; lane = lane->next) {
        lane_forget_lent(lane, start, end);
        atomic_fetch_or(&lane->attention, WF_ATTEND_CLOSED);
        wf_lane_revoke(lane);
    }
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

/* A lane that is new to its thread begins with what holds for all. */
static void lanes_join(struct wf_lane *lane, bool fresh)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &wf_lanes.lock);
    if (fresh) {
        lane->next = wf_lanes.first;
        wf_lanes.first = lane;
    }
    if (lane->segment->header->paused_since_ticks)
        atomic_fetch_or(&lane->attention, WF_ATTEND_PAUSED);
    lane->pause_ticks = 0;
    atomic_fetch_and(&lane->attention, ~(uint32_t)WF_ATTEND_RESUMED);
    wf_quiet_unlock(&quiet, &wf_lanes.lock);
}

struct wf_lane *wf_lane_acquire(struct wf_segment *segment)
{
    struct wf_lane *lane = lanes_take_free();
    bool fresh = !lane;
    if (fresh)
        lane = wf_lane_new(segment);
    if (lane) {
        lanes_join(lane, fresh);
        lane->record->thread_id = (uint32_t)syscall(SYS_gettid);
        if (lane->needs)
            atomic_store_explicit(&lane->needs->thread_id, lane->record->thread_id, memory_order_relaxed);
    } else {
        atomic_fetch_add(&segment->header->dropped_lanes, 1);
    }
    return lane;
}
