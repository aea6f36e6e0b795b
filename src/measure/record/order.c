/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/order.h"

#include "measure/record/lane.h"

static uint32_t order_hash_of(const void *record)
{
    const struct wf_order_record *order = record;
    return wf_hash(order->site);
}

static struct wf_order_record *order_add(struct wf_lane *lane, const struct wf_site *site)
{
    struct wf_order_record *order = wf_lane_next_record(lane, &lane->orders.chunk, WF_CHUNK_ORDER, sizeof *order);
    if (!order)
        return NULL;
    order->site = site->offset;
    if (!wf_table_add(&lane->orders.table, order, order_hash_of))
        return NULL;
    wf_lane_publish(lane->orders.chunk);
    return order;
}

struct wf_order_record *wf_lane_order(struct wf_lane *lane, struct wf_site *site)
{
    if (site->offset == 0)
        return NULL;
    uint32_t i = wf_hash(site->offset);
    struct wf_order_record *order;
    while ((order = wf_table_at(&lane->orders.table, i)) && order->site != site->offset)
        i++;
    return order ? order : order_add(lane, site);
}
