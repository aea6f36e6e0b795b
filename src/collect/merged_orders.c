/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/merged_orders.h"

#include <stdlib.h>

#include "base/array.h"

void wf_merged_orders_fini(struct wf_merged_orders *orders)
{
    free(orders->items);
    *orders = (struct wf_merged_orders){0};
}

static void merged_order_add(struct wf_order_record *sum, const struct wf_order_record *more)
{
    sum->any += more->any;
    sum->changed += more->changed;
    sum->undecided += more->undecided;
    sum->decided += more->decided;
    sum->otherwise += more->otherwise;
    sum->held_ticks += more->held_ticks;
    if (more->held_max_ticks > sum->held_max_ticks)
        sum->held_max_ticks = more->held_max_ticks;
    sum->released += more->released;
}

static int merged_order_compare(const void *a, const void *b)
{
    const struct wf_merged_order *x = a, *y = b;
    return (x->site > y->site) - (x->site < y->site);
}

static void merged_orders_fold(struct wf_merged_orders *orders)
{
    size_t kept = 0;
    for (size_t first = 0, end; first < orders->count; first = end) {
        struct wf_merged_order sum = orders->items[first];
        for (end = first + 1; end < orders->count && orders->items[end].site == sum.site; end++)
            merged_order_add(&sum.sum, &orders->items[end].sum);
        if (sum.sum.any | sum.sum.decided | sum.sum.released)
            orders->items[kept++] = sum;
    }
    orders->count = kept;
}

int wf_merged_orders_read(struct wf_merged_orders *orders, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program, const struct wf_sites *sites)
{
    if (WF_ARRAY_RESERVE(orders->items, orders->capacity, reader->counts[WF_CHUNK_ORDER]) != 0)
        return -1;
    orders->count = orders->dangling = 0;
    struct wf_segment_records records = wf_segment_reader_records(reader, WF_CHUNK_ORDER);
    for (const struct wf_order_record *order; (order = wf_segment_records_next(&records));) {
        const struct wf_site_record *record = wf_segment_reader_site(reader, order->site);
        uint32_t site = record ? wf_sites_find(sites, program, reader, record) : WF_NO_SITE;
        if (site == WF_NO_SITE)
            orders->dangling++;
        else
            orders->items[orders->count++] =
                (struct wf_merged_order){.site = wf_sites_entry(sites, site), .sum = *order};
    }
    if (orders->count)
        qsort(orders->items, orders->count, sizeof *orders->items, merged_order_compare);
    merged_orders_fold(orders);
    return 0;
}
