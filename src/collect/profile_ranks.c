/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of one rank: the rank, its threads, its communication statements.
 */
#include "collect/profile_insert.h"

static struct wf_profile_value rank_last_site(const struct wf_collected_rank *rank, struct wf_sites *sites)
{
    if (rank->last_site == WF_NO_SITE)
        return (struct wf_profile_value)NOTHING();
    uint32_t entry = wf_sites_entry(sites, rank->last_site);
    sites->entries[entry].used = true;
    return (struct wf_profile_value)NUMBER(wf_profile_site_id(entry));
}

static int rank_insert_instrumented(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                                    struct wf_error *error)
{
    const struct wf_segment_header *header = rank->header;
    if (rank->regions == 0 && header->dropped_regions == 0 && header->dropped_visits == 0)
        return 0;
    return INSERT(writer, WF_PROFILE_INSTRUMENTED, error, NUMBER(rank->rank), NUMBER(rank->visits),
                  NUMBER(header->dropped_regions), NUMBER(header->dropped_visits));
}

static int rank_insert_clock(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             struct wf_error *error)
{
    const struct wf_segment_header *h = rank->header;
    const struct wf_rank_times *times = &rank->times;
    const struct wf_header_counts *headers = &rank->lanes.headers;
    return INSERT(writer, WF_PROFILE_CLOCK, error, NUMBER(rank->rank), NUMBER(times->ideal_ns), NUMBER(times->sync_ns),
                  NUMBER(times->sync_raw_ns), NUMBER(wf_collected_rank_ticks_ns(rank, h->probe_ticks)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, h->probe_inner_ticks)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, h->pair_ticks)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, h->pair_inner_ticks)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, h->check_expected_ticks)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, h->check_seen_ticks)), NUMBER(h->host_offset_ns),
                  NUMBER(h->host_drift_ppb), NUMBER(h->host_error_ns), NUMBER(headers->sent), NUMBER(headers->taken),
                  NUMBER(headers->missing), NUMBER(headers->ambiguous), NUMBER(headers->dropped));
}

static int rank_insert_idle(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                            struct wf_error *error)
{
    const struct wf_rank_times *times = &rank->times;
    if (!(times->polling_ns | times->no_core_ns | times->unexplained_ns | times->no_core_all_ns))
        return 0;
    return INSERT(writer, WF_PROFILE_RANK_IDLE, error, NUMBER(rank->rank), NUMBER(times->polling_ns),
                  NUMBER(times->no_core_ns), NUMBER(times->unexplained_ns), NUMBER(times->no_core_outside_ns),
                  NUMBER(times->no_core_all_ns));
}

static int rank_insert_last(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                            struct wf_error *error)
{
    if (rank->last_site == WF_NO_SITE)
        return 0;
    return INSERT(writer, WF_PROFILE_RANK_LAST, error, NUMBER(rank->rank), NUMBER(rank->times.last_site_ns));
}

int wf_profile_writer_rank(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, int64_t origin_ns,
                           const struct wf_profile_text *text, struct wf_error *error)
{
    const struct wf_segment_header *header = rank->header;
    const struct wf_rank_times *times = &rank->times;
    struct wf_profile_value end_code = NOTHING();
    if (rank->ending == WF_ENDING_ABORTED)
        end_code = (struct wf_profile_value)NUMBER(header->end_code);
    if (rank_insert_instrumented(writer, rank, error) != 0 || rank_insert_clock(writer, rank, error) != 0 ||
        rank_insert_idle(writer, rank, error) != 0 || rank_insert_last(writer, rank, error) != 0)
        return -1;
    return INSERT(writer, WF_PROFILE_RANK, error, NUMBER(rank->rank), NUMBER(rank->world), NUMBER(header->rank),
                  TEXT(header->host), NUMBER(header->pid), NUMBER(wf_collected_rank_virtual_begin_ns(rank) - origin_ns),
                  NUMBER(times->wall_ns), NUMBER(times->wall_raw_ns), NUMBER(times->mpi_ns), NUMBER(times->mpi_raw_ns),
                  NUMBER(times->useful_ns), NUMBER(times->init_ns), NUMBER(times->finalize_ns),
                  NUMBER(times->paused_ns), NUMBER(times->overhead_ns), NUMBER(times->wall_raw_ns - times->wall_ns),
                  NUMBER(rank->lanes.events), NUMBER(rank->lanes.threads), NUMBER(rank->used_bytes),
                  NUMBER(wf_collected_rank_dropped_calls(rank)), NUMBER(times->dropped_ns),
                  NUMBER(header->dropped_requests), NUMBER(wf_collected_rank_complete(rank)),
                  TEXT(wf_collected_rank_ending(rank)), end_code, rank_last_site(rank, text->sites));
}

/* ---- threads ---- */

static int rank_insert_thread(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                              const struct wf_lane_record *lane, uint32_t thread, struct wf_error *error)
{
    int64_t raw_ns = wf_collected_rank_ticks_ns(rank, lane->mpi_ticks);
    int64_t ns = wf_collected_rank_virtual_ns(rank, lane->mpi_virtual_ticks, lane->mpi_ticks);
    return INSERT(writer, WF_PROFILE_THREAD, error, NUMBER(rank->rank), NUMBER(thread), NUMBER(lane->thread_id),
                  NUMBER(lane->main != 0), NUMBER(lane->events), NUMBER(ns), NUMBER(raw_ns));
}

static int rank_insert_thread_event(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                                    const struct wf_thread_sums *event, struct wf_error *error)
{
    int64_t raw_ns = wf_collected_rank_ticks_ns(rank, event->ticks_raw);
    int64_t ns = wf_collected_rank_virtual_ns(rank, event->ticks_virtual, event->ticks_raw);
    return INSERT(writer, WF_PROFILE_THREAD_EVENT, error, NUMBER(rank->rank), NUMBER(event->thread),
                  NUMBER(wf_profile_site_id(event->entry)), NUMBER(event->calls), NUMBER(ns), NUMBER(raw_ns));
}

int wf_profile_writer_threads(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                              const struct wf_segment_reader *reader, const struct wf_threads *threads,
                              struct wf_error *error)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    size_t number = 0;
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&records)); number++)
        if (threads->of_lane[number] != WF_NO_THREAD &&
            rank_insert_thread(writer, rank, lane, threads->of_lane[number], error) != 0)
            return -1;
    for (size_t i = 0; i < threads->sum_count; i++)
        if (rank_insert_thread_event(writer, rank, &threads->sums[i], error) != 0)
            return -1;
    return 0;
}

/* ---- communication statements ---- */

static int rank_insert_com(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, int64_t first_rank,
                           const struct wf_merged_com *com, struct wf_error *error)
{
    int64_t trans_raw_ns = wf_collected_rank_ticks_ns(rank, com->trans_raw_ticks),
            trans_ns = wf_collected_rank_virtual_ns(rank, com->trans_virtual_ticks, com->trans_raw_ticks),
            sync_raw_ns = wf_collected_rank_ticks_ns(rank, com->sync_raw_ticks),
            sync_ns = wf_collected_rank_virtual_ns(rank, com->sync_virtual_ticks, com->sync_raw_ticks);
    int64_t partner = com->partner >= 0 ? first_rank + com->partner : com->partner;
    return INSERT(writer, WF_PROFILE_COM, error, NUMBER(writer->last_event), NUMBER(partner), NUMBER(com->num),
                  NUMBER(com->bytes), NUMBER(trans_ns), NUMBER(trans_raw_ns), NUMBER(sync_ns), NUMBER(sync_raw_ns));
}

static int event_insert_idle(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             const struct wf_idle_ticks *idle, struct wf_error *error)
{
    if (!(idle->polling | idle->no_core | idle->unexplained))
        return 0;
    return INSERT(writer, WF_PROFILE_IDLE, error, NUMBER(writer->last_event),
                  NUMBER(wf_collected_rank_ticks_ns(rank, idle->polling)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, idle->no_core)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, idle->unexplained)));
}

static int rank_insert_event(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             const struct wf_merged_event *event, struct wf_error *error)
{
    int64_t raw_ns = wf_collected_rank_ticks_ns(rank, event->ticks_raw);
    int64_t ns = wf_collected_rank_virtual_ns(rank, event->ticks_virtual, event->ticks_raw);
    writer->last_event++;
    return INSERT(writer, WF_PROFILE_EVENT, error, NUMBER(writer->last_event), NUMBER(wf_profile_site_id(event->site)),
                  NUMBER(rank->rank), NUMBER(event->calls), NUMBER(ns), NUMBER(raw_ns),
                  NUMBER(wf_timebase_duration_ns(&rank->timebase, event->max_ticks)));
}

static int rank_insert_root(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                            const struct wf_merged_wait *root, int64_t site, struct wf_error *error)
{
    return INSERT(writer, WF_PROFILE_ROOT, error, NUMBER(writer->last_event), NUMBER(root->culprit), NUMBER(site),
                  NUMBER(root->num), NUMBER(wf_collected_rank_ticks_ns(rank, root->virtual_ticks)));
}

static int rank_insert_passed(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                              const struct wf_merged_wait *wait, int64_t site, struct wf_error *error)
{
    if (wait->passed_ticks == 0)
        return 0;
    return INSERT(writer, WF_PROFILE_PASSED, error, NUMBER(writer->last_event), NUMBER(wait->culprit),
                  TEXT(wf_wait_kind_name(wait->kind)), NUMBER(site),
                  NUMBER(wf_collected_rank_ticks_ns(rank, wait->passed_ticks)));
}

static int rank_insert_wait(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                            const struct wf_merged_wait *wait, struct wf_sites *sites, struct wf_error *error)
{
    int64_t site = 0;
    if (wait->culprit_site != WF_NO_SITE) {
        sites->entries[wait->culprit_site].used = true;
        site = wf_profile_site_id(wait->culprit_site);
    }
    if (wait->kind == WF_WAIT_ROOT)
        return rank_insert_root(writer, rank, wait, site, error);
    if (INSERT(writer, WF_PROFILE_WAIT, error, NUMBER(writer->last_event), NUMBER(wait->culprit),
               TEXT(wf_wait_kind_name(wait->kind)), NUMBER(site), NUMBER(wait->num),
               NUMBER(wf_collected_rank_virtual_ns(rank, wait->virtual_ticks, wait->raw_ticks)),
               NUMBER(wf_collected_rank_ticks_ns(rank, wait->raw_ticks)),
               NUMBER(wf_collected_rank_ticks_ns(rank, wait->max_virtual_ticks))) != 0)
        return -1;
    return rank_insert_passed(writer, rank, wait, site, error);
}

/* The waits of one statement. *next is the first that is not written yet: waits and statements are in the order of
 * sites. */
static int rank_insert_waits(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             const struct wf_merged_waits *waits, uint32_t site, size_t *next, struct wf_sites *sites,
                             struct wf_error *error)
{
    for (; *next < waits->count && waits->items[*next].site <= site; (*next)++)
        if (waits->items[*next].site == site && rank_insert_wait(writer, rank, &waits->items[*next], sites, error) != 0)
            return -1;
    return 0;
}

/* The same for the order of receives. */
static int rank_insert_orders(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                              const struct wf_merged_orders *orders, uint32_t site, size_t *next,
                              struct wf_error *error)
{
    while (*next < orders->count && orders->items[*next].site < site)
        (*next)++;
    if (*next == orders->count || orders->items[*next].site != site)
        return 0;
    const struct wf_order_record *o = &orders->items[*next].sum;
    return INSERT(writer, WF_PROFILE_ORDER, error, NUMBER(writer->last_event), NUMBER(o->any), NUMBER(o->changed),
                  NUMBER(o->undecided), NUMBER(o->decided), NUMBER(o->otherwise),
                  NUMBER(wf_collected_rank_ticks_ns(rank, o->held_ticks)),
                  NUMBER(wf_collected_rank_ticks_ns(rank, o->held_max_ticks)), NUMBER(o->released));
}

int wf_profile_writer_events(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, int64_t first_rank,
                             const struct wf_merged_events *merged, const struct wf_merged_waits *waits,
                             const struct wf_merged_orders *orders, const struct wf_profile_text *text,
                             struct wf_error *error)
{
    size_t next_wait = 0, next_order = 0;
    for (size_t i = 0; i < merged->event_count; i++) {
        const struct wf_merged_event *event = &merged->events[i];
        text->sites->entries[event->site].used = true;
        if (rank_insert_event(writer, rank, event, error) != 0 ||
            event_insert_idle(writer, rank, &event->idle, error) != 0)
            return -1;
        for (size_t c = 0; c < event->com_count; c++)
            if (rank_insert_com(writer, rank, first_rank, &merged->coms[event->first_com + c], error) != 0)
                return -1;
        if (rank_insert_waits(writer, rank, waits, event->site, &next_wait, text->sites, error) != 0 ||
            rank_insert_orders(writer, rank, orders, event->site, &next_order, error) != 0)
            return -1;
    }
    return 0;
}
