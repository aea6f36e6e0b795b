/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/deadlock.h"

#include <stdlib.h>

const struct wf_deadlock_comm *wf_deadlock_comm_of(const struct wf_deadlock_process *process, uint64_t comm)
{
    for (size_t i = 0; i < process->comm_count; i++)
        if (process->comms[i].comm == comm)
            return &process->comms[i];
    return NULL;
}

/* NULL: nothing is known of such a rank. */
static const struct wf_deadlock_process *deadlock_process(const struct wf_deadlock *d, int32_t rank)
{
    return rank >= 0 && (size_t)rank < d->count ? &d->processes[rank] : NULL;
}

/* stuck is true of all that are not known to go on yet. */
static bool deadlock_goes_on(const struct wf_deadlock *d, int32_t rank)
{
    const struct wf_deadlock_process *p = deadlock_process(d, rank);
    return !p || p->state == WF_DEADLOCK_RUNS || (p->state == WF_DEADLOCK_BLOCKED && !p->stuck);
}

/* ---- messages ---- */

static bool deadlock_need_fits(const struct wf_need_copy *receive, const struct wf_need_copy *send)
{
    bool comm = receive->comm == send->comm || !receive->comm || !send->comm;
    return comm && (receive->tag == send->tag || receive->tag == WF_NEED_ANY_TAG || send->tag == WF_NEED_ANY_TAG);
}

/* Is `other` in a call with the counterpart: the send for a receive, the receive for a send? */
static bool deadlock_faces(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need, int32_t other)
{
    const struct wf_deadlock_process *p = deadlock_process(d, other);
    bool receives = need->kind == WF_NEED_MESSAGE;
    for (size_t t = 0; p && p->state == WF_DEADLOCK_BLOCKED && t < p->thread_count; t++)
        for (uint32_t i = 0; i < p->threads[t].count; i++) {
            const struct wf_need_copy *its = &p->threads[t].need[i];
            if (its->kind != (receives ? WF_NEED_RECEIVER : WF_NEED_MESSAGE) ||
                (its->rank != rank && (receives || its->rank != WF_NEED_ANY_RANK)))
                continue;
            if (receives ? deadlock_need_fits(need, its) : deadlock_need_fits(its, need))
                return true;
        }
    return false;
}

static bool deadlock_message_comes(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need)
{
    if (need->rank != WF_NEED_ANY_RANK)
        return deadlock_goes_on(d, need->rank) || deadlock_faces(d, rank, need, need->rank);
    const struct wf_deadlock_comm *comm = wf_deadlock_comm_of(&d->processes[rank], need->comm);
    if (!comm)
        return true;
    for (size_t i = 0; i < comm->count; i++) {
        int32_t other = comm->ranks[i];
        if (other != rank && (deadlock_goes_on(d, other) || deadlock_faces(d, rank, need, other)))
            return true;
    }
    return false;
}

/* ---- collectives ---- */

/* Of what is in no order it is not known. */
static bool deadlock_has_entered(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need)
{
    const struct wf_deadlock_process *p = deadlock_process(d, rank);
    const struct wf_deadlock_comm *comm = p ? wf_deadlock_comm_of(p, need->comm) : NULL;
    if (!comm || (uint32_t)need->tag & WF_NEED_APART)
        return false;
    return comm->entered == WF_NEEDS_LEFT || (int32_t)(comm->entered - (uint32_t)need->tag) > 0;
}

/* Members that have not entered, of the first `count`. */
struct deadlock_missing {
    size_t all, going;
};

static struct deadlock_missing deadlock_count_missing(const struct wf_deadlock *d, int32_t rank,
                                                      const struct wf_need_copy *need,
                                                      const struct wf_deadlock_comm *comm, size_t count)
{
    struct deadlock_missing missing = {0};
    for (size_t i = 0; i < count; i++) {
        int32_t other = comm->ranks[i];
        if (other == rank || deadlock_has_entered(d, other, need))
            continue;
        missing.all++;
        missing.going += deadlock_goes_on(d, other);
    }
    return missing;
}

static size_t deadlock_position(const struct wf_deadlock_comm *comm, int32_t rank)
{
    size_t i = 0;
    while (i < comm->count && comm->ranks[i] != rank)
        i++;
    return i;
}

static bool deadlock_collective_ends(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need)
{
    const struct wf_deadlock_comm *comm = wf_deadlock_comm_of(&d->processes[rank], need->comm);
    if (!comm)
        return true;
    struct deadlock_missing missing = deadlock_count_missing(d, rank, need, comm, comm->count);
    if (missing.all == 0)
        return true;
    if ((uint32_t)need->tag & WF_NEED_APART) /* of some that count as missing, who has entered is not known */
        return missing.going > 0;
    if (need->members == WF_NEED_EACH)
        return missing.going == missing.all;
    if (need->members == WF_NEED_ROOT && need->rank >= 0 && !deadlock_has_entered(d, need->rank, need))
        return deadlock_goes_on(d, need->rank);
    if (need->members == WF_NEED_LOWER) {
        struct deadlock_missing lower = deadlock_count_missing(d, rank, need, comm, deadlock_position(comm, rank));
        if (lower.all > 0)
            return lower.going == lower.all;
    }
    return missing.going > 0;
}

/* ---- the fixpoint ---- */

static bool deadlock_is_satisfied(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need)
{
    switch ((enum wf_need_kind)need->kind) {
    case WF_NEED_MESSAGE:
        return deadlock_message_comes(d, rank, need);
    case WF_NEED_RECEIVER:
        return deadlock_goes_on(d, need->rank) || deadlock_faces(d, rank, need, need->rank);
    case WF_NEED_COLLECTIVE:
        return deadlock_collective_ends(d, rank, need);
    case WF_NEED_FINALIZE:
        return false;
    case WF_NEED_NOTHING:
        break;
    }
    return true;
}

/* Of several needs some may be satisfied already, so the one that is open may be any of them. */
static bool deadlock_thread_goes_on(const struct wf_deadlock *d, int32_t rank, const struct wf_needs_copy *thread)
{
    if (thread->mode == WF_NEEDS_RUNNING || thread->mode == WF_NEEDS_OTHER || thread->count == 0)
        return true;
    for (uint32_t i = 0; i < thread->count; i++)
        if (deadlock_is_satisfied(d, rank, &thread->need[i]))
            return true;
    return false;
}

static bool deadlock_process_goes_on(const struct wf_deadlock *d, int32_t rank)
{
    const struct wf_deadlock_process *p = &d->processes[rank];
    for (size_t t = 0; t < p->thread_count; t++)
        if (deadlock_thread_goes_on(d, rank, &p->threads[t]))
            return true;
    return p->thread_count == 0;
}

static void deadlock_find_stuck(struct wf_deadlock *d)
{
    d->stuck = 0;
    for (size_t i = 0; i < d->count; i++) {
        d->processes[i].stuck = d->processes[i].state == WF_DEADLOCK_BLOCKED;
        d->processes[i].in_cycle = false;
        d->stuck += d->processes[i].stuck;
    }
    for (bool changed = true; changed && d->stuck;) {
        changed = false;
        for (size_t i = 0; i < d->count; i++)
            if (d->processes[i].stuck && deadlock_process_goes_on(d, (int32_t)i)) {
                d->processes[i].stuck = false;
                d->stuck--;
                changed = true;
            }
    }
}

/* ---- who waits for whom ---- */

static bool deadlock_awaits(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need, int32_t other)
{
    return other != rank && deadlock_process(d, other) && !deadlock_goes_on(d, other) &&
           !(need->kind == WF_NEED_COLLECTIVE && deadlock_has_entered(d, other, need));
}

size_t wf_deadlock_awaited(const struct wf_deadlock *d, int32_t rank, const struct wf_need_copy *need, int32_t *awaited,
                           size_t room)
{
    size_t count = 0;
    bool root = need->kind == WF_NEED_COLLECTIVE && need->members == WF_NEED_ROOT && need->rank >= 0 &&
                !deadlock_has_entered(d, need->rank, need);
    bool one = root || (need->kind != WF_NEED_COLLECTIVE && need->rank != WF_NEED_ANY_RANK);
    const struct wf_deadlock_comm *comm = one ? NULL : wf_deadlock_comm_of(&d->processes[rank], need->comm);
    for (size_t i = 0; i < d->count; i++) {
        int32_t other = (int32_t)i;
        bool meant = one ? other == need->rank
                         : need->kind == WF_NEED_FINALIZE || (comm && deadlock_position(comm, other) < comm->count);
        /* A receive from the own rank waits for itself. */
        if (!meant || !(deadlock_awaits(d, rank, need, other) || (one && other == rank)))
            continue;
        if (count < room)
            awaited[count] = other;
        count++;
    }
    return count;
}

/* The stuck rank that this one waits for; of several, the first. -1: all that it waits for have ended. */
static int32_t deadlock_next(const struct wf_deadlock *d, int32_t rank)
{
    const struct wf_deadlock_process *p = &d->processes[rank];
    int32_t *awaited = malloc(d->count * sizeof *awaited), next = -1;
    for (size_t t = 0; awaited && t < p->thread_count && next < 0; t++)
        for (uint32_t i = 0; i < p->threads[t].count && next < 0; i++) {
            size_t count = wf_deadlock_awaited(d, rank, &p->threads[t].need[i], awaited, d->count);
            for (size_t k = 0; k < count && next < 0; k++)
                if (d->processes[awaited[k]].stuck)
                    next = awaited[k];
        }
    free(awaited);
    return next;
}

/* Follows who waits for whom from each rank: in fewer steps than there are ranks, it ends or goes round. */
static void deadlock_find_cycle(struct wf_deadlock *d)
{
    d->cycle_count = 0;
    for (size_t start = 0; start < d->count && d->cycle_count == 0; start++) {
        int32_t at = d->processes[start].stuck ? (int32_t)start : -1;
        for (size_t step = 0; step < d->count && at >= 0; step++)
            at = deadlock_next(d, at);
        for (int32_t first = at; at >= 0 && (d->cycle_count == 0 || at != first); at = deadlock_next(d, at)) {
            d->cycle[d->cycle_count++] = at;
            d->processes[at].in_cycle = true;
        }
    }
}

/* From its lowest rank on. */
static void deadlock_turn_cycle(struct wf_deadlock *d)
{
    size_t lowest = 0;
    for (size_t i = 1; i < d->cycle_count; i++)
        if (d->cycle[i] < d->cycle[lowest])
            lowest = i;
    for (; lowest > 0; lowest--) {
        int32_t first = d->cycle[0];
        for (size_t i = 0; i + 1 < d->cycle_count; i++)
            d->cycle[i] = d->cycle[i + 1];
        d->cycle[d->cycle_count - 1] = first;
    }
}

void wf_deadlock_find(struct wf_deadlock *d)
{
    deadlock_find_stuck(d);
    d->cycle_count = 0;
    if (d->stuck) {
        deadlock_find_cycle(d);
        deadlock_turn_cycle(d);
    }
}
