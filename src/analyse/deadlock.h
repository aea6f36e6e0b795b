/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks of a world can never go on: the deadlock of the application, from what each process is blocked in
 * (format/needs.h). A pure function on plain structures, which the caller owns; one thread.
 *
 * A process that runs can go on. One that is blocked can if a need of its own can be satisfied. A rank that can go on
 * satisfies it, and so does a message or a receive that fits and is under way already. A collective ends if no member
 * is missing that it may wait for. The least fixpoint of that leaves those that cannot. Where it is not known which of
 * several needs is open, any of them will do: a rank that may be only slow is never taken for one that is stuck. A rank
 * that is in MPI_Finalize, or has ended, satisfies no need, and is not stuck itself.
 */
#ifndef WF_ANALYSE_DEADLOCK_H
#define WF_ANALYSE_DEADLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/needs.h"

/* What a process shares of a communicator. */
struct wf_deadlock_comm {
    uint64_t comm;
    uint32_t entered; /* so many collectives; WF_NEEDS_LEFT: all */
    size_t count;
    int32_t *ranks;
};

enum wf_deadlock_state {
    WF_DEADLOCK_RUNS,       /* or nothing is known of it */
    WF_DEADLOCK_BLOCKED,    /* all its threads are */
    WF_DEADLOCK_FINALIZING, /* it is in MPI_Finalize, or has left it */
    WF_DEADLOCK_ENDED,
};

struct wf_deadlock_process {
    enum wf_deadlock_state state;
    struct wf_needs_copy *threads; /* that are blocked */
    size_t thread_count;
    struct wf_deadlock_comm *comms;
    size_t comm_count;

    /* Filled in by wf_deadlock_find: */
    bool stuck;
    bool in_cycle;
};

struct wf_deadlock {
    struct wf_deadlock_process *processes; /* by rank in the world */
    size_t count;

    size_t stuck;       /* so many are */
    int32_t *cycle;     /* ranks that wait for each other, each for the next one; room for `count` */
    size_t cycle_count; /* 0: there is none: all wait for ranks that have ended, or no rank can send what is wanted */
};

/* Finds who is stuck, and a cycle among them. */
void wf_deadlock_find(struct wf_deadlock *deadlock);

/* Without a cycle: the ranks for which a process waits in this need, as far as they cannot satisfy it: up to `room` of
 * them, in ascending order. Returns how many there are. */
size_t wf_deadlock_awaited(const struct wf_deadlock *deadlock, int32_t rank, const struct wf_need_copy *need,
                           int32_t *awaited, size_t room);

/* The members of a communicator, as this process has them; NULL: not known. */
const struct wf_deadlock_comm *wf_deadlock_comm_of(const struct wf_deadlock_process *process, uint64_t comm);

#endif
