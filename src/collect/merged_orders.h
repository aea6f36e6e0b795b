/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of receives in one segment: one entry for each statement that received from any source, lanes added up. The
 * collection owns it and uses its memory again for the next segment.
 */
#ifndef WF_COLLECT_MERGED_ORDERS_H
#define WF_COLLECT_MERGED_ORDERS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/sites.h"

struct wf_merged_order {
    uint32_t site; /* entry in sites */
    struct wf_order_record sum;
};

struct wf_merged_orders {
    struct wf_merged_order *items; /* by site */
    size_t count, capacity;
    size_t dangling; /* records of no statement */
};

/* A zeroed struct is an empty one. */
void wf_merged_orders_fini(struct wf_merged_orders *orders);

/* Replaces what it holds. Returns 0, or -1 without memory. */
int wf_merged_orders_read(struct wf_merged_orders *orders, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program, const struct wf_sites *sites);

#endif
