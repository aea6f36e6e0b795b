/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls that start persistent operations and that complete operations: Start*, Wait*, Test*, Request_free.
 * A completion counts at two statements: bytes and the number of receives where the operation started, time and the number of
 * completions here.
 */
#ifndef WF_CLASS_COMPLETE_H
#define WF_CLASS_COMPLETE_H

#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure/class_p2p.h"

/* Whom a completed operation depended on. */
static inline void wf_complete_header(struct wf_call *c, const struct wf_request *r, int32_t partner, const MPI_Status *status, bool cancelled,
                                      struct wf_others *o)
{
    struct wf_header h;
    if (r->posted && cancelled)
        wf_match_forget(r->posted);
    else if (r->posted && wf_match_complete(r->posted, partner, status->MPI_TAG, &h))
        wf_header_came(c, &h, partner, wf_status_bytes(status), false, o);
    else if (r->posted)
        wf_header_missing(c, partner);
    else if (r->kind == WF_REQUEST_SEND && r->ring && !cancelled)
        wf_header_send_complete(c, r->ring, r->record, r->flags, partner, o);
    else if (r->kind == WF_REQUEST_OTHER && r->ranks)
        wf_header_gather(c, r->ranks, (MPI_Comm)r->ranks->handle, r->record, (enum wf_waits)r->waits, r->root, o);
    if (r->made)
        wf_comm_made((MPI_Comm)r->made, WF_MAKER_all, r->comm);
}

/* Counts a completed operation where it started. Gives its partner, for the statement that completed it; false: there was none, only an
 * inactive persistent request. */
static inline bool wf_complete(struct wf_call *c, uintptr_t handle, const void *variable, const MPI_Status *status, int32_t *partner_out,
                               struct wf_others *o)
{
    struct wf_request r;
    *partner_out = WF_PARTNER_NOBODY;
    if (!wf_request_take(handle, variable, false, &r))
        return true; /* started while paused, or a generalised request: nothing is known of it */
    if (r.persistent && !r.active)
        return false;
    bool cancelled = wf_status_cancelled(status);
    int32_t partner = r.partner;
    if (r.ranks && r.kind == WF_REQUEST_RECEIVE)
        /* The status of a cancelled receive tells no source. */
        partner = cancelled ? WF_PARTNER_NOBODY : wf_ranks_partner(r.ranks, status->MPI_SOURCE);
    wf_complete_header(c, &r, partner, status, cancelled, o);
    if (!r.persistent)
        wf_ranks_drop(r.ranks);
    *partner_out = partner;
    if (wf_process.paused || r.address == 0) /* nothing counts that is started or completed in a pause */
        return true;
    if (r.kind == WF_REQUEST_RECEIVE && !cancelled) {
        uint64_t bytes = partner == WF_PARTNER_NOBODY ? 0 : r.bytes ? r.bytes : wf_status_bytes(status);
        struct wf_span start = {.raw = r.ticks, .virt = r.ticks_virtual};
        wf_lane_count(c->lane, wf_lane_site(c->lane, r.address, r.call), partner, 1, bytes, &start);
    } else if (r.kind == WF_REQUEST_SEND && __builtin_expect(cancelled, 0)) {
        /* It never went: take back what was counted when it started. */
        wf_lane_count(c->lane, wf_lane_site(c->lane, r.address, r.call), partner, (uint64_t)-1, -r.bytes, &(struct wf_span){0});
    } else if (r.kind == WF_REQUEST_IO) {
        wf_lane_count(c->lane, wf_lane_site(c->lane, r.address, r.call), partner, 0, wf_status_bytes(status), &(struct wf_span){0});
    }
    return true;
}

/* An operation that ended in an error is no transfer; forget it. */
static WF_OUTLINE void wf_fail(uintptr_t handle, const void *variable)
{
    struct wf_request r;
    if (handle == (uintptr_t)MPI_REQUEST_NULL || !wf_request_take(handle, variable, false, &r))
        return;
    wf_header_unpost(r.posted);
    if (!r.persistent)
        wf_ranks_drop(r.ranks);
}

static inline void wf_wait_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    a->handle = (uintptr_t)(a->req ? *a->req : MPI_REQUEST_NULL);
    wf_args_want_status(a);
}

static inline void wf_wait_after(struct wf_call *c, struct wf_args *a, int rc)
{
    bool null = a->handle == (uintptr_t)MPI_REQUEST_NULL;
    struct wf_others o = {.kind = 0};
    int32_t partner;
    if (rc == MPI_SUCCESS && !null && (!a->flag || *a->flag) &&
        wf_complete(c, a->handle, wf_call_variable(c, a->req, 0), a->status, &partner, &o)) {
        wf_call_settle_with(c, &o);
        wf_call_count(c, partner, 1, 0);
        return;
    }
    if (rc != MPI_SUCCESS && !wf_refused(rc))
        wf_fail(a->handle, wf_call_variable(c, a->req, 0));
    wf_call_failed(c);
}

#define wf_test_before wf_wait_before
#define wf_test_after wf_wait_after

/* Copies the application's handles before MPI has accepted them. MPI reads the first ones too, but not all of a number that is wrong, if it finds
 * something else wrong before: so the kernel copies many of them, which is not killed by what it may not read. */
static WF_OUTLINE bool wf_copy_handles(MPI_Request *to, MPI_Request *from, size_t n)
{
    size_t bytes = n * sizeof *to;
    if (n == 0)
        return true;
    if (n <= 64) {
        memcpy(to, from, bytes);
        return true;
    }
    int before = errno;
    struct iovec there = {.iov_base = from, .iov_len = bytes}, here = {.iov_base = to, .iov_len = bytes};
    ssize_t copied = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    if (copied < 0 && errno != EFAULT) { /* somebody has forbidden it */
        memcpy(to, from, bytes);
        copied = (ssize_t)bytes;
    }
    errno = before;
    return copied == (ssize_t)bytes;
}

/* Copies the handles, which the call will overwrite, and gives it statuses where the application has none. */
static inline void wf_waitall_before(struct wf_call *c, struct wf_args *a)
{
    size_t n = a->reqn > 0 && a->reqs ? (size_t)a->reqn : 0;
    bool one = a->index != NULL; /* Waitany and Testany have one status */
    size_t statuses = one || a->statuses != MPI_STATUSES_IGNORE ? 0 : n;
    char *memory = wf_lane_scratch(c->lane, n * (sizeof *a->own_reqs + sizeof *a->partners) + statuses * sizeof *a->statuses + 16);
    if (one)
        wf_args_want_status(a);
    if (!memory || n != (size_t)a->reqn || !wf_copy_handles((MPI_Request *)memory, a->reqs, n))
        return;
    a->own_reqs = (MPI_Request *)memory;
    memory += n * sizeof *a->own_reqs;
    if (statuses) {
        memory += -(uintptr_t)memory & 7;
        a->statuses = (MPI_Status *)memory;
        memory += n * sizeof *a->statuses;
    }
    a->partners = (int32_t *)memory;
}

/* Completion number i of the arrays, its status being `status`; appends its partner. */
static inline int wf_complete_one(struct wf_call *c, struct wf_args *a, int i, const MPI_Status *status, int done, struct wf_others *o)
{
    if (a->own_reqs[i] == MPI_REQUEST_NULL ||
        !wf_complete(c, (uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i), status, &a->partners[done], o))
        return done;
    return done + 1;
}

/* The call's time is shared by what it completed: nothing tells how long each transfer took. Only nobody (MPI_PROC_NULL) certainly took none,
 * unless there is nobody else. Waiting belongs to the one that came last, and so does the rest of the division. */
static inline void wf_share(struct wf_call *c, const struct wf_args *a, int done, struct wf_others *o)
{
    unsigned sharers = 0;
    int last = -1;
    wf_call_settle_with(c, o);
    for (int i = 0; i < done; i++)
        if (a->partners[i] != WF_PARTNER_NOBODY) {
            if (sharers++ == 0 || (o->merge.parts && a->partners[i] == o->merge.who))
                last = i;
        }
    if (done == 0) {
        wf_call_count(c, WF_PARTNER_NOBODY, 0, 0);
        return;
    }
    struct wf_span share = wf_span_share(&c->span, sharers > 1 ? 1 : 0, sharers ? sharers : 1), rest = c->span;
    for (int i = 0; i < done; i++)
        if (i != last && a->partners[i] != WF_PARTNER_NOBODY) {
            wf_call_count_part(c, a->partners[i], 1, 0, &share);
            rest = wf_span_rest(&rest, &share);
        } else if (i != last) {
            wf_call_count_part(c, a->partners[i], 1, 0, last < 0 && i == 0 ? &c->span : &(struct wf_span){0});
        }
    if (last >= 0)
        wf_call_count_part(c, a->partners[last], 1, 0, &rest);
}

static inline int wf_class(int rc)
{
    int class = MPI_SUCCESS;
    if (__builtin_expect(rc != MPI_SUCCESS, 0))
        wf_real.Error_class(rc, &class);
    return class;
}

/* One of several that were completed, some of them with an error: its own status tells. One that is still pending stays. */
static inline int wf_complete_some(struct wf_call *c, struct wf_args *a, int i, const MPI_Status *status, int done, struct wf_others *o)
{
    int class = wf_class(status->MPI_ERROR);
    if (class == MPI_SUCCESS)
        return wf_complete_one(c, a, i, status, done, o);
    if (class != MPI_ERR_PENDING)
        wf_fail((uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i));
    return done;
}

static WF_OUTLINE void wf_waitall_after(struct wf_call *c, struct wf_args *a, int rc)
{
    int done = 0;
    struct wf_others o = {.kind = 0};
    if (a->own_reqs && rc == MPI_SUCCESS && (!a->flag || *a->flag))
        for (int i = 0; i < a->reqn; i++)
            done = wf_complete_one(c, a, i, &a->statuses[i], done, &o);
    else if (a->own_reqs && wf_class(rc) == MPI_ERR_IN_STATUS)
        for (int i = 0; i < a->reqn; i++)
            done = wf_complete_some(c, a, i, &a->statuses[i], done, &o);
    wf_share(c, a, done, &o);
}

#define wf_testall_before wf_waitall_before
#define wf_testall_after wf_waitall_after
#define wf_waitany_before wf_waitall_before
#define wf_testany_before wf_waitall_before
#define wf_waitsome_before wf_waitall_before
#define wf_testsome_before wf_waitall_before

static WF_OUTLINE void wf_waitany_after(struct wf_call *c, struct wf_args *a, int rc)
{
    int done = 0;
    struct wf_others o = {.kind = 0};
    bool told = rc == MPI_SUCCESS ? !a->flag || *a->flag : !wf_refused(rc);
    int i = a->own_reqs && told ? *a->index : MPI_UNDEFINED;
    if (i != MPI_UNDEFINED && i >= 0 && i < a->reqn) {
        if (rc == MPI_SUCCESS)
            done = wf_complete_one(c, a, i, a->status, 0, &o);
        else
            wf_fail((uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i));
    }
    wf_share(c, a, done, &o);
}

#define wf_testany_after wf_waitany_after

static WF_OUTLINE void wf_waitsome_after(struct wf_call *c, struct wf_args *a, int rc)
{
    int done = 0;
    struct wf_others o = {.kind = 0};
    bool told = rc == MPI_SUCCESS || wf_class(rc) == MPI_ERR_IN_STATUS;
    int count = a->own_reqs && told && *a->outcount != MPI_UNDEFINED ? *a->outcount : 0;
    for (int k = 0; k < count; k++)
        if (rc == MPI_SUCCESS)
            done = wf_complete_one(c, a, a->indices[k], &a->statuses[k], done, &o);
        else
            done = wf_complete_some(c, a, a->indices[k], &a->statuses[k], done, &o);
    wf_share(c, a, done, &o);
}

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
    MPI_Request *handles = (MPI_Request *)(memory + n * sizeof *a->started);
    if (!memory || n != (size_t)a->reqn || !wf_copy_handles(handles, a->reqs, n))
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
    if (!wf_box || !r->comm)
        return;
    if (r->kind == WF_REQUEST_SEND && r->partner >= 0) {
        s->record = wf_header_put(c, r->partner, r->comm, r->tag, r->flags, false, &r->record, &r->ring);
    } else if (r->kind == WF_REQUEST_RECEIVE && (r->partner >= 0 || r->ranks)) {
        r->posted = wf_header_post_to(c, r->ranks ? WF_ANY : r->partner, r->tag, r->comm);
    } else if (r->kind == WF_REQUEST_OTHER && r->ranks) {
        r->record = wf_start_number(r);
        wf_header_enter(c, r->ranks, r->record, false);
        if (__builtin_expect(wf_remote_on, 0))
            wf_header_enter_far(c, r->ranks, r->record, (enum wf_waits)r->waits, r->root);
    }
}

static inline void wf_startall_begun(struct wf_call *c, struct wf_args *a)
{
    for (int i = 0; a->started && i < a->reqn; i++)
        wf_start_one(c, &a->started[i]);
}

#define wf_start_begun wf_startall_begun

/* From here on the operation belongs to the statement that starts it now. */
static inline void wf_restart(struct wf_call *c, struct wf_started *s, const struct wf_span *span)
{
    struct wf_request *r = &s->request;
    if (!s->known) {
        wf_call_count_part(c, WF_PARTNER_NOBODY, 1, 0, span);
        return;
    }
    r->address = c->site->address;
    r->call = (uint16_t)c->site->call;
    r->ticks = span->raw;
    r->ticks_virtual = span->virt;
    wf_request_started((uintptr_t)s->handle, r);
    if (r->kind != WF_REQUEST_RECEIVE)
        wf_call_count_part(c, r->partner, 1, r->bytes, span);
}

/* The call failed: what was posted is not under way, and what a header was left for was not sent. */
static WF_OUTLINE void wf_start_failed(struct wf_call *c, struct wf_args *a)
{
    for (int i = 0; a->started && i < a->reqn; i++) {
        struct wf_started *s = &a->started[i];
        if (!s->known)
            continue;
        if (s->record)
            wf_header_take_back(s->request.partner, s->record, s->request.record);
        wf_header_unpost(s->request.posted);
    }
    wf_call_count(c, WF_PARTNER_NOBODY, 0, 0);
}

static WF_OUTLINE void wf_startall_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_settle_alone(c);
    if (rc != MPI_SUCCESS || a->reqn <= 0) {
        wf_start_failed(c, a);
        return;
    }
    if (!a->started) {
        wf_call_count(c, WF_PARTNER_NOBODY, (uint64_t)a->reqn, 0);
        return;
    }
    struct wf_span share = wf_span_share(&c->span, 1, (unsigned)a->reqn), rest = c->span;
    for (int i = 1; i < a->reqn; i++) {
        wf_restart(c, &a->started[i], &share);
        rest = wf_span_rest(&rest, &share);
    }
    wf_restart(c, &a->started[0], &rest);
}

#define wf_start_after wf_startall_after

static inline void wf_request_free_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    a->handle = (uintptr_t)(a->req ? *a->req : MPI_REQUEST_NULL);
}

static WF_OUTLINE void wf_request_free_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc == MPI_SUCCESS)
        wf_request_forget(a->handle, wf_call_variable(c, a->req, 0));
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
}

#endif
