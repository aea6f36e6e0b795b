/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"
#include "base/bisection.h"

#define FIELD(name)                           \
    {                                         \
#name, offsetof(struct wf_rank, name) \
    }
const struct wf_rank_field wf_rank_fields[] = {
    FIELD(rank),
    FIELD(world),
    FIELD(world_rank),
    FIELD(pid),
    FIELD(started_ns),
    FIELD(wall_ns),
    FIELD(wall_raw_ns),
    FIELD(mpi_ns),
    FIELD(mpi_raw_ns),
    FIELD(useful_ns),
    FIELD(sync_ns),
    FIELD(sync_raw_ns),
    FIELD(transfer_ns),
    {"polling_ns", offsetof(struct wf_rank, idle.polling_ns)},
    {"no_core_ns", offsetof(struct wf_rank, idle.no_core_ns)},
    {"unexplained_ns", offsetof(struct wf_rank, idle.unexplained_ns)},
    FIELD(no_core_outside_ns),
    FIELD(no_core_all_ns),
    FIELD(ideal_ns),
    FIELD(init_ns),
    FIELD(finalize_ns),
    FIELD(paused_ns),
    FIELD(overhead_ns),
    FIELD(intrusion_ns),
    FIELD(probe_ns),
    FIELD(probe_inner_ns),
    FIELD(pair_ns),
    FIELD(pair_inner_ns),
    FIELD(probe_check_expected_ns),
    FIELD(probe_check_seen_ns),
    FIELD(clock_offset_ns),
    FIELD(clock_drift_ppb),
    FIELD(clock_error_ns),
    FIELD(headers_sent),
    FIELD(headers_taken),
    FIELD(headers_missing),
    FIELD(headers_ambiguous),
    FIELD(headers_dropped),
    FIELD(events),
    FIELD(threads),
    FIELD(segment_bytes),
    FIELD(dropped_calls),
    FIELD(dropped_ns),
    FIELD(dropped_requests),
    FIELD(complete),
    FIELD(end_code),
    FIELD(last_site),
    FIELD(last_site_ns),
    {NULL, 0},
};

static int64_t rank_value_at(const struct wf_rank *rank, size_t place)
{
    return *(const int64_t *)((const char *)rank + place);
}

int64_t wf_rank_value(const struct wf_rank *rank, const struct wf_rank_field *field)
{
    return rank_value_at(rank, field->place);
}

static void rank_list_sql(char *sql, size_t bytes)
{
    int length = snprintf(sql, bytes, "SELECT host, ending, s.type, s.name, s.file, p.name, s.line");
    for (const struct wf_rank_field *f = wf_rank_fields; f->name; f++)
        length += snprintf(sql + length, bytes - (size_t)length, ", rank.%s", f->name);
    snprintf(sql + length, bytes - (size_t)length,
             " FROM rank LEFT JOIN weft_site s ON s.id = last_region LEFT JOIN weft_procedure p ON p.id = s.procedure"
             " ORDER BY world, rank");
}

static int rank_list_add(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_rank_list *list = context;
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    struct wf_rank *rank = &list->items[list->count++];
    rank->host = wf_query_text(query, 0);
    rank->ending = wf_query_text(query, 1);
    rank->region = (struct wf_rank_region){.type = wf_query_text(query, 2),
                                           .name = wf_query_text(query, 3),
                                           .file = wf_query_text(query, 4),
                                           .procedure = wf_query_text(query, 5),
                                           .line = wf_query_integer(query, 6)};
    int column = 7;
    for (const struct wf_rank_field *f = wf_rank_fields; f->name; f++)
        *(int64_t *)((char *)rank + f->place) = wf_query_integer(query, column++);
    return 0;
}

static int rank_list_by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void rank_list_count_world(struct wf_rank_list *list)
{
    const char **hosts = wf_memory_array(list->count, sizeof *hosts);
    for (size_t i = 0; i < list->count && list->items[i].world == 0; i++)
        hosts[list->first_world++] = list->items[i].host;
    qsort(hosts, list->first_world, sizeof *hosts, rank_list_by_text);
    for (size_t i = 0; i < list->first_world; i++)
        list->hosts += i == 0 || strcmp(hosts[i], hosts[i - 1]) != 0;
    free(hosts);
}

/* wf_rank_list_find relies on this order, in which the collector writes them. */
static bool rank_list_is_ordered(const struct wf_rank_list *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (list->items[i].rank <= list->items[i - 1].rank)
            return false;
    return true;
}

int wf_rank_list_read(struct wf_rank_list *list, struct wf_profile *profile, struct wf_error *error)
{
    char sql[2048];
    *list = (struct wf_rank_list){0};
    rank_list_sql(sql, sizeof sql);
    int result = wf_query_each(profile, sql, rank_list_add, list, error);
    if (result == 0 && !rank_list_is_ordered(list))
        result = wf_profile_damaged(profile, error, "its ranks are out of order");
    if (result == 0)
        rank_list_count_world(list);
    else
        wf_rank_list_free(list);
    return result;
}

void wf_rank_list_free(struct wf_rank_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].host);
        free(list->items[i].ending);
        free(list->items[i].region.type);
        free(list->items[i].region.name);
        free(list->items[i].region.file);
        free(list->items[i].region.procedure);
    }
    free(list->items);
    *list = (struct wf_rank_list){0};
}

struct wf_parts wf_rank_parts(const struct wf_rank *rank)
{
    return wf_parts_of(rank->mpi_ns, rank->sync_ns, &rank->idle);
}

int wf_rank_list_find(const struct wf_rank_list *list, int64_t rank)
{
    struct wf_bisection b = {.high = list->count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, list->items[b.middle].rank < rank);
    return b.low < list->count && list->items[b.low].rank == rank ? (int)b.low : -1;
}

int64_t wf_rank_list_sum(const struct wf_rank_list *list, size_t place)
{
    int64_t sum = 0;
    for (size_t i = 0; i < list->first_world; i++)
        wf_sum_add(&sum, rank_value_at(&list->items[i], place));
    return sum;
}

const struct wf_rank *wf_rank_list_largest(const struct wf_rank_list *list, size_t place)
{
    const struct wf_rank *largest = NULL;
    for (size_t i = 0; i < list->first_world; i++)
        if (!largest || rank_value_at(&list->items[i], place) > rank_value_at(largest, place))
            largest = &list->items[i];
    return largest;
}

int64_t wf_rank_end_ns(const struct wf_rank *rank)
{
    int64_t end_ns = rank->started_ns;
    wf_sum_add(&end_ns, rank->wall_raw_ns);
    wf_sum_add(&end_ns, rank->paused_ns);
    wf_sum_add(&end_ns, rank->finalize_ns);
    return end_ns;
}

bool wf_rank_ended_well(const struct wf_rank *rank)
{
    return !strcmp(rank->ending, "finalized");
}
