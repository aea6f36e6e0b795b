/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What to look at first: the largest loss of a run, where it is, and what would be saved. It refers to the overview it
 * was found in.
 */
#ifndef WF_ANALYSE_HEADLINE_H
#define WF_ANALYSE_HEADLINE_H

#include "analyse/overview.h"

enum wf_loss {
    WF_CAUSE_ENDING,      /* ranks ended otherwise than the rest */
    WF_CAUSE_SHORT,       /* the run was too short for advice */
    WF_CAUSE_NO_CORE,     /* more ranks than cores, or other programs there */
    WF_CAUSE_WAITING,     /* ranks wait for others */
    WF_CAUSE_APART,       /* ranks begin later or end earlier than others */
    WF_CAUSE_MPI,         /* time in MPI that cannot be told apart further */
    WF_CAUSE_TRANSFER,    /* messages on their way, and MPI's own work */
    WF_CAUSE_POLLING,     /* ranks ask in vain */
    WF_CAUSE_UNEXPLAINED, /* calls that took long for no reason that is known */
    WF_CAUSE_UNFINISHED,  /* calls that never returned */
    WF_CAUSE_THREADS,     /* none in the ranks' figures, but their other threads wait */
    WF_CAUSE_NOTHING,     /* no loss stands out */
    WF_CAUSES
};

struct wf_headline {
    enum wf_loss cause;
    double share;                            /* the loss, as a part of the run */
    const struct wf_statement *statement;    /* with most of it; NULL: none */
    double statement_share;                  /* of the run */
    const struct wf_rank *rank;              /* that is behind it, or ended so; NULL: none */
    int64_t earlier_ns;                      /* it died so long before all others; 0: none did, or that is not known */
    bool longest;                            /* that rank computes longest by far, at the same time as others */
    bool in_turn;                            /* ranks wait because they work at different times */
    int64_t threads_ns;                      /* that threads waited or were idle whose times are not their ranks' */
    int64_t threads_idle_ns;                 /* the part that is polling and unexplained */
    const struct wf_rank *waiter;            /* with half of that at least; NULL: none */
    const struct wf_critical_region *region; /* whose computing would save most; NULL: none */
    double saved;                            /* by half of the region's time on all ranks, as a part of the run */
    bool alone;                              /* that rank has most of the path, and would be the longest still */
    double balanced;                         /* by sharing that rank's work evenly, at most, as a part of the run */
};

/* "no core" */
const char *wf_loss_name(enum wf_loss cause);

struct wf_headline wf_headline_find(const struct wf_overview *overview);

#endif
