/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/critical.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

/* A region is hot if it takes at least this part of all ranks' time, and if speeding it up saves less than this part of
 * the run. */
static const double hot_time = 0.05, no_saving = 0.01;

/* ---- reading ---- */

static const char regions_sql[] = "SELECT kind, name, file, procedure, line, regions, share_ns, "
                                  "all_share_ns, whatif_25_ns, whatif_50_ns, whatif_75_ns, zeroing_ns,"
                                  " all_25_ns, all_50_ns, all_75_ns, all_100_ns, time_ns, wait_ns, idle_ns FROM path "
                                  "ORDER BY share_ns DESC, all_share_ns DESC, time_ns DESC, file,"
                                  " line, name";

static const char places_sql[] =
    "SELECT first_rank, last_rank, share_ns, arrivals FROM path_place ORDER BY share_ns DESC, first_rank";

static struct wf_critical_region critical_region_read(struct wf_query *query)
{
    struct wf_critical_region region = {.kind = wf_query_text(query, 0),
                                        .name = wf_query_text(query, 1),
                                        .file = wf_query_text(query, 2),
                                        .procedure = wf_query_text(query, 3),
                                        .line = wf_query_integer(query, 4),
                                        .regions = wf_query_integer(query, 5),
                                        .share_ns = wf_query_integer(query, 6),
                                        .all_share_ns = wf_query_integer(query, 7),
                                        .all_share_known = !wf_query_null(query, 7),
                                        .saved_known = !wf_query_null(query, 11),
                                        .all_known = !wf_query_null(query, 15),
                                        .time_known = !wf_query_null(query, 16),
                                        .time_ns = wf_query_integer(query, 16),
                                        .wait_ns = wf_query_integer(query, 17),
                                        .idle_ns = wf_query_integer(query, 18)};
    for (int step = 0; step < WF_CRITICAL_STEPS; step++) {
        region.saved_ns[step] = wf_query_integer(query, 8 + step);
        region.all_saved_ns[step] = wf_query_integer(query, 12 + step);
    }
    return region;
}

static void critical_region_free(struct wf_critical_region *region)
{
    free(region->kind);
    free(region->name);
    free(region->file);
    free(region->procedure);
}

static void critical_region_replace(struct wf_critical_region *region, struct wf_critical_region with)
{
    critical_region_free(region);
    *region = with;
}

/* Adds a region; the two rows that are no regions have places of their own. */
static int critical_path_add_region(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_critical_path *path = context;
    struct wf_critical_region region = critical_region_read(query);
    if (!strcmp(region.kind, "other")) {
        critical_region_replace(&path->other, region);
    } else if (!strcmp(region.kind, "transfer")) {
        critical_region_replace(&path->transfer, region);
    } else {
        path->regions = wf_memory_grow(path->regions, path->count, sizeof *path->regions);
        path->regions[path->count++] = region;
    }
    return 0;
}

static int critical_path_add_place(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_critical_path *path = context;
    path->places = wf_memory_grow(path->places, path->place_count, sizeof *path->places);
    path->places[path->place_count++] = (struct wf_critical_place){.first_rank = wf_query_integer(query, 0),
                                                                   .last_rank = wf_query_integer(query, 1),
                                                                   .share_ns = wf_query_integer(query, 2),
                                                                   .arrivals = wf_query_integer(query, 3)};
    return 0;
}

/* ---- what is hot ---- */

int64_t wf_critical_region_busy_ns(const struct wf_critical_region *region)
{
    int64_t lost_ns = region->wait_ns, ns;
    wf_sum_add(&lost_ns, region->idle_ns);
    return __builtin_sub_overflow(region->time_ns, lost_ns, &ns) ? 0 : ns;
}

/* Its time includes that of its loops; so what counts is what it would save with all inside it, too. */
static bool critical_region_saves_nothing(const struct wf_critical_region *region, const struct wf_critical_path *path)
{
    double most = no_saving * (double)path->whole_ns;
    return region->saved_known && (double)region->saved_ns[WF_CRITICAL_STEPS - 1] < most &&
           (!region->all_known || (double)region->all_saved_ns[WF_CRITICAL_STEPS - 1] < most);
}

static void critical_path_find_hot(struct wf_critical_path *path)
{
    for (size_t i = 0; i < path->count; i++) {
        struct wf_critical_region *region = &path->regions[i];
        region->hot = region->time_known && path->time_ns > 0 &&
                      (double)wf_critical_region_busy_ns(region) >= hot_time * (double)path->time_ns &&
                      critical_region_saves_nothing(region, path);
    }
}

static int critical_region_by_time(const void *left, const void *right)
{
    int64_t a = wf_critical_region_busy_ns(*(const struct wf_critical_region *const *)left),
            b = wf_critical_region_busy_ns(*(const struct wf_critical_region *const *)right);
    return (a < b) - (a > b);
}

const struct wf_critical_region **wf_critical_path_hot(const struct wf_critical_path *path)
{
    const struct wf_critical_region **hot = wf_memory_array(path->count + 1, sizeof *hot);
    size_t count = 0;
    for (size_t i = 0; i < path->count; i++)
        if (path->regions[i].hot)
            hot[count++] = &path->regions[i];
    qsort(hot, count, sizeof *hot, critical_region_by_time);
    return hot;
}

/* ---- all of it ---- */

int wf_critical_path_read(struct wf_critical_path *path, struct wf_profile *profile, const struct wf_program *program,
                          const struct wf_rank_list *ranks, struct wf_error *error)
{
    int64_t wall_ns = wf_program_integer(program, "wall_ns"), length_ns = wf_program_integer(program, "path_ns");
    bool cpu = !strcmp(wf_program_text(program, "path_weight"), "cpu");
    *path = (struct wf_critical_path){.length_ns = length_ns > 0 ? length_ns : 0,
                                      .from_ns = wf_program_integer(program, "path_from_ns"),
                                      .whole_ns = !cpu && wall_ns > length_ns ? wall_ns : length_ns,
                                      .time_ns = wf_rank_list_sum(ranks, offsetof(struct wf_rank, wall_ns)),
                                      .parts = wf_program_integer(program, "path_parts"),
                                      .lost = wf_program_integer(program, "path_lost"),
                                      .cpu = cpu};
    if (wf_query_each(profile, regions_sql, critical_path_add_region, path, error) ||
        wf_query_each(profile, places_sql, critical_path_add_place, path, error)) {
        wf_critical_path_free(path);
        return -1;
    }
    critical_path_find_hot(path);
    path->rest_ns = path->other.share_ns;
    wf_sum_add(&path->rest_ns, path->transfer.share_ns);
    return 0;
}

void wf_critical_path_free(struct wf_critical_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        critical_region_free(&path->regions[i]);
    critical_region_free(&path->other);
    critical_region_free(&path->transfer);
    free(path->regions);
    free(path->places);
    *path = (struct wf_critical_path){0};
}

char *wf_critical_region_place(const struct wf_critical_region *region)
{
    char *place;
    if (region->line == 0)
        return wf_memory_text(region->file);
    return asprintf(&place, "%s:%lld", region->file, (long long)region->line) < 0 ? wf_memory_text("") : place;
}
