/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/cause.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

/* Rows are in the order of rank, statement and waiting rank. */
struct cause_reader {
    struct wf_cause_list *list;
    const struct wf_rank_list *ranks;
    int64_t waiter; /* of the last row */
};

static const char cause_sql[] =
    "SELECT w.culprit, w.culprit_site, e.rank, w.time_ns - coalesce(p.passed_ns, 0), coalesce(c.host <> r.host, 0)"
    " FROM weft_wait w JOIN weft_event e ON e.id = w.event"
    " LEFT JOIN weft_passed p USING (event, culprit, kind, culprit_site)"
    " LEFT JOIN weft_rank r ON r.rank = e.rank LEFT JOIN weft_rank c ON c.rank = w.culprit"
    " UNION ALL SELECT o.root, o.root_site, e.rank, o.time_ns, 0 FROM weft_root o JOIN weft_event e ON e.id = o.event"
    " ORDER BY 1, 2, 3";

static int cause_reader_read_row(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct cause_reader *r = context;
    struct wf_cause_list *list = r->list;
    int64_t rank = wf_query_integer(query, 0), site = wf_query_integer(query, 1), waiter = wf_query_integer(query, 2);
    int64_t time_ns = wf_query_integer(query, 3);
    struct wf_cause *last = list->count ? &list->items[list->count - 1] : NULL;
    bool new_cause = !last || last->rank != rank || last->site != site;
    if (time_ns == 0)
        return 0;
    if (new_cause) {
        list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
        last = &list->items[list->count++];
        *last = (struct wf_cause){.rank = rank, .site = site};
    }
    last->waiters += new_cause || r->waiter != waiter;
    r->waiter = waiter;
    wf_sum_add(&last->time_ns, time_ns);
    wf_sum_add(&list->time_ns, time_ns);
    if (wf_query_integer(query, 4))
        wf_sum_add(&list->unknown_ns, time_ns);
    int index = wf_rank_list_find(r->ranks, rank);
    if (index >= 0)
        wf_sum_add(&list->caused_ns[index], time_ns);
    return 0;
}

static int cause_by_time(const void *left, const void *right)
{
    const struct wf_cause *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? 1 : -1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return (a->site > b->site) - (a->site < b->site);
}

int wf_cause_list_read(struct wf_cause_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                       struct wf_error *error)
{
    *list = (struct wf_cause_list){.caused_ns = wf_memory_array(ranks->count, sizeof *list->caused_ns)};
    struct cause_reader reader = {.list = list, .ranks = ranks};
    if (wf_query_each(profile, cause_sql, cause_reader_read_row, &reader, error)) {
        wf_cause_list_free(list);
        return -1;
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, cause_by_time);
    return 0;
}

void wf_cause_list_free(struct wf_cause_list *list)
{
    free(list->items);
    free(list->caused_ns);
    *list = (struct wf_cause_list){0};
}

struct wf_cause_sum wf_cause_list_worst(const struct wf_cause_list *list, const struct wf_rank_list *ranks)
{
    struct wf_cause_sum worst = {0};
    for (size_t i = 0; i < ranks->count; i++)
        if (list->caused_ns[i] > worst.time_ns)
            worst = (struct wf_cause_sum){.rank = ranks->items[i].rank, .time_ns = list->caused_ns[i]};
    size_t places = 0;
    for (size_t i = 0; i < list->count && worst.time_ns; i++)
        if (list->items[i].rank == worst.rank && places++ == 0)
            worst.site = list->items[i].site;
    worst.elsewhere = places > 1;
    return worst;
}
