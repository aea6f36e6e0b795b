/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/order.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

static const double worth_a_warning = 0.01; /* changed, of the receives and probes from any source */

struct order_reader {
    struct wf_order_list *list;
    const struct wf_statement_list *statements;
};

static const char order_sql[] =
    "SELECT e.site, o.num, o.changed, o.undecided, o.decided, o.otherwise, o.held_ns, o.held_max_ns, o.released"
    " FROM weft_order o JOIN weft_event e ON e.id = o.event ORDER BY e.site, e.rank";

static void order_sum_add(struct wf_order_sum *sum, const struct wf_order_sum *more)
{
    wf_sum_add(&sum->num, more->num);
    wf_sum_add(&sum->changed, more->changed);
    wf_sum_add(&sum->undecided, more->undecided);
    wf_sum_add(&sum->decided, more->decided);
    wf_sum_add(&sum->otherwise, more->otherwise);
    wf_sum_add(&sum->held_ns, more->held_ns);
    sum->held_max_ns = more->held_max_ns > sum->held_max_ns ? more->held_max_ns : sum->held_max_ns;
    wf_sum_add(&sum->released, more->released);
}

static int order_reader_read_row(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct order_reader *r = context;
    struct wf_order_list *list = r->list;
    int64_t site = wf_query_integer(query, 0);
    struct wf_order_sum row = {.num = wf_query_integer(query, 1),
                               .changed = wf_query_integer(query, 2),
                               .undecided = wf_query_integer(query, 3),
                               .decided = wf_query_integer(query, 4),
                               .otherwise = wf_query_integer(query, 5),
                               .held_ns = wf_query_integer(query, 6),
                               .held_max_ns = wf_query_integer(query, 7),
                               .released = wf_query_integer(query, 8)};
    struct wf_order *last = list->count ? &list->items[list->count - 1] : NULL;
    if (!wf_statement_list_by_id(r->statements, site))
        return 0;
    if (!last || last->site != site) {
        list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
        last = &list->items[list->count++];
        *last = (struct wf_order){.site = site};
    }
    last->ranks++;
    order_sum_add(&last->sum, &row);
    order_sum_add(&list->sum, &row);
    return 0;
}

static int order_by_changes(const void *left, const void *right)
{
    const struct wf_order *a = left, *b = right;
    if (a->sum.changed != b->sum.changed)
        return a->sum.changed < b->sum.changed ? 1 : -1;
    if (a->sum.num != b->sum.num)
        return a->sum.num < b->sum.num ? 1 : -1;
    return (a->site > b->site) - (a->site < b->site);
}

int wf_order_list_read(struct wf_order_list *list, struct wf_profile *profile,
                       const struct wf_statement_list *statements, struct wf_error *error)
{
    *list = (struct wf_order_list){0};
    struct order_reader reader = {.list = list, .statements = statements};
    if (wf_query_each(profile, order_sql, order_reader_read_row, &reader, error)) {
        wf_order_list_free(list);
        return -1;
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, order_by_changes);
    const struct wf_order_sum *sum = &list->sum;
    list->changed_share = sum->num > 0 ? (double)sum->changed / (double)sum->num : 0;
    list->doubtful = list->changed_share > worth_a_warning;
    list->controlled = sum->decided > 0 || sum->released > 0;
    return 0;
}

void wf_order_list_free(struct wf_order_list *list)
{
    free(list->items);
    *list = (struct wf_order_list){0};
}
