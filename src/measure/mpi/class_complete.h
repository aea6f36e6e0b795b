/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls that start persistent operations and that complete operations: Start*, Wait*, Test*, Request_free.
 * A completion counts at two statements: bytes and the number of receives where the operation started, time and the
 * number of completions here.
 */
#ifndef WF_CLASS_COMPLETE_H
#define WF_CLASS_COMPLETE_H

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure/mpi/class_partitioned.h"

/* A receive from any source, whose messages come without headers. */
void wf_complete_undecided(struct wf_call *c, const struct wf_request *r);

/* Whom a completed operation depended on. */
static inline void wf_complete_header(struct wf_call *c, const struct wf_request *r, int32_t partner,
                                      const MPI_Status *status, bool cancelled, struct wf_others *o)
{
    struct wf_stamp begin = wf_call_stamp(c);
    struct wf_header h;
    if (r->posted && cancelled)
        wf_match_forget(r->posted);
    else if (r->posted && wf_match_complete(r->posted, partner, status->MPI_TAG, &begin, c->site->address, &h))
        wf_header_came(c, &h, partner, wf_status_bytes(status), false, o);
    else if (r->posted)
        wf_header_missing(c, partner);
    else if (r->kind == WF_REQUEST_SEND && r->ring && !cancelled)
        wf_header_send_complete(c, r->ring, r->record, r->flags, partner, o);
    else if (__builtin_expect(r->partitioned, 0))
        wf_partitioned_complete(c, r, o);
    else if (r->kind != WF_REQUEST_RECEIVE && r->ranks)
        wf_header_gather(c, r->ranks, (MPI_Comm)r->ranks->handle, r->record, (enum wf_depends)r->waits, r->root, o);
    else if (r->kind == WF_REQUEST_RECEIVE && r->ranks && !cancelled)
        wf_complete_undecided(c, r);
    if (r->made)
        wf_comm_made((MPI_Comm)r->made, WF_MAKER_all, r->comm);
}

/* Counts a completed operation where it started. Gives its partner, for the statement that completed it; false: there
 * was none, only an inactive persistent request. */
static inline bool wf_complete(struct wf_call *c, uintptr_t handle, const void *variable, const MPI_Status *status,
                               int32_t *partner_out, struct wf_others *o)
{
    struct wf_request r;
    *partner_out = WF_PARTNER_NOBODY;
    if (!wf_request_take(handle, variable, false, &r))
        return true; /* started while paused, or a generalised request: nothing is known of it */
    if (r.persistent && !r.active)
        return false;
    bool cancelled = wf_status_cancelled(status);
    c->moved += r.kind == WF_REQUEST_RECEIVE ? 0 : r.bytes;
    int32_t partner = r.partner;
    if (r.ranks && r.kind == WF_REQUEST_RECEIVE)
        /* The status of a cancelled receive tells no source. */
        partner = cancelled ? WF_PARTNER_NOBODY : wf_group_partner(r.ranks, status->MPI_SOURCE);
    wf_complete_header(c, &r, partner, status, cancelled, o);
    if (!r.persistent)
        wf_group_drop(r.ranks);
    *partner_out = partner;
    if (wf_process.paused || r.address == 0) /* nothing counts that is started or completed in a pause */
        return true;
    if (r.kind == WF_REQUEST_RECEIVE && !cancelled) {
        uint64_t bytes = partner == WF_PARTNER_NOBODY ? 0 : r.bytes ? r.bytes : wf_status_bytes(status);
        c->moved += bytes;
        struct wf_times start = {.raw = r.ticks, .virt = r.ticks_virtual};
        wf_lane_count(c->lane, wf_lane_site(c->lane, r.address, r.call), partner, 1, bytes, &start);
    } else if (r.kind == WF_REQUEST_SEND && __builtin_expect(cancelled, 0)) {
        /* It never went: take back what was counted when it started. */
        wf_lane_count(c->lane, wf_lane_site(c->lane, r.address, r.call), partner, (uint64_t)-1, -r.bytes,
                      &(struct wf_times){0});
    } else if (r.kind == WF_REQUEST_IO) {
        wf_lane_count(c->lane, wf_lane_site(c->lane, r.address, r.call), partner, 0, wf_status_bytes(status),
                      &(struct wf_times){0});
    }
    return true;
}

/* An operation that ended in an error is no transfer; forget it. */
void wf_complete_failed(uintptr_t handle, const void *variable);

static inline void wf_wait_before(struct wf_call *c, struct wf_args *a)
{
    a->handle = (uintptr_t)(a->req ? *a->req : MPI_REQUEST_NULL);
    wf_args_want_status(a);
    c->polls = a->flag ? WF_POLLS_ASKS : WF_POLLS_WAITS;
    c->asked = a->handle;
}

/* What it needs to go on. False: nothing. */
bool wf_wait_needs(struct wf_call *c, uintptr_t handle, const void *variable);
bool wf_waitall_blocks(struct wf_call *c, const struct wf_args *a);
bool wf_waitany_blocks(struct wf_call *c, const struct wf_args *a);
#define wf_waitsome_blocks wf_waitany_blocks

static inline bool wf_wait_blocks(struct wf_call *c, const struct wf_args *a)
{
    return wf_wait_needs(c, a->handle, wf_call_variable(c, a->req, 0));
}

static inline void wf_wait_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (wf_args_poll_failed(c, a, rc))
        return;
    bool null = a->handle == (uintptr_t)MPI_REQUEST_NULL;
    struct wf_others o = {.kind = 0};
    int32_t partner;
    if (rc == MPI_SUCCESS && !null && (!a->flag || *a->flag) &&
        wf_complete(c, a->handle, wf_call_variable(c, a->req, 0), a->status, &partner, &o)) {
        wf_call_take_with(c, &o, partner, 1, 0);
        return;
    }
    if (rc != MPI_SUCCESS && !wf_call_refused(rc))
        wf_complete_failed(a->handle, wf_call_variable(c, a->req, 0));
    wf_call_failed(c);
}

#define wf_test_before wf_wait_before
#define wf_test_after wf_wait_after

/* A request that stays as it is: what such a poll finds out is still to be completed. */
static inline void wf_status_before(struct wf_call *c, struct wf_args *a)
{
    wf_args_want_status(a);
    c->polls = WF_POLLS_ASKS;
    c->asked = (uintptr_t)a->request;
}

void wf_status_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_parrived_before(struct wf_call *c, struct wf_args *a)
{
    c->polls = WF_POLLS_ASKS;
    c->asked = (uintptr_t)a->request;
}

void wf_parrived_after(struct wf_call *c, struct wf_args *a, int rc);

/* Copies the application's handles before MPI has accepted them. MPI reads the first ones too, but not all of a number
 * that is wrong, if it finds something else wrong before: so the kernel copies many of them, which is not killed by
 * what it may not read. */
bool wf_complete_copy_handles(MPI_Request *to, MPI_Request *from, size_t n);

/* Copies the handles, which the call will overwrite, and gives it statuses where the application has none. */
static inline void wf_waitall_before(struct wf_call *c, struct wf_args *a)
{
    size_t n = a->reqn > 0 && a->reqs ? (size_t)a->reqn : 0;
    bool one = a->index != NULL; /* Waitany and Testany have one status */
    size_t statuses = one || a->statuses != MPI_STATUSES_IGNORE ? 0 : n;
    char *memory =
        wf_lane_scratch(c->lane, n * (sizeof *a->own_reqs + sizeof *a->partners) + statuses * sizeof *a->statuses + 16);
    if (one)
        wf_args_want_status(a);
    if (!memory || n != (size_t)a->reqn || !wf_complete_copy_handles((MPI_Request *)memory, a->reqs, n))
        return;
    a->own_reqs = (MPI_Request *)memory;
    c->polls = wf_args_asks(a) ? WF_POLLS_ASKS : WF_POLLS_WAITS;
    c->asked = n ? (uintptr_t)a->own_reqs[0] : 0;
    memory += n * sizeof *a->own_reqs;
    if (statuses) {
        memory += -(uintptr_t)memory & 7;
        a->statuses = (MPI_Status *)memory;
        memory += n * sizeof *a->statuses;
    }
    a->partners = (int32_t *)memory;
}

void wf_waitall_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_testall_before wf_waitall_before
#define wf_testall_after wf_waitall_after
#define wf_waitany_before wf_waitall_before
#define wf_testany_before wf_waitall_before
#define wf_waitsome_before wf_waitall_before
#define wf_testsome_before wf_waitall_before

void wf_waitany_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_testany_after wf_waitany_after

void wf_waitsome_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_testsome_after wf_waitsome_after

/* A persistent operation that is being started. What goes with it is kept here until MPI has accepted it. */
struct wf_started {
    MPI_Request handle;
    bool known;
    struct wf_request request;
    struct wf_record *record; /* of the header that a send has left */
};

static inline void wf_startall_before(struct wf_call *c, struct wf_args *a)
{
    size_t n = a->reqn > 0 && a->reqs ? (size_t)a->reqn : 0;
    char *memory = wf_lane_scratch(c->lane, n * (sizeof *a->started + sizeof(MPI_Request)));
    if (!memory || n != (size_t)a->reqn)
        return;
    MPI_Request *handles = (MPI_Request *)(memory + n * sizeof *a->started);
    if (!wf_complete_copy_handles(handles, a->reqs, n))
        return;
    a->started = (struct wf_started *)memory;
    for (size_t i = 0; i < n; i++)
        a->started[i].handle = handles[i];
}

static inline void wf_start_before(struct wf_call *c, struct wf_args *a)
{
    a->reqn = 1;
    a->reqs = a->req;
    wf_startall_before(c, a);
}

/* Persistent collectives are initialised in one order, and may be started in any: each has numbers of its own. */
static inline uint32_t wf_start_number(const struct wf_request *r)
{
    return UINT32_C(1) << 31 | (r->planned * UINT32_C(0x9E3779B1) + r->starts);
}

/* What an operation that is started does, with what was kept of it. */
static inline void wf_start_one(struct wf_call *c, struct wf_started *s)
{
    struct wf_request *r = &s->request;
    s->record = NULL;
    s->known = s->handle != MPI_REQUEST_NULL && wf_request_persistent((uintptr_t)s->handle, r);
    if (!s->known)
        return;
    r->posted = NULL;
    r->ring = NULL;
    r->starts++;
    if (!wf_header_is_on() || !r->comm)
        return;
    if (__builtin_expect(r->partitioned, 0)) {
        wf_partitioned_start(c, r);
    } else if (r->kind == WF_REQUEST_SEND && r->partner >= 0) {
        s->record = wf_header_put(c, r->partner, r->comm, r->tag, r->flags, false, &r->record, &r->ring);
    } else if (r->kind == WF_REQUEST_RECEIVE && (r->partner >= 0 || r->ranks)) {
        r->posted = wf_header_post_to(c, r->ranks ? WF_ANY : r->partner, r->tag, r->comm);
    } else if (r->kind == WF_REQUEST_OTHER && r->ranks) {
        r->record = wf_start_number(r);
        wf_header_enter(c, r->ranks, r->record, false);
        if (__builtin_expect(wf_links.far, 0) && !r->ranks->inter)
            wf_header_enter_far(c, r->ranks, r->record, (enum wf_depends)r->waits, r->root);
    }
}

static inline void wf_startall_begun(struct wf_call *c, struct wf_args *a)
{
    for (int i = 0; a->started && i < a->reqn; i++)
        wf_start_one(c, &a->started[i]);
}

#define wf_start_begun wf_startall_begun

/* The call failed: what was posted is not under way, and what a header was left for was not sent. */
void wf_start_failed(struct wf_args *a);

void wf_startall_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_start_after wf_startall_after

static inline void wf_request_free_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    a->handle = (uintptr_t)(a->req ? *a->req : MPI_REQUEST_NULL);
}

void wf_request_free_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_cancel_before wf_local_before
#define wf_cancel_after wf_local_after

#endif
