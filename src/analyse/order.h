/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of receives from any source: at which statements monitoring changed it, and what order control did. A list
 * owns its statements; it belongs to the statement list it was read with.
 */
#ifndef WF_ANALYSE_ORDER_H
#define WF_ANALYSE_ORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/statement.h"

struct wf_order_sum {
    int64_t num;                  /* receives and probes from any source that took a message */
    int64_t changed, undecided;   /* of these: without monitoring it would have been another; that is not known */
    int64_t decided, otherwise;   /* with order control: decided by it; of these, another was the first in real time */
    int64_t held_ns, held_max_ns; /* for so long were receives held back: the sum, and the longest */
    int64_t released;             /* let go without a decision */
};

struct wf_order {
    int64_t site; /* id of the statement */
    size_t ranks; /* that received so there */
    struct wf_order_sum sum;
};

struct wf_order_list {
    struct wf_order *items; /* those with most changes first */
    size_t count;
    struct wf_order_sum sum;
    double changed_share; /* of num */
    bool doubtful;        /* so many were changed that the unwatched program may have taken another course */
    bool controlled;      /* the run was one with order control */
};

int wf_order_list_read(struct wf_order_list *list, struct wf_profile *profile,
                       const struct wf_statement_list *statements, struct wf_error *error);
void wf_order_list_free(struct wf_order_list *list);

#endif
