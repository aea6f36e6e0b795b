/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow: every segment is read twice. First for what its process is and which statements and regions it
 * has; then, when all those are looked up and all ranks have their numbers, for its figures, which go
 * straight into the profile.
 */
#include "collect/collect.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collect/critical.h"
#include "collect/findings.h"
#include "collect/merge.h"
#include "collect/profile_writer.h"
#include "collect/progress.h"
#include "collect/program.h"
#include "collect/rank.h"
#include "collect/regions.h"
#include "collect/segment_reader.h"
#include "collect/sites.h"
#include "collect/threads.h"
#include "collect/visits.h"
#include "collect/waits.h"
#include "collect/world.h"

#ifndef WEFT_VERSION
#define WEFT_VERSION "0.1.0"
#endif

struct collection {
    const struct wf_collect_options *options;
    struct dirent **files;
    int file_count;
    struct wf_progress progress;
    struct wf_segment_reader reader;
    struct wf_refusals refusals;
    struct wf_outsiders outsiders;
    struct wf_ranks ranks;
    struct wf_worlds worlds;
    struct wf_program program;
    struct wf_sites sites;
    struct wf_regions regions;
    struct wf_notes notes, module_notes;
    struct wf_merge merge;
    struct wf_waits waits;
    struct wf_visits visits;
    struct wf_threads threads;
    struct wf_critical critical;
    char *kept; /* room for the name of an older profile, or NULL */
    size_t kept_bytes;
};

static const char *directory_name(const struct collection *c)
{
    return c->options->directory_name ? c->options->directory_name : c->options->directory;
}

static int no_memory(struct wf_error *error)
{
    return wf_error_set(error, "out of memory");
}

/* ---- finding ---- */

static int is_segment_name(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(WF_SEGMENT_SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, WF_SEGMENT_SUFFIX) == 0;
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int find_segments(struct collection *c, struct wf_error *error)
{
    c->file_count = scandir(c->options->directory, &c->files, is_segment_name, compare_names);
    if (c->file_count >= 0)
        return 0;
    c->file_count = 0;
    return wf_error_set(error, "Cannot read the run's directory %s: %s.", directory_name(c),
                        strerror(errno));
}

/* To be freed; NULL without memory. */
static char *path_of(const struct collection *c, const char *file)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", c->options->directory, file) < 0 ? NULL : path;
}

static int load(struct collection *c, const char *file, struct wf_error *reason)
{
    char *path = path_of(c, file);
    if (!path)
        return no_memory(reason);
    int result = wf_segment_reader_load(&c->reader, path, reason);
    free(path);
    return result;
}

/* ---- first reading ---- */

static int add_rank(struct collection *c, const char *file)
{
    if (wf_ranks_add(&c->ranks, &c->reader, file, &c->program, &c->sites) != 0)
        return -1;
    return wf_regions_add_segment(&c->regions, &c->program, &c->reader);
}

static int read_segment(struct collection *c, const char *file)
{
    struct wf_error reason;
    if (load(c, file, &reason) != 0)
        return wf_refusals_add(&c->refusals, file, reason.text);
    if (wf_segment_reader_header(&c->reader)->rank < 0)
        return wf_outsiders_add(&c->outsiders, &c->reader, file);
    return add_rank(c, file);
}

/* A run without MPI: every process is alone in a world of its own. */
static int read_outsiders(struct collection *c)
{
    for (size_t i = 0; i < c->outsiders.count; i++) {
        struct wf_error reason;
        const char *file = c->outsiders.items[i].file;
        int failed = load(c, file, &reason) == 0 ? add_rank(c, file)
                                                 : wf_refusals_add(&c->refusals, file, reason.text);
        if (failed)
            return -1;
    }
    wf_outsiders_fini(&c->outsiders);
    return 0;
}

static int read_segments(struct collection *c)
{
    for (int i = 0; i < c->file_count; i++) {
        if (read_segment(c, c->files[i]->d_name) != 0)
            return -1;
        wf_progress_show(&c->progress, (size_t)i / 2);
    }
    return c->ranks.count == 0 ? read_outsiders(c) : 0;
}

static int settle(struct collection *c)
{
    if (wf_ranks_settle_times(&c->ranks) != 0 || wf_worlds_assign(&c->worlds, &c->ranks) != 0)
        return -1;
    if (wf_program_look_up(&c->program, &c->module_notes) != 0 ||
        wf_regions_declare(&c->regions, &c->program) != 0 || wf_program_settle(&c->program) != 0)
        return -1;
    if (wf_sites_settle(&c->sites, &c->program) != 0)
        return -1;
    return wf_regions_settle(&c->regions, &c->program);
}

/* ---- second reading, into the profile ---- */

static int64_t origin_ns(const struct collection *c)
{
    int64_t origin = INT64_MAX;
    for (size_t i = 0; i < c->ranks.count; i++) {
        int64_t begin = wf_rank_begin_ns(&c->ranks.items[i]);
        origin = begin < origin ? begin : origin;
    }
    return origin;
}

static struct wf_profile_text text_of(struct collection *c)
{
    return (struct wf_profile_text){&c->program, &c->sites, &c->regions};
}

static int add_path(struct collection *c, const struct wf_rank *rank)
{
    char *path = path_of(c, rank->file);
    if (!path)
        return -1;
    int result = wf_critical_add(&c->critical, &c->reader, rank, path, &c->program, &c->sites, &c->regions,
                                 &c->merge, &c->visits);
    free(path);
    return result;
}

static int merge(struct collection *c, const struct wf_rank *rank)
{
    if (wf_merge_segment(&c->merge, &c->reader, &c->program, &c->sites) != 0 ||
        wf_waits_merge(&c->waits, &c->reader, &c->ranks, &c->worlds.items[rank->world], &c->program,
                       &c->sites) != 0 ||
        wf_visits_merge(&c->visits, &c->reader, &c->program, &c->regions) != 0 || add_path(c, rank) != 0)
        return -1;
    return wf_threads_find(&c->threads, &c->reader, &c->program, &c->sites, &c->visits, &c->regions);
}

static int write_figures(struct collection *c, struct wf_profile_writer *writer, const struct wf_rank *rank,
                         struct wf_error *error)
{
    struct wf_profile_text text = text_of(c);
    int64_t first_rank = c->worlds.items[rank->world].first;
    if (wf_profile_writer_threads(writer, rank, &c->reader, &c->threads, error) != 0 ||
        wf_profile_writer_events(writer, rank, first_rank, &c->merge, &c->waits, &text, error) != 0 ||
        wf_profile_writer_visits(writer, rank, &c->visits, &text, error) != 0)
        return -1;
    return wf_profile_writer_off(writer, rank, &c->reader, &c->visits, &text, error);
}

static int write_rank(struct collection *c, struct wf_profile_writer *writer, struct wf_rank *rank,
                      int64_t origin, struct wf_error *error)
{
    struct wf_error reason;
    struct wf_profile_text text = text_of(c);
    bool loaded = load(c, rank->file, &reason) == 0;
    if (loaded && merge(c, rank) != 0)
        return no_memory(error);
    /* In a process that still runs, a record may be newer than the first reading. */
    size_t dangling =
        loaded ? c->merge.dangling + c->waits.dangling + c->visits.dangling + c->critical.dangling : 0;
    if (!loaded || (dangling && rank->ending != WF_ENDING_RUNNING))
        rank->damaged = true;
    if (wf_profile_writer_rank(writer, rank, origin, &text, error) != 0)
        return -1;
    return loaded ? write_figures(c, writer, rank, error) : 0;
}

static int write_ranks(struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    int64_t origin = origin_ns(c);
    for (size_t i = 0; i < c->ranks.count; i++) {
        if (write_rank(c, writer, &c->ranks.items[i], origin, error) != 0)
            return -1;
        wf_progress_show(&c->progress, ((size_t)c->file_count + i) / 2);
    }
    return 0;
}

/* ---- the run ---- */

struct totals {
    uint64_t overhead_ns, data_bytes, events, visits; /* unsigned: damaged segments may make them wrap */
    uint64_t headers_sent, headers_taken, headers_missing, headers_ambiguous, headers_dropped;
    uint64_t clock_error_ns; /* the largest */
    uint64_t started_ns;     /* since 1970 */
    int64_t wall_ns, wall_raw_ns;
    bool complete;
};

/* From the first rank's MPI_Init to the last one's MPI_Finalize, without the pause that all of them made; in
 * virtual time, where every rank begins as much earlier as it had been delayed until then, or in raw time. */
static int64_t run_wall_ns(const struct collection *c, bool raw)
{
    int64_t origin = INT64_MAX, end = 0, paused = INT64_MAX;
    for (size_t i = 0; i < c->ranks.count; i++) {
        const struct wf_rank *rank = &c->ranks.items[i];
        const struct wf_rank_times *times = &rank->times;
        if (rank->world != 0)
            continue;
        int64_t begin = raw ? wf_rank_begin_ns(rank) : wf_rank_virtual_begin_ns(rank);
        int64_t until = begin + (raw ? times->wall_raw_ns : times->wall_ns) + times->paused_ns;
        origin = begin < origin ? begin : origin;
        end = until > end ? until : end;
        paused = times->paused_ns < paused ? times->paused_ns : paused;
    }
    int64_t wall = end - origin - paused;
    return wall > 0 ? wall : 0;
}

/* How long after the beginning of the run that of its critical path was. */
static int64_t path_from_ns(const struct collection *c)
{
    int64_t origin = INT64_MAX;
    for (size_t i = 0; i < c->ranks.count; i++)
        if (c->ranks.items[i].world == 0 && wf_rank_virtual_begin_ns(&c->ranks.items[i]) < origin)
            origin = wf_rank_virtual_begin_ns(&c->ranks.items[i]);
    int64_t begin = c->critical.row_count ? wf_critical_begin_ns(&c->critical) : origin;
    return begin > origin ? begin - origin : 0;
}

static void add_up(struct totals *totals, const struct wf_rank *rank)
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
    if (header->host_error_ns > totals->clock_error_ns)
        totals->clock_error_ns = header->host_error_ns;
    if (header->epoch_ns0 < totals->started_ns)
        totals->started_ns = header->epoch_ns0;
    totals->complete = totals->complete && wf_rank_complete(rank);
}

static struct totals sum_up(const struct collection *c)
{
    struct totals totals = {.started_ns = UINT64_MAX,
                            .wall_ns = run_wall_ns(c, false),
                            .wall_raw_ns = run_wall_ns(c, true),
                            .complete = true};
    for (size_t i = 0; i < c->ranks.count; i++)
        add_up(&totals, &c->ranks.items[i]);
    for (size_t i = 0; i < c->worlds.count; i++)
        totals.complete = totals.complete && c->worlds.items[i].present == (size_t)c->worlds.items[i].size;
    return totals;
}

static void format_started(uint64_t ns, char *text, size_t bytes)
{
    time_t seconds = (time_t)(ns / 1000000000u);
    struct tm utc;
    text[0] = '\0';
    if (gmtime_r(&seconds, &utc))
        strftime(text, bytes, "%Y-%m-%dT%H:%M:%SZ", &utc);
}

static int64_t count_hosts(const struct wf_ranks *ranks)
{
    struct wf_intern hosts = {0};
    for (size_t i = 0; i < ranks->count; i++)
        wf_intern_add_text(&hosts, ranks->items[i].header->host);
    int64_t count = (int64_t)hosts.count;
    wf_intern_fini(&hosts);
    return count;
}

/* One name, as a rule; several in a run of several programs. */
static void join_mpis(const struct wf_ranks *ranks, char *text, size_t bytes)
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

static int write_run(const struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    struct totals totals = sum_up(c);
    const struct wf_world *world = &c->worlds.items[0];
    char started[32], mpi[512];
    format_started(totals.started_ns, started, sizeof started);
    join_mpis(&c->ranks, mpi, sizeof mpi);
    const struct {
        const char *key, *text;
        int64_t number;
    } rows[] = {
        {.key = "command",
         .text = c->options->command ? c->options->command : c->ranks.items[0].header->command},
        {.key = "started", .text = started},
        {.key = "wall_ns", .number = totals.wall_ns},
        {.key = "wall_raw_ns", .number = totals.wall_raw_ns},
        {.key = "intrusion_ns", .number = totals.wall_raw_ns - totals.wall_ns},
        {.key = "ranks", .number = (int64_t)world->present},
        {.key = "size", .number = world->size},
        {.key = "hosts", .number = count_hosts(&c->ranks)},
        {.key = "mpi", .text = mpi},
        {.key = "weft", .text = WEFT_VERSION},
        {.key = "complete", .number = totals.complete},
        {.key = "overhead_ns", .number = (int64_t)totals.overhead_ns},
        {.key = "data_bytes", .number = (int64_t)totals.data_bytes},
        {.key = "path_ns", .number = wf_critical_length_ns(&c->critical)},
        {.key = "path_weight", .text = c->critical.weight == WF_PATH_CPU ? "cpu" : "elapsed"},
        {.key = "path_from_ns", .number = path_from_ns(c)},
        {.key = "path_lost", .number = (int64_t)c->critical.lost},
        {.key = "path_parts", .number = (int64_t)c->critical.parts},
        {.key = "clock", .text = wf_findings_clock(&c->ranks)},
        {.key = "clock_error_ns", .number = (int64_t)totals.clock_error_ns},
        {.key = "headers_sent", .number = (int64_t)totals.headers_sent},
        {.key = "headers_taken", .number = (int64_t)totals.headers_taken},
        {.key = "headers_missing", .number = (int64_t)totals.headers_missing},
        {.key = "headers_ambiguous", .number = (int64_t)totals.headers_ambiguous},
        {.key = "headers_dropped", .number = (int64_t)totals.headers_dropped},
        {.key = "worlds", .number = (int64_t)c->worlds.count},
        {.key = "events", .number = (int64_t)totals.events},
        {.key = "visits", .number = (int64_t)totals.visits},
    };
    int result = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && result == 0; i++)
        result = rows[i].text ? wf_profile_writer_run_text(writer, rows[i].key, rows[i].text, error)
                              : wf_profile_writer_run_number(writer, rows[i].key, rows[i].number, error);
    return result;
}

/* ---- all of it ---- */

static int write_notes(struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    wf_outsiders_note(&c->outsiders, &c->notes);
    if (wf_findings_note(&c->notes, &c->ranks, &c->worlds, &c->refusals, c->options->outer) != 0 ||
        wf_findings_note_compensation(&c->notes, &c->ranks) != 0 ||
        wf_findings_note_off(&c->notes, &c->regions, &c->program) != 0 || c->module_notes.lost)
        return no_memory(error);
    wf_critical_note(&c->critical, &c->notes, path_from_ns(c), run_wall_ns(c, false));
    if (c->notes.lost)
        return no_memory(error);
    if (wf_profile_writer_notes(writer, &c->notes, error) != 0)
        return -1;
    return wf_profile_writer_notes(writer, &c->module_notes, error);
}

static int write_path(struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    struct wf_profile_text text = text_of(c);
    if (wf_critical_settle(&c->critical, &c->program, &c->sites, &c->regions) != 0)
        return no_memory(error);
    return wf_profile_writer_path(writer, &c->critical, c->worlds.items[0].size, &text, error);
}

static int write_profile(struct collection *c, struct wf_error *error)
{
    struct wf_profile_writer *writer;
    struct wf_profile_text text = text_of(c);
    if (wf_profile_writer_open(c->options->output, &writer, error) != 0)
        return -1;
    if (write_ranks(c, writer, error) != 0 || write_path(c, writer, error) != 0 ||
        wf_profile_writer_text(writer, &text, error) != 0 || write_notes(c, writer, error) != 0 ||
        write_run(c, writer, error) != 0) {
        wf_profile_writer_abandon(writer);
        return -1;
    }
    return wf_profile_writer_finish(writer, c->kept, c->kept_bytes, error);
}

static int collect(struct collection *c, struct wf_error *error)
{
    struct wf_error cause;
    if (find_segments(c, error) != 0)
        return -1;
    wf_progress_init(&c->progress, c->options->progress, (size_t)c->file_count);
    int result = read_segments(c);
    if (result == 0 && c->ranks.count == 0)
        return 0;
    if (result == 0)
        result = settle(c);
    result = result == 0 ? write_profile(c, &cause) : no_memory(&cause);
    if (result != 0)
        wf_error_set(error, "Cannot write the profile %s: %s; the run's data is kept in %s.",
                     c->options->output, cause.text, directory_name(c));
    return result;
}

static void collection_fini(struct collection *c)
{
    wf_progress_fini(&c->progress);
    for (int i = 0; i < c->file_count; i++)
        free(c->files[i]);
    free(c->files);
    wf_segment_reader_fini(&c->reader);
    wf_refusals_fini(&c->refusals);
    wf_outsiders_fini(&c->outsiders);
    wf_ranks_fini(&c->ranks);
    wf_worlds_fini(&c->worlds);
    wf_program_fini(&c->program);
    wf_sites_fini(&c->sites);
    wf_regions_fini(&c->regions);
    wf_notes_fini(&c->notes);
    wf_notes_fini(&c->module_notes);
    wf_merge_fini(&c->merge);
    wf_waits_fini(&c->waits);
    wf_visits_fini(&c->visits);
    wf_threads_fini(&c->threads);
    wf_critical_fini(&c->critical);
}

int wf_collect(const struct wf_collect_options *options, struct wf_collect_result *result,
               struct wf_error *error)
{
    struct collection c = {.options = options};
    result->kept[0] = '\0';
    if (options->keep_older) {
        c.kept = result->kept;
        c.kept_bytes = sizeof result->kept;
    }
    int status = collect(&c, error);
    if (status == 0) {
        result->segments = c.file_count;
        result->ranks = (int)c.ranks.count;
        result->refused = (int)c.refusals.count;
    }
    collection_fini(&c);
    return status;
}
