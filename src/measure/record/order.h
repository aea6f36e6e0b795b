/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of receives: how often a statement took a message from any source, how often monitoring changed which one
 * that was, and what order control did; in one record of the segment. The lane's thread finds the record. What is
 * counted in it afterwards may be counted by the thread that sees the later message: measure/exchange/wildcard.h does
 * that under the lock of match.h. The functions for order control are for the thread that makes the receive.
 */
#ifndef WF_RECORD_ORDER_H
#define WF_RECORD_ORDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/shared.h"
#include "measure/record/site.h"

/* The record of a statement. NULL: there is no room, or the site has no records. */
struct wf_order_record *wf_lane_order(struct wf_lane *lane, struct wf_site *site) WF_SHARED(lane_order);

/* Whether monitoring has changed the order of a receive is not known. */
static inline void wf_order_count_undecided(struct wf_order_record *order)
{
    if (!order)
        return;
    order->any++;
    order->undecided++;
}

/* ---- order control ---- */

static inline void wf_order_count_held(struct wf_order_record *order, uint64_t ticks)
{
    order->held_ticks += ticks;
    if (ticks > order->held_max_ticks)
        order->held_max_ticks = ticks;
}

/* A receive was held back for `ticks` (0: not at all) and then took the message that is the first without monitoring.
 * otherwise: in real time, another one had been the first. */
static inline void wf_order_count_decided(struct wf_order_record *order, bool otherwise, uint64_t ticks)
{
    if (!order)
        return;
    order->decided++;
    order->otherwise += otherwise;
    wf_order_count_held(order, ticks);
}

/* A receive was held back for the longest time allowed, and let go. */
static inline void wf_order_count_released(struct wf_order_record *order, uint64_t ticks)
{
    if (!order)
        return;
    order->released++;
    wf_order_count_held(order, ticks);
}

#endif
