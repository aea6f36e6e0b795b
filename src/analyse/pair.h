/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One statement by partner: which ranks communicated there with each other. A list owns its pairs.
 */
#ifndef WF_ANALYSE_PAIR_H
#define WF_ANALYSE_PAIR_H

#include "analyse/statement.h"

struct wf_pair {
    int64_t rank, partner; /* partner: a rank, or WF_PARTNER_* of format/segment.h */
    int64_t count, bytes;
    int64_t transfer_ns, transfer_raw_ns;     /* without waiting */
    int64_t time_ns, time_raw_ns;             /* transfer and waiting together */
    int64_t sync_delay_ns, sync_delay_raw_ns; /* in it, waiting for the partner */
};

struct wf_pair_list {
    struct wf_pair *items; /* by rank and partner */
    size_t count;
    int64_t time_ns, sync_delay_ns;
};

int wf_pair_list_read(struct wf_pair_list *list, struct wf_profile *profile, const struct wf_statement *statement,
                      const struct wf_rank_list *ranks, struct wf_error *error);
void wf_pair_list_free(struct wf_pair_list *list);

/* Largest time first. */
void wf_pair_list_sort(struct wf_pair_list *list);

#endif
