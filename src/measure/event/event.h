/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of events. An event is what is known of one watched call when it is settled: a value on the stack of the
 * thread that made the call. wf_event_take hands it to all that keep something of it, one after another: the
 * statement's statistics, the critical path, the waits, the partner's record. A recorder of events would be one more.
 * call.h has the call itself, from its entry to its end; calibration.c measures what watching it costs.
 *
 * Nothing here is global. The room may use base/, format/, guest/, clock/, record/, process/ and path/.
 */
#ifndef WF_EVENT_H
#define WF_EVENT_H

#include "measure/clock/virtual.h"
#include "measure/path/feed.h"
#include "measure/process/process.h"
#include "measure/record/lane.h"

struct wf_event {
    struct wf_site *site;      /* the statement */
    uint64_t begin, end;       /* in real time, around the real function */
    uint64_t begin_virt;       /* its begin without the cost of watching */
    struct wf_times times;     /* how long it took, and how much of that it waited or was idle */
    struct wf_idle_ticks idle; /* where times.idle is not 0: its parts */
    struct wf_virtual after;   /* the thread's intrusion and lag at its end */

    uint64_t arrival_virt;        /* when the latest of those had arrived that it depended on; 0: it depended on none */
    int32_t culprit;              /* where times.sync is not 0: the rank that was waited for, */
    uint32_t wait;                /* how such a wait is called (enum wf_wait_kind), */
    uint64_t through;             /* and the culprit's own statement; */
    const struct wf_roots *roots; /* whose work was behind it; NULL: the culprit's, as far as is known */

    int32_t partner; /* the rank that it concerned, or one of the WF_PARTNER_ values */
    bool shared;     /* or several: each one's part is counted by itself (wf_event_count_part) */
    uint64_t num, bytes;
};

/* `parts` of the transfer in `all`, of `of`; waiting is not shared. */
static inline struct wf_times wf_times_share(const struct wf_times *all, unsigned parts, unsigned of)
{
    return (struct wf_times){.raw = wf_times_transfer_raw(all) * parts / of,
                             .virt = wf_times_transfer(all) * parts / of};
}

static inline struct wf_times wf_times_rest(const struct wf_times *all, const struct wf_times *part)
{
    return (struct wf_times){.raw = all->raw - part->raw,
                             .virt = all->virt - part->virt,
                             .sync_raw = all->sync_raw,
                             .sync = all->sync,
                             .idle = all->idle};
}

/* The statement's record, the thread's sums, and the region that the statement stands in. */
static inline __attribute__((always_inline)) void wf_event_count_statement(struct wf_lane *lane,
                                                                           const struct wf_event *e)
{
    struct wf_site_record *site = e->site->record;
    struct wf_lane_record *sums = lane->record;
    struct weft_visit_ *around = lane->probes.top->visit;
    site->calls++;
    site->ticks_raw += e->times.raw;
    site->ticks_virtual += e->times.virt;
    if (e->times.raw > site->max_ticks)
        site->max_ticks = e->times.raw;
    around->inner += e->times.raw;
    around->inner_virtual += e->times.virt;
    if (__builtin_expect(e->site == &lane->muted, 0))
        return;
    sums->events++;
    sums->mpi_ticks += e->times.raw;
    sums->mpi_virtual_ticks += e->times.virt;
    sums->sync_ticks += e->times.sync;
    sums->sync_raw_ticks += e->times.sync_raw;
    if (__builtin_expect(e->site == &lane->lost, 0)) {
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_sites, 1, memory_order_relaxed);
        atomic_fetch_add_explicit(&wf_process.segment.header->dropped_sites_ticks, e->times.raw, memory_order_relaxed);
    }
}

/* Nothing of a call's idle time is known to be transfer. Most calls have none. */
static inline __attribute__((always_inline)) void wf_event_count_idle(struct wf_lane *lane, const struct wf_event *e)
{
    struct wf_idle_ticks *all[] = {&lane->record->idle, &e->site->record->idle};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        wf_idle_ticks_add(all[i], &e->idle);
    }
}

/* False: the path does it later (path/feed.h), or the event is not on it. */
static inline __attribute__((always_inline)) bool wf_event_end_path(struct wf_feed *feed, const struct wf_event *e)
{
    return feed &&
           wf_feed_end(feed, e->site, e->arrival_virt, e->begin_virt + e->times.virt, e->times.sync, e->times.idle);
}

static inline __attribute__((always_inline)) void wf_event_count_wait(struct wf_lane *lane, const struct wf_event *e)
{
    struct wf_wait_record *wait = e->site->last_wait;
    if (e->times.sync == 0 || e->site == &lane->muted)
        return;
    if (wait->culprit != e->culprit || wait->address != e->through || wait->kind != e->wait) {
        wait = wf_lane_wait(lane, e->site, e->culprit, e->wait, e->through);
        if (!wait)
            return;
    }
    wait->num++;
    wait->raw_ticks += e->times.sync_raw;
    wait->virtual_ticks += e->times.sync;
    if (e->times.sync > wait->max_virtual_ticks)
        wait->max_virtual_ticks = e->times.sync;
    if (__builtin_expect(e->roots != NULL, 0))
        wf_lane_count_roots(lane, e->site, wait, e->roots);
}

/* One partner's part of a shared event. */
static inline void wf_event_count_part(struct wf_lane *lane, const struct wf_event *e, int32_t partner, uint64_t num,
                                       uint64_t bytes, const struct wf_times *times)
{
    wf_lane_count(lane, e->site, partner, num, bytes, times);
}

/* True: the critical path has it, too; else that is done later, or `feed` is NULL. */
static inline __attribute__((always_inline)) bool wf_event_take(struct wf_lane *lane, struct wf_feed *feed,
                                                                const struct wf_event *e)
{
    wf_event_count_statement(lane, e);
    if (__builtin_expect(e->times.idle != 0, 0) && e->site != &lane->muted)
        wf_event_count_idle(lane, e);
    bool fed = wf_event_end_path(feed, e);
    wf_event_count_wait(lane, e);
    if (!e->shared)
        wf_lane_count(lane, e->site, e->partner, e->num, e->bytes, &e->times);
    return fed;
}

#endif
