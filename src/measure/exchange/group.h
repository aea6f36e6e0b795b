/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The ranks of one communicator's (remote) group, of one window's or file's, in MPI_COMM_WORLD; and what is counted on
 * it. References are counted: one of the table (measure/exchange/comm.h), one of each request that waits for
 * a sender. Any thread; MPI is asked without a lock.
 */
#ifndef WF_GROUP_H
#define WF_GROUP_H

#include <mpi.h>

#include "format/needs.h"
#include "measure/exchange/snapshot.h"

enum wf_group_kind { WF_GROUP_COMM, WF_GROUP_WIN, WF_GROUP_FILE };

/* Some world ranks, in memory of their own. */
struct wf_group_ranks {
    int32_t *ranks;
    int count;
};

struct wf_group {
    uintptr_t handle;
    uint64_t id;                  /* the same in all members */
    _Atomic uint32_t number;      /* of the next collective on it; MPI has them in one order, whatever the threads do */
    uint32_t made;                /* so many communicators were made by collectives on it; */
    uint32_t planned;             /* so many persistent collectives were initialised: MPI has those in one order, too */
    struct wf_needs_comm *shared; /* what others may read of it (measure/exchange/needs.h); NULL: nothing yet */
    struct wf_snapshot_pair shown; /* in collectives that no member leaves before all have entered */
    uint32_t references;
    enum wf_group_kind kind;
    int rank; /* the caller's own */
    bool inter;
    bool listed;      /* in the table: its handle stands for it */
    bool silent;      /* it was made out of weft's sight, so others may not know it: no headers go with its messages */
    int neighbours;   /* how many ranks send to this one in its topology; -1: not asked yet */
    int32_t *sources; /* their world ranks */
    struct wf_group_ranks local;    /* an intercommunicator's other side: the caller's own */
    struct wf_group_ranks access;   /* a window's targets, since Win_start */
    struct wf_group_ranks exposure; /* and its origins, since Win_post */
    bool *exclusive;                /* for each target, has the caller an exclusive lock? NULL: it never had one */
    int exclusives;                 /* of so many */
    int size;
    int32_t partner[]; /* world ranks */
};

/* MPI_COMM_WORLD's, or what stands for it; MPI_GROUP_NULL: it is gone. */
void wf_group_set_world(MPI_Group world);
MPI_Group wf_group_world(void);

/* Asks MPI, which has just accepted the handle. Its id is that of its groups alone. NULL: there is no memory, or no
 * world. */
struct wf_group *wf_group_make(enum wf_group_kind kind, uintptr_t handle);

/* The group of what was made on a communicator of which these are the ranks, without asking MPI. NULL: there is no
 * memory. */
struct wf_group *wf_group_make_like(enum wf_group_kind kind, uintptr_t handle, const struct wf_group *parent);

/* Keeps the ranks of a group that MPI has just accepted, instead of what was there. */
void wf_group_keep(struct wf_group_ranks *ranks, MPI_Group from);

/* The caller has a lock of a window's target now; not exclusive: a shared one, or none any more. */
void wf_group_keep_lock(struct wf_group *group, int target, bool exclusive);

/* Is its lock of this target exclusive? WF_ANY_TARGET: that of any. */
#define WF_ANY_TARGET (-1)
bool wf_group_is_exclusive(const struct wf_group *group, int target);

void wf_group_hold(struct wf_group *group);
void wf_group_drop(struct wf_group *group); /* NULL: nothing happens */

/* The world rank of one of its ranks. */
int32_t wf_group_partner(const struct wf_group *group, int rank);

/* The world ranks that the caller gets something from in a neighbourhood collective. */
const int32_t *wf_group_sources(struct wf_group *group, MPI_Comm comm, int *count);

/* What names are made of. */
static inline uint64_t wf_group_mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

#endif
