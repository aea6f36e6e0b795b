/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a thread publishes of the calls that may block: what it needs to go on (format/needs.h). Each thread writes its
 * own publication in the process's box, in its call; without a box, or without room in it, in memory that is not read.
 *
 * A call that may block begins with one of the functions here, and what that has returned decides whether it ends with
 * wf_needs_end. A call that only asks, or that leaves a small message, has no needs.
 */
#ifndef WF_EXCHANGE_NEEDS_H
#define WF_EXCHANGE_NEEDS_H

#include "format/needs.h"
#include "measure/event/call.h"
#include "measure/exchange/group.h"
#include "measure/exchange/stamp.h"

/* One need, as a value. */
struct wf_need_of {
    uint64_t comm;
    int32_t rank, tag;
    enum wf_need_kind kind;
    enum wf_need_members members;
    uint32_t kib;
};

/* A publication for the lane, at its first call that may block. */
struct wf_needs *wf_needs_open(struct wf_lane *lane);

/* Lets readers know the group's members and collectives, unless that was done. */
struct wf_needs_comm *wf_needs_share_now(struct wf_group *group);
static inline struct wf_needs_comm *wf_needs_share(struct wf_group *group)
{
    return __builtin_expect(group->shared != NULL, 1) ? group->shared : wf_needs_share_now(group);
}

/* Collective `number` of a group; root: a rank of the group. */
struct wf_need_of wf_need_collective(struct wf_group *group, uint32_t number, enum wf_need_members members, int root);

/* Its group is gone. */
void wf_needs_comm_left(struct wf_needs_comm *comm);

/* Before and after MPI is initialised: which threads the MPI library has started. */
void wf_needs_look_at_threads(void);
void wf_needs_note_helpers(bool threads);

static inline struct wf_needs *wf_needs_of(struct wf_lane *lane)
{
    return __builtin_expect(lane->needs != NULL, 1) ? lane->needs : wf_needs_open(lane);
}

static inline void wf_need_write(struct wf_need *need, const struct wf_need_of *of)
{
    wf_set(need->comm, of->comm);
    wf_set(need->rank, of->rank);
    wf_set(need->tag, of->tag);
    wf_set(need->kind, wf_need_kind_of(of->kind, of->members));
    wf_set(need->kib, of->kib);
}

/* The needs are about to be written: what was there before is over. */
static inline struct wf_needs *wf_needs_prepare(struct wf_call *c)
{
    struct wf_needs *needs = wf_needs_of(c->lane);
    wf_set(needs->mode, WF_NEEDS_RUNNING);
    atomic_thread_fence(memory_order_release);
    return needs;
}

/* They are written. */
static inline void wf_needs_publish(struct wf_call *c, struct wf_needs *needs, enum wf_needs_mode mode, uint32_t count)
{
    wf_set(needs->address, c->site->address);
    wf_set(needs->ticks, c->start);
    wf_set(needs->virtual_ticks, wf_call_virt(c));
    wf_set(needs->count, count);
    wf_set(needs->call, c->site->call);
    wf_set(needs->sequence, wf_get(needs->sequence) + 1);
    atomic_store_explicit(&needs->mode, mode, memory_order_release);
}

static inline bool wf_needs_begin(struct wf_call *c, const struct wf_need_of *of)
{
    struct wf_needs *needs = wf_needs_prepare(c);
    wf_need_write(&needs->need[0], of);
    wf_needs_publish(c, needs, WF_NEEDS_ONE, 1);
    return true;
}

/* It may block, and it is not known what for. */
static inline bool wf_needs_begin_other(struct wf_call *c)
{
    wf_needs_publish(c, wf_needs_prepare(c), WF_NEEDS_OTHER, 0);
    return true;
}

static inline void wf_needs_end(const struct wf_call *c)
{
    wf_set(c->lane->needs->mode, WF_NEEDS_RUNNING);
}

static inline uint32_t wf_need_kib(uint64_t bytes)
{
    return bytes >> 42 ? UINT32_MAX : (uint32_t)(bytes >> 10);
}

/* The process has entered collective `number` of a group. */
static inline void wf_needs_entered(struct wf_group *group, uint32_t number)
{
    wf_set(wf_needs_share(group)->entered, number + 1);
}

/* The thread finalizes MPI: that need is never taken back, unless MPI refuses. */
void wf_needs_finalize(struct wf_lane *lane, const struct wf_site *site, uint64_t ticks);
void wf_needs_go_on(struct wf_lane *lane);

/* A nonblocking send is under way, or complete. Small ones do not count. */
void wf_needs_sent(int64_t kib);

#endif
