/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/threads.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/array.h"

void wf_threads_fini(struct wf_threads *threads)
{
    free(threads->of_lane);
    free(threads->sums);
    *threads = (struct wf_threads){0};
}

/* ---- which threads there are ---- */

static int threads_reserve_lanes(struct wf_threads *threads, size_t count)
{
    if (WF_ARRAY_RESERVE(threads->of_lane, threads->lane_capacity, count) != 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        threads->of_lane[i] = WF_NO_THREAD;
    return 0;
}

/* Marks the lanes that called MPI or visited something. */
static void threads_mark_lanes(struct wf_threads *threads, const struct wf_segment_reader *reader)
{
    struct wf_segment_records lanes = wf_segment_reader_records(reader, WF_CHUNK_LANE);
    size_t number = 0;
    for (const struct wf_lane_record *lane; (lane = wf_segment_records_next(&lanes)); number++)
        if (lane->events || lane->current_site)
            threads->of_lane[number] = 0;
    struct wf_segment_records visits = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    while (wf_segment_records_next(&visits)) {
        long lane = wf_segment_reader_find(reader, WF_CHUNK_LANE, visits.lane);
        if (lane >= 0)
            threads->of_lane[lane] = 0;
    }
}

static void threads_number_lanes(struct wf_threads *threads, size_t count)
{
    threads->count = 0;
    for (size_t i = 0; i < count; i++)
        if (threads->of_lane[i] != WF_NO_THREAD)
            threads->of_lane[i] = threads->count++;
}

/* ---- what they did ---- */

static uint32_t threads_of_lane(const struct wf_threads *threads, const struct wf_segment_reader *reader, uint32_t lane)
{
    long number = wf_segment_reader_find(reader, WF_CHUNK_LANE, lane);
    return number < 0 ? WF_NO_THREAD : threads->of_lane[number];
}

static void threads_gather_sites(struct wf_threads *threads, const struct wf_segment_reader *reader,
                                 const struct wf_collected_program *program, const struct wf_sites *sites)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_SITE);
    for (const struct wf_site_record *site; (site = wf_segment_records_next(&records));) {
        uint32_t thread = threads_of_lane(threads, reader, records.lane),
                 key = wf_sites_find(sites, program, reader, site);
        if (thread == WF_NO_THREAD || key == WF_NO_SITE || !(site->calls | site->ticks_raw))
            continue;
        threads->sums[threads->sum_count++] = (struct wf_thread_sums){.thread = thread,
                                                                      .entry = wf_sites_entry(sites, key),
                                                                      .calls = site->calls,
                                                                      .ticks_raw = site->ticks_raw,
                                                                      .ticks_virtual = site->ticks_virtual};
    }
}

static void threads_gather_visits(struct wf_threads *threads, const struct wf_segment_reader *reader,
                                  const struct wf_sites *sites, const struct wf_merged_visits *visits,
                                  const struct wf_regions *regions)
{
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_VISIT);
    for (const struct wf_visit_record *visit; (visit = wf_segment_records_next(&records));) {
        uint32_t thread = threads_of_lane(threads, reader, records.lane),
                 entry = wf_merged_visits_entry(visits, reader, visit);
        if (thread == WF_NO_THREAD || entry == WF_NO_REGION || regions->entries[entry].kind == WF_REGION_COUNTER)
            continue;
        struct wf_visit_sums sums = wf_visit_sums_read(visit, false);
        threads->sums[threads->sum_count++] = (struct wf_thread_sums){.thread = thread,
                                                                      .entry = (uint32_t)wf_sites_count(sites) + entry,
                                                                      .calls = sums.num,
                                                                      .ticks_raw = sums.ticks_raw,
                                                                      .ticks_virtual = sums.ticks_virtual};
    }
}

static int thread_sums_compare(const void *a, const void *b)
{
    const struct wf_thread_sums *x = a, *y = b;
    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static void threads_fold(struct wf_threads *threads)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < threads->sum_count; first = end) {
        struct wf_thread_sums sum = threads->sums[first];
        for (end = first + 1; end < threads->sum_count && thread_sums_compare(&sum, &threads->sums[end]) == 0; end++) {
            sum.calls += threads->sums[end].calls;
            sum.ticks_raw += threads->sums[end].ticks_raw;
            sum.ticks_virtual += threads->sums[end].ticks_virtual;
        }
        threads->sums[kept++] = sum;
    }
    threads->sum_count = kept;
}

int wf_threads_find(struct wf_threads *threads, const struct wf_segment_reader *reader,
                    const struct wf_collected_program *program, const struct wf_sites *sites,
                    const struct wf_merged_visits *visits, const struct wf_regions *regions)
{
    size_t lanes = reader->counts[WF_CHUNK_LANE],
           records = reader->counts[WF_CHUNK_SITE] + reader->counts[WF_CHUNK_VISIT];
    threads->sum_count = 0;
    if (threads_reserve_lanes(threads, lanes) != 0)
        return -1;
    threads_mark_lanes(threads, reader);
    threads_number_lanes(threads, lanes);
    if (threads->count < 2)
        return 0;
    if (WF_ARRAY_RESERVE(threads->sums, threads->sum_capacity, records) != 0)
        return -1;
    threads_gather_sites(threads, reader, program, sites);
    threads_gather_visits(threads, reader, sites, visits, regions);
    qsort(threads->sums, threads->sum_count, sizeof *threads->sums, thread_sums_compare);
    threads_fold(threads);
    return 0;
}
