/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/stuck.h"

#include <stdio.h>
#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/query.h"

static const char stuck_sql[] =
    "SELECT k.rank, k.cycle, k.since_ns, k.call, k.place, k.procedure, k.wants, k.waits_for,"
    " max(k.waited_ns, coalesce(l.last_site_ns, 0))"
    " FROM weft_stuck k LEFT JOIN weft_rank_last l USING (rank) ORDER BY k.rank";

void wf_stuck_free(struct wf_stuck *stuck)
{
    free(stuck->items);
    *stuck = (struct wf_stuck){0};
}

const struct wf_stuck_rank *wf_stuck_at(const struct wf_stuck *stuck, int64_t cycle)
{
    for (size_t i = 0; i < stuck->count; i++)
        if (stuck->items[i].cycle == cycle)
            return &stuck->items[i];
    return NULL;
}

static void stuck_copy(char *to, size_t bytes, struct wf_query *query, int column)
{
    char *text = wf_query_text(query, column);
    snprintf(to, bytes, "%s", text);
    free(text);
}

static int stuck_read_row(void *context, struct wf_query *query, struct wf_error *error)
{
    struct wf_stuck *stuck = context;
    (void)error;
    stuck->items = wf_memory_grow(stuck->items, stuck->count, sizeof *stuck->items);
    struct wf_stuck_rank *rank = &stuck->items[stuck->count++];
    *rank = (struct wf_stuck_rank){.rank = wf_query_integer(query, 0),
                                   .cycle = wf_query_integer(query, 1),
                                   .since_ns = wf_query_integer(query, 2),
                                   .waited_ns = wf_query_integer(query, 8),
                                   .stuck = true};
    stuck_copy(rank->call, sizeof rank->call, query, 3);
    stuck_copy(rank->place, sizeof rank->place, query, 4);
    stuck_copy(rank->procedure, sizeof rank->procedure, query, 5);
    stuck_copy(rank->wants, sizeof rank->wants, query, 6);
    stuck_copy(rank->waits_for, sizeof rank->waits_for, query, 7);
    stuck->stuck++;
    return 0;
}

int wf_stuck_read(struct wf_stuck *stuck, struct wf_profile *profile, struct wf_error *error)
{
    *stuck = (struct wf_stuck){0};
    if (wf_query_each(profile, stuck_sql, stuck_read_row, stuck, error) == 0)
        return 0;
    wf_stuck_free(stuck);
    return -1;
}
