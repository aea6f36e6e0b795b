/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks of communicators and windows -> ranks in MPI_COMM_WORLD. A communicator is looked up at the first message on it and forgotten
 * when it is freed. Any thread.
 */
#ifndef WF_COMM_H
#define WF_COMM_H

#include <mpi.h>
#include <stdint.h>

#include "format/segment.h"

struct wf_ranks; /* the ranks of one communicator's (remote) group or of one window; counted references */

void wf_comm_init(MPI_Group world); /* keeps the group */
void wf_comm_fini(void);            /* frees it; MPI_Finalize does so anyway, a session does not */

int32_t wf_comm_look_up(MPI_Comm comm, int rank);
int32_t wf_win_partner(MPI_Win win, int rank);
void wf_comm_forget(MPI_Comm comm); /* before the handle can stand for another communicator */
void wf_win_forget(MPI_Win win);

/* For a receive from MPI_ANY_SOURCE: who it was is known later, when the communicator may be freed. NULL: out of memory. */
struct wf_ranks *wf_comm_hold(MPI_Comm comm);
int32_t wf_ranks_partner(const struct wf_ranks *ranks, int rank);
void wf_ranks_drop(struct wf_ranks *ranks);

static inline int32_t wf_comm_partner(MPI_Comm comm, int rank)
{
    if (__builtin_expect(comm == MPI_COMM_WORLD && rank >= 0, 1))
        return rank;
    return wf_comm_look_up(comm, rank);
}

#endif
