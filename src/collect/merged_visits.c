/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/merged_visits.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

void wf_merged_visits_fini(struct wf_merged_visits *visits)
{
    free(visits->events);
    free(visits->calls);
    free(visits->numbers);
    *visits = (struct wf_merged_visits){0};
}

static int merged_visits_reserve(struct wf_merged_visits *visits, const struct wf_segment_reader *reader)
{
    size_t count = reader->counts[WF_CHUNK_VISIT], regions = reader->counts[WF_CHUNK_REGION];
    return WF_ARRAY_RESERVE(visits->events, visits->event_capacity, count) == 0 &&
                   WF_ARRAY_RESERVE(visits->calls, visits->call_capacity, count) == 0 &&
                   WF_ARRAY_RESERVE(visits->numbers, visits->number_capacity, regions) == 0
               ? 0
               : -1;
}

static void merged_visits_number_regions(struct wf_merged_visits *visits, const struct wf_segment_reader *reader,
                                         const struct wf_collected_program *program, struct wf_regions *regions)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_REGION);
    size_t i = 0;
    for (const struct wf_region_record *region; (region = wf_segment_records_next(&records)); i++)
        visits->numbers[i].entry = wf_regions_find(regions, program, reader, region, &visits->numbers[i].number);
}

uint32_t wf_merged_visits_entry(const struct wf_merged_visits *visits, const struct wf_segment_reader *reader,
                                const struct wf_visit_record *visit)
{
    long region = wf_segment_reader_find(reader, WF_CHUNK_REGION, visit->region);
    return region < 0 ? WF_NO_REGION : visits->numbers[region].entry;
}

/* A visit that was never left has no time yet, but what ended inside it has: it lasted that long at least. */
static uint64_t visit_ticks_at_least(uint64_t ticks, uint64_t inner)
{
    return ticks > inner ? ticks : inner;
}

/* The cost subtracted from a visit is an average: the rest of a few short visits may be below zero. */
static uint64_t visit_ticks_not_negative(uint64_t ticks)
{
    return (int64_t)ticks < 0 ? 0 : ticks;
}

/* A counter has its sum in the place of a time. */
struct wf_visit_sums wf_visit_sums_read(const struct wf_visit_record *visit, bool counter)
{
    struct wf_visit_sums sums = {.num = visit->num};
    if (counter) {
        memcpy(&sums.value, &visit->ticks_raw, sizeof sums.value);
        return sums;
    }
    sums.ticks_raw = visit_ticks_at_least(visit->ticks_raw, visit->inner_raw);
    sums.self_raw = sums.ticks_raw - visit->inner_raw;
    uint64_t inner_virtual = visit_ticks_not_negative(visit->inner_virtual);
    sums.ticks_virtual = visit_ticks_at_least(visit_ticks_not_negative(visit->ticks_virtual), inner_virtual);
    sums.self_virtual = sums.ticks_virtual - inner_virtual;
    return sums;
}

static void merged_visits_gather(struct wf_merged_visits *visits, const struct wf_segment_reader *reader,
                                 const struct wf_collected_program *program, const struct wf_regions *regions)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&records));) {
        long region = wf_segment_reader_find(reader, WF_CHUNK_REGION, visit->region);
        visits->dangling += region < 0;
        /* A region may be unknown: it is a newer weft's, or was met after the regions were looked up. */
        if (region < 0 || visits->numbers[region].entry == WF_NO_REGION)
            continue;
        struct wf_merged_call *call = &visits->calls[visits->call_count++];
        call->entry = visits->numbers[region].entry;
        call->call = wf_regions_find_call(regions, program, reader, visits->numbers[region].number, visit);
        bool counter = regions->entries[call->entry].kind == WF_REGION_COUNTER;
        call->sums = wf_visit_sums_read(visit, counter);
        visits->entered += counter ? 0 : visit->num;
    }
}

static int merged_call_compare(const void *a, const void *b)
{
    const struct wf_merged_call *x = a, *y = b;
    if (x->entry != y->entry)
        return x->entry < y->entry ? -1 : 1;
    return (x->call > y->call) - (x->call < y->call);
}

static void visit_sums_add(struct wf_visit_sums *sums, const struct wf_visit_sums *more)
{
    sums->num += more->num;
    sums->ticks_raw += more->ticks_raw;
    sums->ticks_virtual += more->ticks_virtual;
    sums->self_raw += more->self_raw;
    sums->self_virtual += more->self_virtual;
    sums->value += more->value;
}

/* Adds up neighbours of one region and statement. */
static void merged_visits_fold_calls(struct wf_merged_visits *visits)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < visits->call_count; first = end) {
        struct wf_merged_call sum = visits->calls[first];
        for (end = first + 1; end < visits->call_count && merged_call_compare(&sum, &visits->calls[end]) == 0; end++)
            visit_sums_add(&sum.sums, &visits->calls[end].sums);
        visits->calls[kept++] = sum;
    }
    visits->call_count = kept;
}

/* A region that was entered and never left has an event, too. */
static void merged_visits_fold(struct wf_merged_visits *visits)
{
    for (size_t first = 0, end; first < visits->call_count; first = end) {
        struct wf_merged_region *event = &visits->events[visits->event_count++];
        *event = (struct wf_merged_region){.entry = visits->calls[first].entry, .first_call = first};
        for (end = first; end < visits->call_count && visits->calls[end].entry == event->entry; end++)
            visit_sums_add(&event->sums, &visits->calls[end].sums);
        event->call_count = end - first;
    }
}

int wf_merged_visits_read(struct wf_merged_visits *visits, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program, struct wf_regions *regions)
{
    visits->event_count = visits->call_count = visits->dangling = 0;
    visits->entered = 0;
    if (merged_visits_reserve(visits, reader) != 0)
        return -1;
    merged_visits_number_regions(visits, reader, program, regions);
    merged_visits_gather(visits, reader, program, regions);
    qsort(visits->calls, visits->call_count, sizeof *visits->calls, merged_call_compare);
    merged_visits_fold_calls(visits);
    merged_visits_fold(visits);
    return 0;
}
