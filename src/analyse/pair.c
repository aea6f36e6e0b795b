/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/pair.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

static void pair_list_add(struct wf_pair_list *list, int64_t rank, struct wf_query *query)
{
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    struct wf_pair *pair = &list->items[list->count++];
    *pair = (struct wf_pair){
        .rank = rank,
        .partner = wf_query_integer(query, 0),
        .count = wf_query_integer(query, 1),
        .bytes = wf_query_integer(query, 2),
        .transfer_ns = wf_query_integer(query, 3),
        .transfer_raw_ns = wf_query_integer(query, 4),
        .sync_delay_ns = wf_query_integer(query, 5),
        .sync_delay_raw_ns = wf_query_integer(query, 6),
    };
    pair->time_ns = pair->transfer_ns;
    pair->time_raw_ns = pair->transfer_raw_ns;
    wf_sum_add(&pair->time_ns, pair->sync_delay_ns);
    wf_sum_add(&pair->time_raw_ns, pair->sync_delay_raw_ns);
    wf_sum_add(&list->time_ns, pair->time_ns);
    wf_sum_add(&list->sync_delay_ns, pair->sync_delay_ns);
}

/* weft_com is stored by event, so asking for one event after the other reads only the rows that are needed. */
int wf_pair_list_read(struct wf_pair_list *list, struct wf_profile *profile, const struct wf_statement *statement,
                      const struct wf_rank_list *ranks, struct wf_error *error)
{
    struct wf_query query;
    *list = (struct wf_pair_list){0};
    int result =
        wf_query_open(&query, profile,
                      "SELECT dest_node, trans_num, bytes, trans_time, trans_time_raw, sync_delay, sync_delay_raw "
                      "FROM weft_com WHERE event = ?1 ORDER BY dest_node",
                      error);
    for (size_t i = 0; result == 0 && i < ranks->count; i++) {
        if (!statement->by_rank[i].present)
            continue;
        wf_query_bind(&query, statement->by_rank[i].event);
        while ((result = wf_query_next(&query, error)) == 1)
            pair_list_add(list, ranks->items[i].rank, &query);
    }
    wf_query_close(&query);
    if (result)
        wf_pair_list_free(list);
    return result;
}

void wf_pair_list_free(struct wf_pair_list *list)
{
    free(list->items);
    *list = (struct wf_pair_list){0};
}

static int pair_by_time(const void *left, const void *right)
{
    const struct wf_pair *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->partner > b->partner) - (a->partner < b->partner);
}

void wf_pair_list_sort(struct wf_pair_list *list)
{
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, pair_by_time);
}
