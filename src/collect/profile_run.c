/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run as a whole: the totals over its ranks, and their rows.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect/findings.h"
#include "collect/profile_insert.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION "0.1.0"
#endif

struct run_totals {
    uint64_t overhead_ns, data_bytes, events, visits; /* unsigned: damaged segments may make them wrap */
    uint64_t headers_sent, headers_taken, headers_missing, headers_ambiguous, headers_dropped;
    uint64_t clock_error_ns; /* the largest */
    bool races;              /* they were looked for */
    uint64_t started_ns;     /* since 1970 */
    int64_t wall_ns, wall_raw_ns;
    int64_t deaths_seen; /* ranks that died, of which the moment is known */
    bool complete;
};

int64_t wf_run_wall_ns(const struct wf_collected_ranks *ranks, bool raw)
{
    int64_t origin = INT64_MAX, end = 0, paused = INT64_MAX;
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_collected_rank *rank = &ranks->items[i];
        const struct wf_rank_times *times = &rank->times;
        if (rank->world != 0)
            continue;
        int64_t begin = raw ? wf_collected_rank_begin_ns(rank) : wf_collected_rank_virtual_begin_ns(rank);
        int64_t until = begin + (raw ? times->wall_raw_ns : times->wall_ns) + times->paused_ns;
        origin = begin < origin ? begin : origin;
        end = until > end ? until : end;
        paused = times->paused_ns < paused ? times->paused_ns : paused;
    }
    int64_t wall = end - origin - paused;
    return wall > 0 ? wall : 0;
}

int64_t wf_run_path_from_ns(const struct wf_collected_ranks *ranks, const struct wf_critical *critical)
{
    int64_t origin = INT64_MAX;
    for (size_t i = 0; i < ranks->count; i++)
        if (ranks->items[i].world == 0 && wf_collected_rank_virtual_begin_ns(&ranks->items[i]) < origin)
            origin = wf_collected_rank_virtual_begin_ns(&ranks->items[i]);
    int64_t begin = critical->row_count ? wf_critical_begin_ns(critical) : origin;
    return begin > origin ? begin - origin : 0;
}

static void run_totals_add(struct run_totals *totals, const struct wf_collected_rank *rank)
{
    const struct wf_segment_header *header = rank->header;
    totals->overhead_ns += (uint64_t)rank->times.overhead_ns;
    totals->data_bytes += rank->used_bytes;
    totals->events += rank->lanes.events;
    totals->visits += rank->visits;
    totals->headers_sent += rank->lanes.headers.sent;
    totals->headers_taken += rank->lanes.headers.taken;
    totals->headers_missing += rank->lanes.headers.missing;
    totals->headers_ambiguous += rank->lanes.headers.ambiguous;
    totals->headers_dropped += rank->lanes.headers.dropped;
    totals->deaths_seen += rank->ending == WF_ENDING_DIED && rank->gone_ns != 0;
    totals->races = totals->races || header->races == 1;
    if (header->host_error_ns > totals->clock_error_ns)
        totals->clock_error_ns = header->host_error_ns;
    if (header->epoch_ns0 < totals->started_ns)
        totals->started_ns = header->epoch_ns0;
    totals->complete = totals->complete && wf_collected_rank_complete(rank);
}

static struct run_totals run_totals_of(const struct wf_collected_ranks *ranks, const struct wf_worlds *worlds)
{
    struct run_totals totals = {.started_ns = UINT64_MAX,
                                .wall_ns = wf_run_wall_ns(ranks, false),
                                .wall_raw_ns = wf_run_wall_ns(ranks, true),
                                .complete = true};
    for (size_t i = 0; i < ranks->count; i++)
        run_totals_add(&totals, &ranks->items[i]);
    for (size_t i = 0; i < worlds->count; i++)
        totals.complete = totals.complete && worlds->items[i].present == (size_t)worlds->items[i].size;
    return totals;
}

static void run_format_started(uint64_t ns, char *text, size_t bytes)
{
    time_t seconds = (time_t)(ns / 1000000000u);
    struct tm utc;
    text[0] = '\0';
    if (gmtime_r(&seconds, &utc))
        strftime(text, bytes, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static int64_t run_count_hosts(const struct wf_collected_ranks *ranks)
{
    struct wf_intern hosts = {0};
    for (size_t i = 0; i < ranks->count; i++)
        wf_intern_add_text(&hosts, ranks->items[i].header->host);
    int64_t count = (int64_t)hosts.count;
    wf_intern_fini(&hosts);
    return count;
}

/* The cores of a host that any of its ranks may use. */
static void run_add_cores(const struct wf_collected_ranks *ranks, const char *host, uint64_t *cores)
{
    for (size_t i = 0; i < ranks->count; i++)
        for (size_t word = 0; word < WF_SEGMENT_CORES / 64 && strcmp(ranks->items[i].header->host, host) == 0; word++)
            cores[word] |= ranks->items[i].header->cores[word];
}

/* The cores of all hosts; 0: not known. */
static int64_t run_count_cores(const struct wf_collected_ranks *ranks)
{
    struct wf_intern hosts = {0};
    int64_t sum = 0;
    for (size_t i = 0; i < ranks->count; i++) {
        size_t known = hosts.count;
        uint64_t cores[WF_SEGMENT_CORES / 64] = {0};
        if (wf_intern_add_text(&hosts, ranks->items[i].header->host) != known)
            continue;
        run_add_cores(ranks, ranks->items[i].header->host, cores);
        int64_t of_host = 0;
        for (size_t word = 0; word < WF_SEGMENT_CORES / 64; word++)
            of_host += __builtin_popcountll(cores[word]);
        sum = of_host && sum >= 0 ? sum + of_host : -1;
    }
    wf_intern_fini(&hosts);
    return sum > 0 ? sum : 0;
}

/* Usually one name; several in a run of programs with different libraries. */
static void run_join_mpis(const struct wf_collected_ranks *ranks, char *text, size_t bytes)
{
    struct wf_intern names = {0};
    text[0] = '\0';
    for (size_t i = 0; i < ranks->count; i++) {
        size_t known = names.count, length = strlen(text);
        if (wf_intern_add_text(&names, ranks->items[i].header->mpi) == known)
            snprintf(text + length, bytes - length, "%s%s", length ? ", " : "", ranks->items[i].header->mpi);
    }
    wf_intern_fini(&names);
}

struct run_row {
    const char *key, *text; /* text NULL: a number */
    int64_t number;
};

static int run_insert(struct wf_profile_writer *writer, const struct run_row *rows, size_t count,
                      struct wf_error *error)
{
    for (size_t i = 0; i < count; i++) {
        struct wf_profile_value value = NUMBER(rows[i].number);
        if (rows[i].text)
            value = (struct wf_profile_value)TEXT(rows[i].text);
        if (INSERT(writer, WF_PROFILE_RUN, error, TEXT(rows[i].key), value) != 0)
            return -1;
    }
    return 0;
}

static int run_insert_totals(struct wf_profile_writer *writer, const char *command, const struct run_totals *totals,
                             const struct wf_collected_ranks *ranks, const struct wf_worlds *worlds,
                             struct wf_error *error)
{
    const struct wf_world *world = &worlds->items[0];
    char started[32], mpi[512];
    run_format_started(totals->started_ns, started, sizeof started);
    run_join_mpis(ranks, mpi, sizeof mpi);
    const struct run_row rows[] = {
        {.key = "command", .text = command ? command : ranks->items[0].header->command},
        {.key = "started", .text = started},
        {.key = "wall_ns", .number = totals->wall_ns},
        {.key = "wall_raw_ns", .number = totals->wall_raw_ns},
        {.key = "intrusion_ns", .number = totals->wall_raw_ns - totals->wall_ns},
        {.key = "ranks", .number = (int64_t)world->present},
        {.key = "size", .number = world->size},
        {.key = "hosts", .number = run_count_hosts(ranks)},
        {.key = "cores", .number = run_count_cores(ranks)},
        {.key = "mpi", .text = mpi},
        {.key = "weft", .text = WEFT_VERSION},
        {.key = "complete", .number = totals->complete},
        {.key = "deaths_seen", .number = totals->deaths_seen},
        {.key = "overhead_ns", .number = (int64_t)totals->overhead_ns},
        {.key = "data_bytes", .number = (int64_t)totals->data_bytes},
    };
    return run_insert(writer, rows, sizeof rows / sizeof *rows, error);
}

static int run_insert_path(struct wf_profile_writer *writer, const struct wf_collected_ranks *ranks,
                           const struct wf_critical *critical, struct wf_error *error)
{
    const struct run_row rows[] = {
        {.key = "path_ns", .number = wf_critical_length_ns(critical)},
        {.key = "path_weight", .text = critical->weight == WF_PATH_CPU ? "cpu" : "elapsed"},
        {.key = "path_from_ns", .number = wf_run_path_from_ns(ranks, critical)},
        {.key = "path_lost", .number = (int64_t)critical->lost},
        {.key = "path_parts", .number = (int64_t)critical->parts},
    };
    return run_insert(writer, rows, sizeof rows / sizeof *rows, error);
}

static int run_insert_counts(struct wf_profile_writer *writer, const struct run_totals *totals,
                             const struct wf_collected_ranks *ranks, const struct wf_worlds *worlds,
                             struct wf_error *error)
{
    const struct run_row rows[] = {
        {.key = "clock", .text = wf_findings_clock(ranks)},
        {.key = "clock_error_ns", .number = (int64_t)totals->clock_error_ns},
        {.key = "headers_sent", .number = (int64_t)totals->headers_sent},
        {.key = "headers_taken", .number = (int64_t)totals->headers_taken},
        {.key = "headers_missing", .number = (int64_t)totals->headers_missing},
        {.key = "headers_ambiguous", .number = (int64_t)totals->headers_ambiguous},
        {.key = "headers_dropped", .number = (int64_t)totals->headers_dropped},
        {.key = "worlds", .number = (int64_t)worlds->count},
        {.key = "events", .number = (int64_t)totals->events},
        {.key = "visits", .number = (int64_t)totals->visits},
        {.key = "races", .number = totals->races},
    };
    return run_insert(writer, rows, sizeof rows / sizeof *rows, error);
}

int wf_profile_writer_run(struct wf_profile_writer *writer, const char *command, const struct wf_collected_ranks *ranks,
                          const struct wf_worlds *worlds, const struct wf_critical *critical, struct wf_error *error)
{
    struct run_totals totals = run_totals_of(ranks, worlds);
    if (run_insert_totals(writer, command, &totals, ranks, worlds, error) != 0 ||
        run_insert_path(writer, ranks, critical, error) != 0)
        return -1;
    return run_insert_counts(writer, &totals, ranks, worlds, error);
}
