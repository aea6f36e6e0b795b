/* SPDX-License-Identifier: BSD-3-Clause
 *
 * First causes: which rank's own work made others wait, behind which of its statements, and for how long in all. A rank
 * that waited itself while others waited for it has only passed that on: it is not the cause. So all causes together
 * are as long as all waits. A list owns its causes, and belongs to the rank list it was read with.
 */
#ifndef WF_ANALYSE_CAUSE_H
#define WF_ANALYSE_CAUSE_H

#include <stddef.h>
#include <stdint.h>

#include "analyse/rank.h"

struct wf_cause {
    int64_t rank; /* or WF_PARTNER_OUTSIDE */
    int64_t site; /* id of the statement through which it was late; 0: not known */
    int64_t time_ns;
    size_t waiters; /* ranks that waited */
};

struct wf_cause_list {
    struct wf_cause *items; /* the longest first */
    size_t count;
    int64_t time_ns;    /* all together */
    int64_t unknown_ns; /* the part in waits for ranks of other hosts: whether those waited themselves is not known */
    int64_t *caused_ns; /* by each rank of the rank list */
};

/* What one rank has caused through all its statements. */
struct wf_cause_sum {
    int64_t rank, time_ns;
    int64_t site;   /* of the largest cause */
    bool elsewhere; /* there are others */
};

int wf_cause_list_read(struct wf_cause_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                       struct wf_error *error);
void wf_cause_list_free(struct wf_cause_list *list);

/* Of the rank that has caused most; time_ns 0: none has. */
struct wf_cause_sum wf_cause_list_worst(const struct wf_cause_list *list, const struct wf_rank_list *ranks);

#endif
