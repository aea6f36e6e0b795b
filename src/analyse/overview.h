/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that a report is made of, read at once, so that a damaged profile is noticed before the first line is printed. It
 * owns its parts.
 */
#ifndef WF_ANALYSE_OVERVIEW_H
#define WF_ANALYSE_OVERVIEW_H

#include "analyse/cause.h"
#include "analyse/critical.h"
#include "analyse/efficiency.h"
#include "analyse/order.h"
#include "analyse/program.h"
#include "analyse/rank.h"
#include "analyse/statement.h"
#include "analyse/wait.h"

struct wf_overview {
    struct wf_profile *profile; /* not owned */
    struct wf_program program;
    struct wf_efficiency efficiency;
    struct wf_rank_list ranks;
    struct wf_statement_list statements;
    struct wf_wait_list waits;
    struct wf_cause_list causes;
    struct wf_order_list orders;
    struct wf_critical_path path;
    /* Over the ranks of world 0. Shares are parts of run_ns: useful, in MPI and absent add up to 1. */
    int64_t run_ns; /* the wall time of the run, times these ranks */
    double useful_share;
    double mpi_share, sync_share; /* in MPI, and waiting for other ranks there */
    double absent_share;          /* before a rank's MPI_Init had ended, after it had finalized or died, or paused */
    double part_share[WF_PARTS];  /* of each part of time in MPI */
    double no_core_share;         /* without a core: in MPI, outside, and while waiting */
    double outside_share;         /* outside only */
    bool no_core_costs;           /* of no_core_share, the part while not waiting is worth telling */
    bool matters[WF_PARTS];       /* the part is relevant on a rank at least */
    bool cores_short;             /* savings and transfer efficiency mean nothing: ranks lost much for want of a core */
    bool parts_known;             /* waiting and transfer can be told apart */
    double overhead_share;        /* the cost of monitoring, as a part of their raw time */
    int64_t overhead_ns;          /* all ranks together */
    int64_t init_ns, finalize_ns, paused_ns; /* means */
};

int wf_overview_read(struct wf_overview *overview, struct wf_profile *profile, struct wf_error *error);
/* A time of ranks of world 0 as a part of the run. */
double wf_overview_share(const struct wf_overview *overview, int64_t ns);

void wf_overview_free(struct wf_overview *overview);

#endif
