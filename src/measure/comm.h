/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks of communicators and windows -> ranks in MPI_COMM_WORLD, and names of communicators that all members agree on. A communicator is known from when it
 * is made until it is freed; one that was made where weft did not see it is looked up at the first message on it. Any thread.
 */
#ifndef WF_COMM_H
#define WF_COMM_H

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/segment.h"

/* The ranks of one communicator's (remote) group or of one window; counted references. */
struct wf_ranks {
    struct wf_ranks *next; /* in its bucket */
    uintptr_t handle;
    uint64_t id;             /* the same in all members */
    _Atomic uint32_t number; /* of the next collective on it; MPI has them in one order, whatever the threads do */
    uint32_t made;           /* so many communicators were made by collectives on it; */
    uint32_t planned;        /* so many persistent collectives were initialised: MPI has those in one order, too */
    uint32_t steady;  /* of those that nobody leaves before all have entered, so far */
    uint32_t path_blocks; /* where we show the critical path in those (measure/box.h); 0: nowhere yet */
    int kind, references; /* one of the table, one of each request that waits for a sender */
    int rank;         /* the caller's own */
    bool inter;
    bool listed;      /* in the table: its handle stands for it */
    bool silent;      /* nobody saw it made, so others may not know it: no headers go with its messages */
    int neighbours;   /* how many ranks send to this one in its topology; -1: not asked yet */
    int32_t *sources; /* their world ranks */
    int size;
    int32_t partner[]; /* world ranks */
};

void wf_comm_init(MPI_Group world, bool is_comm_world); /* keeps the group */
void wf_comm_fini(void);                                /* frees it; MPI_Finalize does so anyway, a session does not */
void wf_comm_again(MPI_Group world);                    /* the session goes on: a group in its place */

int32_t wf_comm_look_up(MPI_Comm comm, int rank);

/* Who makes a communicator, and so what its name is made of. */
enum wf_maker {
    WF_MAKER_all,    /* all members of another one, in a collective on it: of its name, and of how many were made of it before */
    WF_MAKER_some,   /* some members of another one: of its name, their tag, and of how many they made before with these */
    WF_MAKER_groups, /* nobody's members: of the tag or the word, and of how many these groups made before with it */
};

/* What the name of a communicator begins with that MPI has just made, or begun to make, with these arguments; `word` may be NULL. */
uint64_t wf_comm_stem(enum wf_maker maker, MPI_Comm parent, int tag, const char *word);

/* It is made. Members of other groups that the same call made have the same stem. */
void wf_comm_made(MPI_Comm comm, enum wf_maker maker, uint64_t stem);

/* A window is made: its handle may have stood for another one. */
void wf_win_made(MPI_Win win);

/* What is known of a communicator, without asking MPI: it may be no communicator at all. NULL: nothing, or no headers go with its messages. Not for use
 * after it was freed. */
struct wf_ranks *wf_comm_known_slow(MPI_Comm comm);

extern struct wf_ranks *wf_comm_world; /* NULL: there is no MPI_COMM_WORLD */

/* The world ranks that the caller gets something from in a neighbourhood collective. */
const int32_t *wf_comm_sources(struct wf_ranks *ranks, MPI_Comm comm, int *count);

int32_t wf_win_partner(MPI_Win win, int rank);

/* A communicator or window is about to be freed, if MPI agrees. When it has answered, exactly what the handle stood for before is forgotten: by then
 * another thread may have got it for a new one. */
struct wf_ranks *wf_comm_leaving(MPI_Comm comm);
struct wf_ranks *wf_win_leaving(MPI_Win win);
void wf_ranks_left(struct wf_ranks *ranks, bool gone);

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
