/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks of communicators and windows -> ranks in MPI_COMM_WORLD. A communicator is looked up at the first message on it and forgotten
 * when it is freed. Any thread.
 */
#ifndef WF_COMM_H
#define WF_COMM_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/segment.h"

/* The ranks of one communicator's (remote) group or of one window; counted references. */
struct wf_ranks {
    struct wf_ranks *next; /* in its bucket */
    uintptr_t handle;
    uint64_t id;      /* the same in all members: of the group, and of how many communicators it had before */
    uint32_t number;  /* of the next collective on it */
    uint32_t steady;  /* of those that nobody leaves before all have entered, so far */
    uint32_t path_blocks; /* where we show the critical path in those (measure/box.h); 0: nowhere yet */
    int kind, references; /* one of the table, one of each request that waits for a sender */
    int rank;         /* the caller's own */
    bool inter;
    int neighbours;   /* how many ranks send to this one in its topology; -1: not asked yet */
    int32_t *sources; /* their world ranks */
    int size;
    int32_t partner[]; /* world ranks */
};

void wf_comm_init(MPI_Group world, bool is_comm_world); /* keeps the group */
void wf_comm_fini(void);            /* frees it; MPI_Finalize does so anyway, a session does not */

int32_t wf_comm_look_up(MPI_Comm comm, int rank);

/* A communicator has been made. Its number depends on the order in which those of one group are made, which is the same in all members. */
void wf_comm_made(MPI_Comm comm);

/* What is known of a communicator, without asking MPI: it may be no communicator at all. NULL: nothing. Not for use after it was freed. */
struct wf_ranks *wf_comm_known_slow(MPI_Comm comm);

extern struct wf_ranks *wf_comm_world; /* NULL: there is no MPI_COMM_WORLD */

/* The world ranks that the caller gets something from in a neighbourhood collective. */
const int32_t *wf_comm_sources(struct wf_ranks *ranks, MPI_Comm comm, int *count);

int32_t wf_win_partner(MPI_Win win, int rank);
void wf_comm_forget(MPI_Comm comm); /* before the handle can stand for another communicator */
void wf_win_forget(MPI_Win win);

/* For a receive from MPI_ANY_SOURCE: who it was is known later, when the communicator may be freed. NULL: out of memory. */
struct wf_ranks *wf_comm_hold(MPI_Comm comm);
int32_t wf_ranks_partner(const struct wf_ranks *ranks, int rank);
void wf_ranks_drop(struct wf_ranks *ranks);

static inline struct wf_ranks *wf_comm_known(MPI_Comm comm)
{
    return __builtin_expect(comm == MPI_COMM_WORLD, 1) ? wf_comm_world : wf_comm_known_slow(comm);
}

static inline int32_t wf_comm_partner(MPI_Comm comm, int rank)
{
    if (__builtin_expect(comm == MPI_COMM_WORLD && rank >= 0, 1))
        return rank;
    return wf_comm_look_up(comm, rank);
}

#endif
