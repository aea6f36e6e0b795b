/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of one rank: itself, its threads, its communication statements.
 */
#include "collect/profile_insert.h"

static struct wf_profile_value last_site(const struct wf_rank *rank, struct wf_sites *sites)
{
    if (rank->last_site == WF_NO_SITE)
        return (struct wf_profile_value)NOTHING();
    uint32_t entry = wf_sites_entry(sites, rank->last_site);
    sites->entries[entry].used = true;
    return (struct wf_profile_value)NUMBER(wf_profile_site_id(entry));
}

static int insert_instrumented(struct wf_profile_writer *writer, const struct wf_rank *rank,
                               struct wf_error *error)
{
    const struct wf_segment_header *header = rank->header;
    if (rank->regions == 0 && header->dropped_regions == 0 && header->dropped_visits == 0)
        return 0;
    return INSERT(writer, WF_ROW_INSTRUMENTED, error, NUMBER(rank->rank), NUMBER(rank->visits),
                  NUMBER(header->dropped_regions), NUMBER(header->dropped_visits));
}

static int insert_clock(struct wf_profile_writer *writer, const struct wf_rank *rank, struct wf_error *error)
{
    const struct wf_segment_header *h = rank->header;
    const struct wf_rank_times *times = &rank->times;
    const struct wf_header_counts *headers = &rank->lanes.headers;
    return INSERT(
        writer, WF_ROW_CLOCK, error, NUMBER(rank->rank), NUMBER(times->ideal_ns), NUMBER(times->sync_ns),
        NUMBER(times->sync_raw_ns), NUMBER(wf_rank_ticks_ns(rank, h->probe_ticks)),
        NUMBER(wf_rank_ticks_ns(rank, h->probe_inner_ticks)), NUMBER(wf_rank_ticks_ns(rank, h->pair_ticks)),
        NUMBER(wf_rank_ticks_ns(rank, h->pair_inner_ticks)),
        NUMBER(wf_rank_ticks_ns(rank, h->check_expected_ticks)),
        NUMBER(wf_rank_ticks_ns(rank, h->check_seen_ticks)), NUMBER(h->host_offset_ns),
        NUMBER(h->host_drift_ppb), NUMBER(h->host_error_ns), NUMBER(headers->sent),
        NUMBER(headers->taken), NUMBER(headers->missing), NUMBER(headers->ambiguous),
        NUMBER(headers->dropped));
}

int wf_profile_writer_rank(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t origin_ns,
                           const struct wf_profile_text *text, struct wf_error *error)
{
    const struct wf_segment_header *header = rank->header;
    const struct wf_rank_times *times = &rank->times;
    struct wf_profile_value end_code = NOTHING();
    if (rank->ending == WF_ENDING_ABORTED)
        end_code = (struct wf_profile_value)NUMBER(header->end_code);
    if (insert_instrumented(writer, rank, error) != 0 || insert_clock(writer, rank, error) != 0)
        return -1;
    return INSERT(writer, WF_ROW_RANK, error, NUMBER(rank->rank), NUMBER(rank->world), NUMBER(header->rank),
                  TEXT(header->host), NUMBER(header->pid), NUMBER(wf_rank_begin_ns(rank) - origin_ns),
                  NUMBER(times->wall_ns), NUMBER(times->wall_raw_ns), NUMBER(times->mpi_ns),
                  NUMBER(times->mpi_raw_ns), NUMBER(times->useful_ns), NUMBER(times->init_ns),
                  NUMBER(times->finalize_ns), NUMBER(times->paused_ns), NUMBER(times->overhead_ns),
                  NUMBER(times->wall_raw_ns - times->wall_ns), NUMBER(rank->lanes.events),
                  NUMBER(rank->lanes.threads), NUMBER(rank->used_bytes), NUMBER(wf_rank_dropped_calls(rank)),
                  NUMBER(times->dropped_ns), NUMBER(header->dropped_requests), NUMBER(wf_rank_complete(rank)),
                  TEXT(wf_rank_ending(rank)), end_code, last_site(rank, text->sites));
}

/* ---- threads ---- */

static int insert_thread(struct wf_profile_writer *writer, const struct wf_rank *rank,
                         const struct wf_lane_record *lane, uint32_t thread, struct wf_error *error)
{
    int64_t raw_ns = wf_rank_ticks_ns(rank, lane->mpi_ticks);
    int64_t ns = wf_rank_virtual_ns(rank, lane->mpi_virtual_ticks, lane->mpi_ticks);
    return INSERT(writer, WF_ROW_THREAD, error, NUMBER(rank->rank), NUMBER(thread), NUMBER(lane->thread_id),
                  NUMBER(lane->main != 0), NUMBER(lane->events), NUMBER(ns), NUMBER(raw_ns));
}

static int insert_thread_event(struct wf_profile_writer *writer, const struct wf_rank *rank,
                               const struct wf_thread_event *event, struct wf_error *error)
{
    int64_t raw_ns = wf_rank_ticks_ns(rank, event->ticks_raw);
    int64_t ns = wf_rank_virtual_ns(rank, event->ticks_virtual, event->ticks_raw);
    return INSERT(writer, WF_ROW_THREAD_EVENT, error, NUMBER(rank->rank), NUMBER(event->thread),
                  NUMBER(wf_profile_site_id(event->entry)), NUMBER(event->calls), NUMBER(ns), NUMBER(raw_ns));
}

int wf_profile_writer_threads(struct wf_profile_writer *writer, const struct wf_rank *rank,
                              const struct wf_segment_reader *reader, const struct wf_threads *threads,
                              struct wf_error *error)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    size_t number = 0;
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records)); number++)
        if (threads->of_lane[number] != WF_NO_THREAD &&
            insert_thread(writer, rank, lane, threads->of_lane[number], error) != 0)
            return -1;
    for (size_t i = 0; i < threads->event_count; i++)
        if (insert_thread_event(writer, rank, &threads->events[i], error) != 0)
            return -1;
    return 0;
}

/* ---- communication statements ---- */

static int insert_com(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t first_rank,
                      const struct wf_merged_com *com, struct wf_error *error)
{
    int64_t trans_raw_ns = wf_rank_ticks_ns(rank, com->trans_raw_ticks),
            trans_ns = wf_rank_virtual_ns(rank, com->trans_virtual_ticks, com->trans_raw_ticks),
            sync_raw_ns = wf_rank_ticks_ns(rank, com->sync_raw_ticks),
            sync_ns = wf_rank_virtual_ns(rank, com->sync_virtual_ticks, com->sync_raw_ticks);
    int64_t partner = com->partner >= 0 ? first_rank + com->partner : com->partner;
    return INSERT(writer, WF_ROW_COM, error, NUMBER(writer->last_event), NUMBER(partner), NUMBER(com->num),
                  NUMBER(com->bytes), NUMBER(trans_ns), NUMBER(trans_raw_ns), NUMBER(sync_ns),
                  NUMBER(sync_raw_ns));
}

static int insert_event(struct wf_profile_writer *writer, const struct wf_rank *rank,
                        const struct wf_merged_event *event, struct wf_error *error)
{
    int64_t raw_ns = wf_rank_ticks_ns(rank, event->ticks_raw);
    int64_t ns = wf_rank_virtual_ns(rank, event->ticks_virtual, event->ticks_raw);
    writer->last_event++;
    return INSERT(writer, WF_ROW_EVENT, error, NUMBER(writer->last_event),
                  NUMBER(wf_profile_site_id(event->site)), NUMBER(rank->rank), NUMBER(event->calls),
                  NUMBER(ns), NUMBER(raw_ns),
                  NUMBER(wf_timebase_duration_ns(&rank->timebase, event->max_ticks)));
}

static int insert_wait(struct wf_profile_writer *writer, const struct wf_rank *rank,
                       const struct wf_merged_wait *wait, struct wf_sites *sites, struct wf_error *error)
{
    int64_t site = 0;
    if (wait->culprit_site != WF_NO_SITE) {
        sites->entries[wait->culprit_site].used = true;
        site = wf_profile_site_id(wait->culprit_site);
    }
    return INSERT(writer, WF_ROW_WAIT, error, NUMBER(writer->last_event), NUMBER(wait->culprit),
                  TEXT(wf_wait_kind_name(wait->kind)), NUMBER(site), NUMBER(wait->num),
                  NUMBER(wf_rank_virtual_ns(rank, wait->virtual_ticks, wait->raw_ticks)),
                  NUMBER(wf_rank_ticks_ns(rank, wait->raw_ticks)),
                  NUMBER(wf_rank_ticks_ns(rank, wait->max_virtual_ticks)));
}

/* Those of one statement; *next is the first that is not written yet, and both go by site. */
static int insert_waits(struct wf_profile_writer *writer, const struct wf_rank *rank,
                        const struct wf_waits *waits, uint32_t site, size_t *next, struct wf_sites *sites,
                        struct wf_error *error)
{
    for (; *next < waits->count && waits->items[*next].site <= site; (*next)++)
        if (waits->items[*next].site == site &&
            insert_wait(writer, rank, &waits->items[*next], sites, error) != 0)
            return -1;
    return 0;
}

int wf_profile_writer_events(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t first_rank,
                             const struct wf_merge *merge, const struct wf_waits *waits,
                             const struct wf_profile_text *text, struct wf_error *error)
{
    size_t next_wait = 0;
    for (size_t i = 0; i < merge->event_count; i++) {
        const struct wf_merged_event *event = &merge->events[i];
        text->sites->entries[event->site].used = true;
        if (insert_event(writer, rank, event, error) != 0)
            return -1;
        for (size_t c = 0; c < event->com_count; c++)
            if (insert_com(writer, rank, first_rank, &merge->coms[event->first_com + c], error) != 0)
                return -1;
        if (insert_waits(writer, rank, waits, event->site, &next_wait, text->sites, error) != 0)
            return -1;
    }
    return 0;
}
