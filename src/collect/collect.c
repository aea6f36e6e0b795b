/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The flow of the collector: every segment is read twice. The first time for what its process is and which statements
 * and regions it has. The second time, when these are looked up and all ranks have their numbers, for its figures,
 * which go straight into the profile.
 */
#include "collect/collect.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collect/critical.h"
#include "collect/findings.h"
#include "collect/merged_events.h"
#include "collect/merged_visits.h"
#include "collect/merged_orders.h"
#include "collect/merged_waits.h"
#include "collect/profile_writer.h"
#include "collect/program.h"
#include "collect/progress.h"
#include "collect/rank.h"
#include "collect/regions.h"
#include "collect/segment_reader.h"
#include "collect/sites.h"
#include "collect/threads.h"
#include "collect/unfinished.h"
#include "collect/world.h"

struct collection {
    const struct wf_collect_options *options;
    struct dirent **files;
    int file_count;
    struct wf_progress progress;
    struct wf_segment_reader reader;
    struct wf_refusals refusals;
    struct wf_outsiders outsiders;
    struct wf_collected_ranks ranks;
    struct wf_worlds worlds;
    struct wf_collected_program program;
    struct wf_sites sites;
    struct wf_regions regions;
    struct wf_notes notes, module_notes;
    struct wf_merged_events merged;
    struct wf_merged_waits waits;
    struct wf_merged_orders orders;
    struct wf_merged_visits visits;
    struct wf_threads threads;
    struct wf_critical critical;
    char *kept; /* room for the name of an older profile, or NULL */
    size_t kept_bytes;
};

static const char *collection_directory_name(const struct collection *c)
{
    return c->options->directory_name ? c->options->directory_name : c->options->directory;
}

static int collection_no_memory(struct wf_error *error)
{
    return wf_error_set(error, "out of memory");
}

/* ---- finding ---- */

static int collection_is_segment(const struct dirent *entry)
{
    size_t length = strlen(entry->d_name), suffix = strlen(WF_SEGMENT_SUFFIX);
    return length > suffix && strcmp(entry->d_name + length - suffix, WF_SEGMENT_SUFFIX) == 0;
}

static int collection_compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int collection_find_segments(struct collection *c, struct wf_error *error)
{
    c->file_count = scandir(c->options->directory, &c->files, collection_is_segment, collection_compare_names);
    if (c->file_count >= 0)
        return 0;
    c->file_count = 0;
    return wf_error_set(error, "Cannot read the run's directory %s: %s.", collection_directory_name(c),
                        strerror(errno));
}

/* To be freed; NULL without memory. */
static char *collection_path(const struct collection *c, const char *file)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", c->options->directory, file) < 0 ? NULL : path;
}

static int collection_load(struct collection *c, const char *file, struct wf_error *reason)
{
    char *path = collection_path(c, file);
    if (!path)
        return collection_no_memory(reason);
    int result = wf_segment_reader_load(&c->reader, path, reason);
    free(path);
    return result;
}

/* ---- first reading ---- */

/* The moment when a guardian found the process to be gone; 0: none did. */
static int64_t collection_gone_ns(const struct collection *c, const char *file)
{
    char *path = NULL, text[32] = "";
    size_t stem = strlen(file) - strlen(WF_SEGMENT_SUFFIX);
    if (asprintf(&path, "%s/" WF_SEGMENT_GONE "%.*s", c->options->directory, (int)stem, file) < 0)
        return 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    free(path);
    return n > 0 ? strtoll(text, NULL, 10) : 0;
}

static int collection_add_rank(struct collection *c, const char *file)
{
    if (wf_collected_ranks_add(&c->ranks, &c->reader, file, &c->program, &c->sites) != 0)
        return -1;
    c->ranks.items[c->ranks.count - 1].gone_ns = collection_gone_ns(c, file);
    return wf_regions_add_segment(&c->regions, &c->program, &c->reader);
}

static int collection_read_segment(struct collection *c, const char *file)
{
    struct wf_error reason;
    if (collection_load(c, file, &reason) != 0)
        return wf_refusals_add(&c->refusals, file, reason.text);
    if (wf_segment_reader_header(&c->reader)->rank < 0)
        return wf_outsiders_add(&c->outsiders, &c->reader, file);
    return collection_add_rank(c, file);
}

/* In a run without MPI, every process is alone in a world of its own. */
static int collection_read_outsiders(struct collection *c)
{
    for (size_t i = 0; i < c->outsiders.count; i++) {
        struct wf_error reason;
        const char *file = c->outsiders.items[i].file;
        int failed = collection_load(c, file, &reason) == 0 ? collection_add_rank(c, file)
                                                            : wf_refusals_add(&c->refusals, file, reason.text);
        if (failed)
            return -1;
    }
    wf_outsiders_fini(&c->outsiders);
    return 0;
}

static int collection_read_segments(struct collection *c)
{
    for (int i = 0; i < c->file_count; i++) {
        if (collection_read_segment(c, c->files[i]->d_name) != 0)
            return -1;
        wf_progress_show(&c->progress, (size_t)i / 2);
    }
    return c->ranks.count == 0 ? collection_read_outsiders(c) : 0;
}

static int collection_settle(struct collection *c)
{
    if (wf_collected_ranks_settle_times(&c->ranks) != 0 || wf_worlds_assign(&c->worlds, &c->ranks) != 0)
        return -1;
    if (wf_collected_program_look_up(&c->program, &c->module_notes) != 0 ||
        wf_regions_declare(&c->regions, &c->program) != 0 || wf_collected_program_settle(&c->program) != 0)
        return -1;
    if (wf_sites_settle(&c->sites, &c->program) != 0)
        return -1;
    return wf_regions_settle(&c->regions, &c->program);
}

/* ---- second reading, into the profile ---- */

static int64_t collection_origin_ns(const struct collection *c)
{
    int64_t origin = INT64_MAX;
    for (size_t i = 0; i < c->ranks.count; i++) {
        int64_t begin = wf_collected_rank_virtual_begin_ns(&c->ranks.items[i]);
        origin = begin < origin ? begin : origin;
    }
    return origin;
}

static struct wf_profile_text collection_text(struct collection *c)
{
    return (struct wf_profile_text){&c->program, &c->sites, &c->regions};
}

static int collection_add_path(struct collection *c, const struct wf_collected_rank *rank)
{
    char *path = collection_path(c, rank->file);
    if (!path)
        return -1;
    int result = wf_critical_add(&c->critical, &c->reader, rank, path, &c->program, &c->sites, &c->regions, &c->merged,
                                 &c->visits);
    free(path);
    return result;
}

static int collection_merge(struct collection *c, const struct wf_collected_rank *rank)
{
    if (wf_merged_events_read(&c->merged, &c->reader, &c->program, &c->sites) != 0 ||
        wf_merged_waits_read(&c->waits, &c->reader, &c->ranks, &c->worlds.items[rank->world], &c->program, &c->sites) !=
            0 ||
        wf_merged_orders_read(&c->orders, &c->reader, &c->program, &c->sites) != 0 ||
        wf_merged_visits_read(&c->visits, &c->reader, &c->program, &c->regions) != 0 ||
        collection_add_path(c, rank) != 0)
        return -1;
    return wf_threads_find(&c->threads, &c->reader, &c->program, &c->sites, &c->visits, &c->regions);
}

static int collection_write_figures(struct collection *c, struct wf_profile_writer *writer,
                                    const struct wf_collected_rank *rank, struct wf_error *error)
{
    struct wf_profile_text text = collection_text(c);
    int64_t first_rank = c->worlds.items[rank->world].first;
    if (wf_profile_writer_threads(writer, rank, &c->reader, &c->threads, error) != 0 ||
        wf_profile_writer_events(writer, rank, first_rank, &c->merged, &c->waits, &c->orders, &text, error) != 0 ||
        wf_profile_writer_visits(writer, rank, &c->visits, &text, error) != 0)
        return -1;
    if (wf_profile_writer_last_region(writer, rank, &c->reader, &c->visits, &text, error) != 0)
        return -1;
    return wf_profile_writer_off(writer, rank, &c->reader, &c->visits, &text, error);
}

static int collection_write_rank(struct collection *c, struct wf_profile_writer *writer, struct wf_collected_rank *rank,
                                 int64_t origin, struct wf_error *error)
{
    struct wf_error reason;
    struct wf_profile_text text = collection_text(c);
    bool loaded = collection_load(c, rank->file, &reason) == 0;
    if (loaded)
        wf_unfinished_end(&c->reader, rank->seen_ticks);
    if (loaded && collection_merge(c, rank) != 0)
        return collection_no_memory(error);
    /* In a process that still runs, a record may be newer than the first reading: that is no damage. */
    size_t dangling =
        loaded ? c->merged.dangling + c->waits.dangling + c->orders.dangling + c->visits.dangling + c->critical.dangling
               : 0;
    if (!loaded || (dangling && rank->ending != WF_ENDING_RUNNING))
        rank->damaged = true;
    if (wf_profile_writer_rank(writer, rank, origin, &text, error) != 0)
        return -1;
    return loaded ? collection_write_figures(c, writer, rank, error) : 0;
}

static int collection_write_ranks(struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    int64_t origin = collection_origin_ns(c);
    for (size_t i = 0; i < c->ranks.count; i++) {
        if (collection_write_rank(c, writer, &c->ranks.items[i], origin, error) != 0)
            return -1;
        wf_progress_show(&c->progress, ((size_t)c->file_count + i) / 2);
    }
    return 0;
}

/* ---- all of it ---- */

static int collection_write_notes(struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    wf_outsiders_note(&c->outsiders, &c->notes);
    if (wf_findings_note(&c->notes, &c->ranks, &c->worlds, &c->refusals, c->options->outer) != 0 ||
        wf_findings_note_compensation(&c->notes, &c->ranks) != 0 ||
        wf_findings_note_off(&c->notes, &c->regions, &c->program) != 0 || c->module_notes.lost)
        return collection_no_memory(error);
    wf_critical_note(&c->critical, &c->notes, wf_run_path_from_ns(&c->ranks, &c->critical),
                     wf_run_wall_ns(&c->ranks, false));
    if (c->notes.lost)
        return collection_no_memory(error);
    if (wf_profile_writer_notes(writer, &c->notes, error) != 0)
        return -1;
    return wf_profile_writer_notes(writer, &c->module_notes, error);
}

static int collection_write_path(struct collection *c, struct wf_profile_writer *writer, struct wf_error *error)
{
    struct wf_profile_text text = collection_text(c);
    if (wf_critical_settle(&c->critical, &c->program, &c->sites, &c->regions) != 0)
        return collection_no_memory(error);
    return wf_profile_writer_path(writer, &c->critical, c->worlds.items[0].size, &text, error);
}

static int collection_write_profile(struct collection *c, struct wf_error *error)
{
    struct wf_profile_writer *writer;
    struct wf_profile_text text = collection_text(c);
    if (wf_profile_writer_open(c->options->output, &writer, error) != 0)
        return -1;
    if (collection_write_ranks(c, writer, error) != 0 || collection_write_path(c, writer, error) != 0 ||
        wf_profile_writer_text(writer, &text, error) != 0 || collection_write_notes(c, writer, error) != 0 ||
        wf_profile_writer_run(writer, c->options->command, &c->ranks, &c->worlds, &c->critical, error) != 0) {
        wf_profile_writer_abandon(writer);
        return -1;
    }
    return wf_profile_writer_finish(writer, c->kept, c->kept_bytes, error);
}

static int collection_run(struct collection *c, struct wf_error *error)
{
    struct wf_error cause;
    if (collection_find_segments(c, error) != 0)
        return -1;
    wf_progress_init(&c->progress, c->options->progress, (size_t)c->file_count);
    int result = collection_read_segments(c);
    if (result == 0 && c->ranks.count == 0)
        return 0;
    if (result == 0)
        result = collection_settle(c);
    result = result == 0 ? collection_write_profile(c, &cause) : collection_no_memory(&cause);
    if (result != 0)
        wf_error_set(error, "Cannot write the profile %s: %s; the run's data is kept in %s.", c->options->output,
                     cause.text, collection_directory_name(c));
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
    wf_collected_ranks_fini(&c->ranks);
    wf_worlds_fini(&c->worlds);
    wf_collected_program_fini(&c->program);
    wf_sites_fini(&c->sites);
    wf_regions_fini(&c->regions);
    wf_notes_fini(&c->notes);
    wf_notes_fini(&c->module_notes);
    wf_merged_events_fini(&c->merged);
    wf_merged_waits_fini(&c->waits);
    wf_merged_orders_fini(&c->orders);
    wf_merged_visits_fini(&c->visits);
    wf_threads_fini(&c->threads);
    wf_critical_fini(&c->critical);
}

int wf_collect(const struct wf_collect_options *options, struct wf_collect_result *result, struct wf_error *error)
{
    struct collection c = {.options = options};
    result->kept[0] = '\0';
    if (options->keep_older) {
        c.kept = result->kept;
        c.kept_bytes = sizeof result->kept;
    }
    int status = collection_run(&c, error);
    if (status == 0) {
        result->segments = c.file_count;
        result->ranks = (int)c.ranks.count;
        result->refused = (int)c.refusals.count;
    }
    collection_fini(&c);
    return status;
}
