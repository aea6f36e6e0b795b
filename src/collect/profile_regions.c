/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of one rank's regions: an event each, and the record of its kind.
 */
#include "collect/profile_insert.h"
#include "collect/unfinished.h"

/* Sums of ticks in nanoseconds. */
struct visit_times {
    int64_t raw_ns, ns, self_raw_ns, self_ns;
};

static struct visit_times visit_times(const struct wf_collected_rank *rank, const struct wf_visit_sums *sums)
{
    return (struct visit_times){.raw_ns = wf_collected_rank_ticks_ns(rank, sums->ticks_raw),
                                .ns = wf_collected_rank_virtual_ns(rank, sums->ticks_virtual, sums->ticks_raw),
                                .self_raw_ns = wf_collected_rank_ticks_ns(rank, sums->self_raw),
                                .self_ns = wf_collected_rank_virtual_ns(rank, sums->self_virtual, sums->self_raw)};
}

static int region_insert_counter(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                                 const struct wf_visit_sums *sums, const struct wf_region_entry *entry,
                                 const struct wf_collected_program *program, struct wf_error *error)
{
    return INSERT(writer, WF_PROFILE_COUNTER, error, TEXT(wf_collected_program_string(program, entry->name)),
                  TEXT(wf_collected_program_string(program, entry->file)), NUMBER(entry->line), NUMBER(rank->rank),
                  NUMBER(sums->num), REAL(sums->value));
}

static int region_insert_event(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, int64_t site,
                               const struct wf_visit_sums *sums, struct wf_error *error)
{
    struct visit_times times = visit_times(rank, sums);
    writer->last_event++;
    if (INSERT(writer, WF_PROFILE_EVENT, error, NUMBER(writer->last_event), NUMBER(site), NUMBER(rank->rank),
               NUMBER(sums->num), NUMBER(times.ns), NUMBER(times.raw_ns), NUMBER(0)) != 0)
        return -1;
    return INSERT(writer, WF_PROFILE_SELF, error, NUMBER(writer->last_event), NUMBER(times.self_ns),
                  NUMBER(times.self_raw_ns));
}

static int region_insert_call(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                              const struct wf_merged_call *merged, const struct wf_profile_text *text,
                              struct wf_error *error)
{
    if (merged->call == WF_NO_CALL || text->regions->calls[merged->call].internal)
        return 0;
    const struct wf_region_call *call = &text->regions->calls[merged->call];
    struct visit_times times = visit_times(rank, &merged->sums);
    struct wf_profile_value caller = NOTHING();
    if (call->caller != WF_NO_PROCEDURE)
        caller = (struct wf_profile_value)NUMBER(wf_profile_procedure_id(text->program, call->caller));
    return INSERT(writer, WF_PROFILE_PROC, error, NUMBER(writer->last_event),
                  TEXT(wf_collected_program_string(text->program, call->file)), NUMBER(call->line),
                  NUMBER(merged->sums.num), NUMBER(times.ns), NUMBER(times.raw_ns), NUMBER(times.self_ns),
                  NUMBER(times.self_raw_ns), caller);
}

static int region_insert_calls(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                               const struct wf_merged_visits *visits, const struct wf_merged_region *event,
                               const struct wf_profile_text *text, struct wf_error *error)
{
    for (size_t i = 0; i < event->call_count; i++)
        if (region_insert_call(writer, rank, &visits->calls[event->first_call + i], text, error) != 0)
            return -1;
    return 0;
}

/* Loops and regions have rows alike. */
static int region_insert_record(struct wf_profile_writer *writer, enum wf_profile_table table,
                                const struct wf_collected_rank *rank, const struct wf_visit_sums *sums,
                                struct wf_error *error)
{
    struct visit_times times = visit_times(rank, sums);
    return INSERT(writer, table, error, NUMBER(writer->last_event), NUMBER(sums->num), NUMBER(times.ns),
                  NUMBER(times.raw_ns), NUMBER(times.self_ns), NUMBER(times.self_raw_ns));
}

static int region_insert_visits(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                                const struct wf_merged_visits *visits, const struct wf_merged_region *event,
                                const struct wf_profile_text *text, struct wf_error *error)
{
    struct wf_region_entry *entry = &text->regions->entries[event->entry];
    if (entry->kind == WF_REGION_COUNTER)
        return region_insert_counter(writer, rank, &event->sums, entry, text->program, error);
    entry->used = true;
    if (region_insert_event(writer, rank, wf_profile_region_id(text->sites, event->entry), &event->sums, error) != 0)
        return -1;
    if (entry->kind == WF_REGION_PROCEDURE)
        return region_insert_calls(writer, rank, visits, event, text, error);
    return region_insert_record(writer, entry->kind == WF_REGION_LOOP ? WF_PROFILE_LOOP : WF_PROFILE_REGION, rank,
                                &event->sums, error);
}

int wf_profile_writer_visits(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             const struct wf_merged_visits *visits, const struct wf_profile_text *text,
                             struct wf_error *error)
{
    for (size_t i = 0; i < visits->event_count; i++)
        if (region_insert_visits(writer, rank, visits, &visits->events[i], text, error) != 0)
            return -1;
    return 0;
}

/* ---- where it ended ---- */

int wf_profile_writer_last_region(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                                  const struct wf_segment_reader *reader, const struct wf_merged_visits *visits,
                                  const struct wf_profile_text *text, struct wf_error *error)
{
    const struct wf_visit_record *visit = rank->ending == WF_ENDING_FINALIZED ? NULL : wf_unfinished_innermost(reader);
    long region = visit ? wf_segment_reader_find(reader, WF_CHUNK_REGION, visit->region) : -1;
    uint32_t entry = region < 0 ? WF_NO_REGION : visits->numbers[region].entry;
    if (entry == WF_NO_REGION)
        return 0;
    text->regions->entries[entry].used = true;
    return INSERT(writer, WF_PROFILE_RANK_REGION, error, NUMBER(rank->rank),
                  NUMBER(wf_profile_region_id(text->sites, entry)));
}

/* ---- switched off ---- */

static int region_insert_off(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             const struct wf_region_record *region, uint32_t number, const struct wf_profile_text *text,
                             struct wf_error *error)
{
    struct wf_region_entry *entry = &text->regions->entries[number];
    int64_t ns = wf_timebase_duration_ns(&rank->timebase, region->off_ticks);
    entry->used = true;
    entry->off_ranks++;
    entry->off_visits += region->off_visits;
    if (entry->off_ns < WF_TIME_LIMIT_NS)
        entry->off_ns += ns;
    return INSERT(writer, WF_PROFILE_OFF, error, NUMBER(wf_profile_region_id(text->sites, number)), NUMBER(rank->rank),
                  NUMBER(region->off_visits), NUMBER(ns));
}

int wf_profile_writer_off(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                          const struct wf_segment_reader *reader, const struct wf_merged_visits *visits,
                          const struct wf_profile_text *text, struct wf_error *error)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_REGION);
    size_t i = 0;
    for (const struct wf_region_record *region; (region = wf_segment_records_next(&records)); i++) {
        uint32_t entry = visits->numbers[i].entry;
        if (region->off && entry != WF_NO_REGION && text->regions->entries[entry].kind != WF_REGION_COUNTER &&
            region_insert_off(writer, rank, region, entry, text, error) != 0)
            return -1;
    }
    return 0;
}
