/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All that a report is made of, read at once, so that a damaged profile is noticed before the first line is
 * printed.
 */
#ifndef WF_OVERVIEW_H
#define WF_OVERVIEW_H

#include "analyse/critical.h"
#include "analyse/efficiency.h"
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
    struct wf_critical_path path;
    /* Over the ranks of world 0. */
    double mpi_share, sync_share; /* of their time, in MPI; and of their time, waiting there for others */
    double overhead_share;        /* of their raw time, what watching cost */
    int64_t wall_ns, overhead_ns; /* all ranks together */
    int64_t init_ns, finalize_ns, paused_ns; /* means */
};

int wf_overview_read(struct wf_overview *overview, struct wf_profile *profile, struct wf_error *error);
void wf_overview_free(struct wf_overview *overview);

#endif
