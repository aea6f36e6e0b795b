/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/rank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

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
    {NULL, 0},
};

static int64_t value_at(const struct wf_rank *rank, size_t place)
{
    return *(const int64_t *)((const char *)rank + place);
}

int64_t wf_rank_value(const struct wf_rank *rank, const struct wf_rank_field *field)
{
    return value_at(rank, field->place);
}

static void build_question(char *sql, size_t bytes)
{
    int length = snprintf(sql, bytes, "SELECT host, ending");
    for (const struct wf_rank_field *f = wf_rank_fields; f->name; f++)
        length += snprintf(sql + length, bytes - (size_t)length, ", %s", f->name);
    snprintf(sql + length, bytes - (size_t)length, " FROM rank ORDER BY world, rank");
}

static void add(struct wf_rank_list *list, struct wf_query *query)
{
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    struct wf_rank *rank = &list->items[list->count++];
    rank->host = wf_query_text(query, 0);
    rank->ending = wf_query_text(query, 1);
    int column = 2;
    for (const struct wf_rank_field *f = wf_rank_fields; f->name; f++)
        *(int64_t *)((char *)rank + f->place) = wf_query_integer(query, column++);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void count_world(struct wf_rank_list *list)
{
    const char **hosts = wf_memory_array(list->count, sizeof *hosts);
    for (size_t i = 0; i < list->count && list->items[i].world == 0; i++)
        hosts[list->first_world++] = list->items[i].host;
    qsort(hosts, list->first_world, sizeof *hosts, by_text);
    for (size_t i = 0; i < list->first_world; i++)
        list->hosts += i == 0 || strcmp(hosts[i], hosts[i - 1]) != 0;
    free(hosts);
}

/* wf_rank_list_find relies on this order, which the collector promises. */
static bool is_ordered(const struct wf_rank_list *list)
{
    for (size_t i = 1; i < list->count; i++)
        if (list->items[i].rank <= list->items[i - 1].rank)
            return false;
    return true;
}

int wf_rank_list_read(struct wf_rank_list *list, struct wf_profile *profile, struct wf_error *error)
{
    struct wf_query query;
    char sql[1024];
    *list = (struct wf_rank_list){0};
    build_question(sql, sizeof sql);
    int result = wf_query_open(&query, profile, sql, error);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1) {
        add(list, &query);
        result = 0;
    }
    wf_query_close(&query);
    if (result == 0 && !is_ordered(list))
        result = wf_profile_damaged(profile, error, "its ranks are out of order");
    if (result == 0)
        count_world(list);
    else
        wf_rank_list_free(list);
    return result;
}

void wf_rank_list_free(struct wf_rank_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].host);
        free(list->items[i].ending);
    }
    free(list->items);
    *list = (struct wf_rank_list){0};
}

int wf_rank_list_find(const struct wf_rank_list *list, int64_t rank)
{
    size_t low = 0, high = list->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list->items[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < list->count && list->items[low].rank == rank ? (int)low : -1;
}

int64_t wf_rank_list_sum(const struct wf_rank_list *list, size_t place)
{
    int64_t sum = 0;
    for (size_t i = 0; i < list->first_world; i++)
        wf_sum_add(&sum, value_at(&list->items[i], place));
    return sum;
}

const struct wf_rank *wf_rank_list_largest(const struct wf_rank_list *list, size_t place)
{
    const struct wf_rank *largest = NULL;
    for (size_t i = 0; i < list->first_world; i++)
        if (!largest || value_at(&list->items[i], place) > value_at(largest, place))
            largest = &list->items[i];
    return largest;
}

bool wf_rank_ended_well(const struct wf_rank *rank)
{
    return !strcmp(rank->ending, "finalized");
}
