/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The times of the ranks: their ticks in nanoseconds, on a clock that all ranks share.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/intern.h"
#include "collect/rank.h"

static uint64_t rank_begin_ticks(const struct wf_collected_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    if (header->init_end_ticks)
        return header->init_end_ticks;
    return header->init_begin_ticks ? header->init_begin_ticks : header->tick0;
}

static uint64_t rank_end_ticks(const struct wf_collected_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    if (header->finalize_begin_ticks)
        return header->finalize_begin_ticks;
    return header->end_ticks ? header->end_ticks : rank->seen_ticks;
}

static uint64_t rank_ticks_less(uint64_t ticks, uint64_t part)
{
    return ticks > part ? ticks - part : 0;
}

/* The same two in virtual time. A process that did not reach MPI_Finalize has the intrusion of its last call. */
static uint64_t rank_begin_virtual_ticks(const struct wf_collected_rank *rank)
{
    uint64_t ticks = rank->header->init_end_virtual_ticks;
    return rank->header->init_end_ticks && ticks ? ticks : rank_begin_ticks(rank);
}

static uint64_t rank_end_virtual_ticks(const struct wf_collected_rank *rank)
{
    uint64_t ticks = rank->header->finalize_begin_virtual_ticks;
    return rank->header->finalize_begin_ticks && ticks
               ? ticks
               : rank_ticks_less(rank_end_ticks(rank), rank->lanes.intrusion_ticks);
}

static int64_t rank_between_ns(const struct wf_collected_rank *rank, uint64_t from, uint64_t to)
{
    return wf_collected_rank_ticks_ns(rank, rank_ticks_less(to, from));
}

int64_t wf_collected_rank_ticks_ns(const struct wf_collected_rank *rank, uint64_t ticks)
{
    return wf_timebase_duration_ns(&rank->timebase, ticks);
}

int64_t wf_collected_rank_virtual_ns(const struct wf_collected_rank *rank, uint64_t virtual_ticks, uint64_t raw_ticks)
{
    return wf_collected_rank_ticks_ns(rank, rank->has_virtual ? virtual_ticks : raw_ticks);
}

static int64_t rank_not_negative_ns(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

/* The cost that the probes have added up; else the number of probes times the calibrated cost. (A visit's two probes
 * cost about as much as watching one call.) */
static int64_t rank_overhead_ns(const struct wf_collected_rank *rank)
{
    uint64_t probes;
    if (rank->lanes.overhead_ticks)
        return wf_collected_rank_ticks_ns(rank, rank->lanes.overhead_ticks);
    if (__builtin_add_overflow(rank->lanes.events, rank->visits, &probes))
        probes = UINT64_MAX;
    unsigned __int128 ticks = (unsigned __int128)probes * rank->header->probe_ticks;
    return wf_collected_rank_ticks_ns(rank, ticks > INT64_MAX ? INT64_MAX : (uint64_t)ticks);
}

/* In a call that did not return: what wf_unfinished_end adds to its lane. */
static uint64_t rank_open_call_ticks(const struct wf_collected_rank *rank)
{
    const struct wf_rank_lanes *lanes = &rank->lanes;
    return rank->header->finalize_begin_ticks || !lanes->open_call
               ? 0
               : rank_ticks_less(rank->seen_ticks, lanes->open_since_ticks);
}

/* From the end of MPI_Init on, without pauses. A pause is as long in virtual time, because nothing is watched in it. */
static void rank_compute_walls(const struct wf_collected_rank *rank, struct wf_rank_times *times)
{
    const struct wf_segment_header *header = rank->header;
    uint64_t begin = rank_begin_ticks(rank), end = rank_end_ticks(rank);
    times->paused_ns = rank_not_negative_ns(wf_collected_rank_ticks_ns(rank, header->paused_ticks));
    if (header->paused_since_ticks)
        times->paused_ns += rank_between_ns(rank, header->paused_since_ticks, end);
    times->wall_ns = times->wall_raw_ns = rank_not_negative_ns(rank_between_ns(rank, begin, end) - times->paused_ns);
    if (!rank->has_virtual)
        return;
    times->begin_intrusion_ns = rank_between_ns(rank, rank_begin_virtual_ticks(rank), begin);
    times->wall_ns = rank_not_negative_ns(
        rank_between_ns(rank, rank_begin_virtual_ticks(rank), rank_end_virtual_ticks(rank)) - times->paused_ns);
}

static struct wf_rank_times rank_compute_times(const struct wf_collected_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    const struct wf_rank_lanes *lanes = &rank->lanes;
    struct wf_rank_times times = {.overhead_ns = rank_overhead_ns(rank)};
    if (header->init_begin_ticks)
        times.init_ns = rank_between_ns(rank, header->init_begin_ticks, header->init_end_ticks);
    if (header->finalize_begin_ticks)
        times.finalize_ns = rank_between_ns(rank, header->finalize_begin_ticks,
                                            header->finalize_end_ticks ? header->finalize_end_ticks : rank->seen_ticks);
    rank_compute_walls(rank, &times);
    uint64_t open = rank_open_call_ticks(rank), mpi_ticks = lanes->mpi_ticks + open;
    times.mpi_raw_ns = wf_collected_rank_ticks_ns(rank, mpi_ticks);
    times.mpi_ns = wf_collected_rank_virtual_ns(rank, lanes->mpi_virtual_ticks + open, mpi_ticks);
    times.sync_raw_ns = wf_collected_rank_ticks_ns(rank, lanes->sync_raw_ticks);
    times.sync_ns = wf_collected_rank_virtual_ns(rank, lanes->sync_ticks, lanes->sync_raw_ticks);
    times.polling_ns = wf_collected_rank_ticks_ns(rank, lanes->idle.polling);
    times.no_core_ns = wf_collected_rank_ticks_ns(rank, lanes->idle.no_core);
    times.unexplained_ns = wf_collected_rank_ticks_ns(rank, lanes->idle.unexplained + open);
    times.no_core_outside_ns = wf_collected_rank_ticks_ns(rank, lanes->no_core_ticks);
    times.no_core_all_ns = wf_collected_rank_ticks_ns(rank, lanes->no_core_all_ticks);
    times.useful_ns = rank_not_negative_ns(times.wall_ns - times.mpi_ns);
    if (times.no_core_outside_ns > times.useful_ns)
        times.no_core_outside_ns = times.useful_ns;
    /* A thread that began later has the lag of the one that started it. */
    times.ideal_ns = times.wall_ns - wf_collected_rank_ticks_ns(rank, lanes->lag_ticks);
    times.ideal_ns = times.ideal_ns > times.useful_ns ? times.ideal_ns : times.useful_ns;
    if (lanes->current_site)
        times.last_site_ns = rank_between_ns(rank, lanes->current_since_ticks, rank->seen_ticks);
    times.dropped_ns = wf_collected_rank_ticks_ns(rank, header->dropped_sites_ticks + header->dropped_coms_ticks);
    return times;
}

/* ---- the last moment of life ---- */

static uint64_t rank_later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t rank_own_last_sign(const struct wf_collected_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    uint64_t begun = rank_later(header->init_end_ticks, header->finalize_begin_ticks),
             ended = rank_later(header->finalize_end_ticks, header->end_ticks);
    return rank_later(rank->lanes.last_sign_ticks, rank_later(begun, ended));
}

/* Processes of one boot read one counter. */
static bool ranks_share_counter(const struct wf_collected_rank *a, const struct wf_collected_rank *b)
{
    return a->header->clock == b->header->clock && strcmp(a->header->boot_id, b->header->boot_id) == 0;
}

/* Of ranks that died unseen: most often all were killed at once. */
static uint64_t ranks_last_sign_beside(const struct wf_collected_ranks *ranks, const struct wf_collected_rank *rank)
{
    uint64_t last = 0;
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->items[i].ending == WF_ENDING_DIED && ranks_share_counter(&ranks->items[i], rank))
            last = rank_later(last, rank_own_last_sign(&ranks->items[i]));
    return last;
}

static uint64_t ranks_find_seen(const struct wf_collected_ranks *ranks, const struct wf_collected_rank *rank)
{
    uint64_t seen = rank_own_last_sign(rank), later = 0;
    if (rank->header->end_ticks) /* it said so itself */
        return seen;
    if (rank->alive)
        later = wf_timebase_now(rank->header);
    else if (rank->gone_ns)
        later = wf_timebase_tick_at(&rank->timebase, rank->gone_ns);
    else if (rank->ending == WF_ENDING_DIED && rank->lanes.current_site)
        later = ranks_last_sign_beside(ranks, rank);
    return rank_later(seen, later);
}

/* ---- the clocks of all ranks ---- */

/* A rank that ended too early to know its rate takes the best known one. */
static void ranks_lend_clocks(struct wf_collected_ranks *ranks)
{
    for (size_t i = 0; i < ranks->count; i++) {
        struct wf_collected_rank *rank = &ranks->items[i];
        if (wf_timebase_known(&rank->timebase))
            continue;
        const struct wf_timebase *best = NULL;
        for (size_t j = 0; j < ranks->count; j++) {
            const struct wf_collected_rank *other = &ranks->items[j];
            if (ranks_share_counter(other, rank) && wf_timebase_known(&other->timebase) &&
                (!best || other->timebase.ticks > best->ticks))
                best = &other->timebase;
        }
        if (best)
            wf_timebase_borrow(&rank->timebase, best);
    }
}

/* CLOCK_MONOTONIC is one clock within one boot of one host. (The boot alone does not do: containers of one
 * boot may have time namespaces.) */
static uint32_t rank_clock(struct wf_intern *clocks, const struct wf_collected_rank *rank, size_t index)
{
    char key[256];
    if (rank->header->boot_id[0])
        snprintf(key, sizeof key, "%s %s", rank->header->boot_id, rank->header->host);
    else
        snprintf(key, sizeof key, "%zu", index);
    return wf_intern_add_text(clocks, key);
}

static const struct wf_collected_rank *ranks_find_root(const struct wf_collected_ranks *ranks,
                                                       const struct wf_collected_rank *rank)
{
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_segment_header *header = ranks->items[i].header;
        if (header->rank == 0 && header->size == rank->header->size && strcmp(header->world, rank->header->world) == 0)
            return &ranks->items[i];
    }
    return NULL;
}

/* The host clock of a reference rank. Between hosts whose clocks were not compared there is only the time of day. */
static struct wf_host_clock ranks_host_clock(const struct wf_collected_ranks *ranks,
                                             const struct wf_collected_rank *rank)
{
    const struct wf_collected_rank *root = wf_host_clock_compared(rank->header) ? ranks_find_root(ranks, rank) : NULL;
    if (!root)
        return wf_host_clock_of_day(rank->header);
    struct wf_host_clock first = wf_host_clock_of_day(root->header);
    return wf_host_clock_against(rank->header, &first);
}

/* The ranks of one clock have one reference rank, so that their order among each other stays exact. */
static int rank_clock_quality(const struct wf_collected_rank *rank)
{
    return wf_host_clock_compared(rank->header) ? 2 : rank->header->rank == 0;
}

static int ranks_choose_references(const struct wf_collected_ranks *ranks, struct wf_intern *clocks,
                                   uint32_t *clock_of_rank, size_t *references)
{
    for (size_t i = 0; i < ranks->count; i++) {
        size_t before = clocks->count;
        uint32_t clock = clock_of_rank[i] = rank_clock(clocks, &ranks->items[i], i);
        if (clock == WF_INTERN_NONE)
            return -1;
        if (clock == before ||
            rank_clock_quality(&ranks->items[i]) > rank_clock_quality(&ranks->items[references[clock]]))
            references[clock] = i;
    }
    return 0;
}

static int ranks_align_clocks(struct wf_collected_ranks *ranks)
{
    struct wf_intern clocks = {0};
    uint32_t *clock_of_rank = calloc(ranks->count + 1, sizeof *clock_of_rank);
    size_t *references = calloc(ranks->count + 1, sizeof *references);
    int result = clock_of_rank && references ? ranks_choose_references(ranks, &clocks, clock_of_rank, references) : -1;
    for (size_t clock = 0; clock < clocks.count && result == 0; clock++)
        ranks->items[references[clock]].host_clock = ranks_host_clock(ranks, &ranks->items[references[clock]]);
    for (size_t i = 0; i < ranks->count && result == 0; i++)
        ranks->items[i].host_clock = ranks->items[references[clock_of_rank[i]]].host_clock;
    free(clock_of_rank);
    free(references);
    wf_intern_fini(&clocks);
    return result;
}

int wf_collected_ranks_settle_times(struct wf_collected_ranks *ranks)
{
    ranks_lend_clocks(ranks);
    for (size_t i = 0; i < ranks->count; i++)
        ranks->items[i].seen_ticks = ranks_find_seen(ranks, &ranks->items[i]);
    for (size_t i = 0; i < ranks->count; i++)
        ranks->items[i].times = rank_compute_times(&ranks->items[i]);
    return ranks_align_clocks(ranks);
}

int64_t wf_collected_rank_begin_ns(const struct wf_collected_rank *rank)
{
    int64_t host_ns = wf_timebase_moment_ns(&rank->timebase, rank_begin_ticks(rank));
    return rank_not_negative_ns(wf_host_clock_shared_ns(&rank->host_clock, host_ns));
}

/* Nothing began before 1970, even if a damaged segment says so. */
int64_t wf_collected_rank_virtual_begin_ns(const struct wf_collected_rank *rank)
{
    return rank_not_negative_ns(wf_collected_rank_begin_ns(rank) - rank->times.begin_intrusion_ns);
}

int64_t wf_collected_rank_virtual_moment_ns(const struct wf_collected_rank *rank, uint64_t virtual_ticks)
{
    return wf_collected_rank_virtual_begin_ns(rank) +
           wf_collected_rank_ticks_ns(rank, virtual_ticks - rank_begin_virtual_ticks(rank));
}
