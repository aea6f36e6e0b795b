/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wait states: which statements waited, for which ranks, and which statements made those late. A list owns its waits;
 * it belongs to the rank list and the statement list it was read with.
 */
#ifndef WF_ANALYSE_WAIT_H
#define WF_ANALYSE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/rank.h"
#include "analyse/statement.h"

struct wf_wait_state {
    const char *name;
    bool collective;       /* all members wait for one culprit: its number counts calls, not members that waited */
    bool culprit_receives; /* else it sends */
};
enum { WF_WAIT_STATES = 14 };
extern const struct wf_wait_state wf_wait_states[WF_WAIT_STATES];

/* Its place in the table, or -1. A blank may be written as a dash. */
int wf_wait_state_find(const char *name);

struct wf_wait_sum {
    int64_t num; /* times a rank waited, over all ranks */
    int64_t time_ns, time_raw_ns, max_ns;
};

/* A rank that was late for a statement. */
struct wf_culprit {
    int64_t rank;    /* or WF_PARTNER_OUTSIDE */
    int64_t late;    /* how often; in a collective on the rank that waited most often, else over all that waited */
    int64_t chances; /* out of how many: calls of the collective on one rank; messages with those that waited; */
    bool of_calls;   /* or calls of those at a statement that not only receives, or not only sends */
    int64_t site;    /* id of the statement behind most of it; 0: not known */
    bool elsewhere;  /* there are other such statements, too */
    size_t waiters;
    int64_t waiter; /* the rank that waited longest for it */
    struct wf_wait_sum sum;
    int64_t passed_ns; /* the part of it in which the culprit waited for others itself; the rest is its own work */
    bool far;          /* on another host than a rank that waited: whether it waited itself is not known of all */
};

/* A statement and a state of waiting there. */
struct wf_wait {
    int64_t site;                /* id of the statement */
    int state;                   /* in wf_wait_states */
    struct wf_culprit *culprits; /* the most expensive one first */
    size_t culprit_count;
    struct wf_wait_sum sum;
};

struct wf_wait_list {
    struct wf_wait *items; /* the longest first */
    size_t count;
    struct wf_wait_sum by_state[WF_WAIT_STATES], sum;
    int64_t *caused_ns; /* by each rank of the rank list: how long others waited for it */
};

int wf_wait_list_read(struct wf_wait_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                      const struct wf_statement_list *statements, struct wf_error *error);
void wf_wait_list_free(struct wf_wait_list *list);

#endif
