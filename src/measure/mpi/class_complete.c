/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/class_complete.h"

/* From here on the operation belongs to the statement that starts it now. */
static void complete_restart(struct wf_lane *lane, const struct wf_event *e, struct wf_started *s,
                             const struct wf_times *times)
{
    struct wf_request *r = &s->request;
    if (!s->known) {
        wf_event_count_part(lane, e, WF_PARTNER_NOBODY, 1, 0, times);
        return;
    }
    r->address = e->site->address;
    r->call = (uint16_t)e->site->call;
    r->ticks = times->raw;
    r->ticks_virtual = times->virt;
    wf_request_started((uintptr_t)s->handle, r);
    if (r->kind != WF_REQUEST_RECEIVE)
        wf_event_count_part(lane, e, r->partner, 1, r->bytes, times);
}

static int complete_error_class(int rc)
{
    int class = MPI_SUCCESS;
    if (__builtin_expect(rc != MPI_SUCCESS, 0))
        wf_real.Error_class(rc, &class);
    return class;
}

/* Completion number i of the arrays, its status being `status`; appends its partner. */
static int complete_one(struct wf_call *c, struct wf_args *a, int i, const MPI_Status *status, int done,
                        struct wf_others *o)
{
    if (a->own_reqs[i] == MPI_REQUEST_NULL ||
        !wf_complete(c, (uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i), status, &a->partners[done], o))
        return done;
    return done + 1;
}

/* One of several that were completed, some of them with an error: its own status tells. One that is still pending
 * stays. */
static int complete_some(struct wf_call *c, struct wf_args *a, int i, const MPI_Status *status, int done,
                         struct wf_others *o)
{
    int class = complete_error_class(status->MPI_ERROR);
    if (class == MPI_SUCCESS)
        return complete_one(c, a, i, status, done, o);
    if (class != MPI_ERR_PENDING)
        wf_complete_failed((uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i));
    return done;
}

/* Several were completed, and share the call's time: nothing tells how long each transfer took. Only those with
 * MPI_PROC_NULL certainly took none, unless there are no others. Waiting belongs to the one that came last, and so does
 * the rest of the division. */
static void complete_share(struct wf_lane *lane, const struct wf_event *e, const struct wf_args *a, int done,
                           const struct wf_merge *m)
{
    const struct wf_times *all = &e->times;
    unsigned sharers = 0;
    int last = -1;
    for (int i = 0; i < done; i++)
        if (a->partners[i] != WF_PARTNER_NOBODY) {
            if (sharers++ == 0 || (m->parts && a->partners[i] == m->who))
                last = i;
        }
    struct wf_times share = wf_times_share(all, sharers > 1 ? 1 : 0, sharers ? sharers : 1), rest = *all;
    for (int i = 0; i < done; i++)
        if (i != last && a->partners[i] != WF_PARTNER_NOBODY) {
            wf_event_count_part(lane, e, a->partners[i], 1, 0, &share);
            rest = wf_times_rest(&rest, &share);
        } else if (i != last) {
            wf_event_count_part(lane, e, a->partners[i], 1, 0, last < 0 && i == 0 ? all : &(struct wf_times){0});
        }
    if (last >= 0)
        wf_event_count_part(lane, e, a->partners[last], 1, 0, &rest);
}

static void complete_take(struct wf_call *c, const struct wf_args *a, int done, struct wf_others *o)
{
    struct wf_event e;
    wf_call_settle_polled(c, o, &e);
    if (done > 1) {
        wf_call_take_shared(c, &e);
        complete_share(c->lane, &e, a, done, &o->merge);
    } else {
        wf_call_take(c, &e, done ? a->partners[0] : WF_PARTNER_NOBODY, (uint64_t)done, 0);
    }
}

void wf_complete_failed(uintptr_t handle, const void *variable)
{
    struct wf_request r;
    if (handle == (uintptr_t)MPI_REQUEST_NULL || !wf_request_take(handle, variable, false, &r))
        return;
    wf_header_unpost(r.posted);
    if (!r.persistent)
        wf_group_drop(r.ranks);
}

/* ---- what a call needs ---- */

enum complete_needs { COMPLETE_NEEDS_NOTHING, COMPLETE_NEEDS_ONE, COMPLETE_NEEDS_UNKNOWN };

static enum complete_needs complete_need_of_send(const struct wf_request *r, struct wf_need_of *need)
{
    const struct wf_record *record = r->ring ? wf_ring_record(r->ring, r->record - 1) : NULL;
    if (r->partner < 0 || !(r->flags & WF_HEADER_SYNC))
        return COMPLETE_NEEDS_NOTHING;
    bool there = record && wf_get(record->number) == r->record;
    *need = (struct wf_need_of){.kind = WF_NEED_RECEIVER,
                                .comm = there ? wf_get(record->comm) : 0,
                                .rank = r->partner,
                                .tag = there ? wf_get(record->tag) : WF_NEED_ANY_TAG,
                                .kib = wf_need_kib(r->bytes)};
    return COMPLETE_NEEDS_ONE;
}

static enum complete_needs complete_need_of_receive(const struct wf_request *r, struct wf_need_of *need)
{
    struct wf_match_wanted wanted = {.tag = WF_NEED_ANY_TAG, .comm = r->ranks ? r->ranks->id : 0};
    if (!r->ranks && r->partner < 0)
        return r->partner == WF_PARTNER_NOBODY ? COMPLETE_NEEDS_NOTHING : COMPLETE_NEEDS_UNKNOWN;
    if (r->posted)
        wf_match_wants(r->posted, &wanted);
    if (r->posted && wanted.came)
        return COMPLETE_NEEDS_NOTHING;
    if (r->ranks)
        wf_needs_share(r->ranks);
    *need = (struct wf_need_of){.kind = WF_NEED_MESSAGE,
                                .comm = wanted.comm,
                                .rank = r->ranks ? WF_NEED_ANY_RANK : r->partner,
                                .tag = wanted.tag};
    return COMPLETE_NEEDS_ONE;
}

static enum complete_needs complete_need_of_collective(const struct wf_request *r, struct wf_need_of *need)
{
    if (!r->ranks || r->ranks->kind != WF_GROUP_COMM)
        return COMPLETE_NEEDS_UNKNOWN;
    bool barrier = r->waits == WF_DEPENDS_barrier && !r->persistent;
    *need = wf_need_collective(r->ranks, r->persistent ? WF_NEED_APART : r->record,
                               barrier ? WF_NEED_EACH : WF_NEED_SOME, r->root);
    need->kib = barrier ? 0 : WF_NEED_UNKNOWN_KIB;
    return COMPLETE_NEEDS_ONE;
}

static enum complete_needs complete_need_of(uintptr_t handle, const void *variable, struct wf_need_of *need)
{
    struct wf_request r;
    if (handle == (uintptr_t)MPI_REQUEST_NULL)
        return COMPLETE_NEEDS_NOTHING;
    if (!wf_request_look(handle, variable, &r) || r.partitioned)
        return COMPLETE_NEEDS_UNKNOWN;
    switch ((enum wf_request_kind)r.kind) {
    case WF_REQUEST_SEND:
        return complete_need_of_send(&r, need);
    case WF_REQUEST_RECEIVE:
        return complete_need_of_receive(&r, need);
    case WF_REQUEST_OTHER:
        return complete_need_of_collective(&r, need);
    case WF_REQUEST_IO:
    case WF_REQUEST_MESSAGE:
        break;
    }
    return COMPLETE_NEEDS_UNKNOWN;
}

/* A need that is not known may be satisfied at any time: then nothing is said of the others either. */
static bool complete_needs(struct wf_call *c, const struct wf_args *a, enum wf_needs_mode several)
{
    struct wf_needs *needs = wf_needs_prepare(c);
    uint32_t count = 0;
    for (int i = 0; i < a->reqn; i++) {
        struct wf_need_of need;
        enum complete_needs is =
            complete_need_of((uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i), &need);
        if (is == COMPLETE_NEEDS_UNKNOWN || (is == COMPLETE_NEEDS_ONE && count == WF_NEEDS_ROOM))
            return wf_needs_begin_other(c);
        if (is == COMPLETE_NEEDS_NOTHING && several == WF_NEEDS_ANY && a->own_reqs[i] != MPI_REQUEST_NULL)
            return false;
        if (is == COMPLETE_NEEDS_ONE)
            wf_need_write(&needs->need[count++], &need);
    }
    if (count)
        wf_needs_publish(c, needs, count == 1 ? WF_NEEDS_ONE : several, count);
    return count > 0;
}

bool wf_waitall_blocks(struct wf_call *c, const struct wf_args *a)
{
    return a->own_reqs ? complete_needs(c, a, WF_NEEDS_ALL) : wf_needs_begin_other(c);
}

bool wf_waitany_blocks(struct wf_call *c, const struct wf_args *a)
{
    return a->own_reqs ? complete_needs(c, a, WF_NEEDS_ANY) : wf_needs_begin_other(c);
}

bool wf_wait_needs(struct wf_call *c, uintptr_t handle, const void *variable)
{
    struct wf_need_of need;
    enum complete_needs is = complete_need_of(handle, variable, &need);
    if (is == COMPLETE_NEEDS_UNKNOWN)
        return wf_needs_begin_other(c);
    return is == COMPLETE_NEEDS_ONE && wf_needs_begin(c, &need);
}

void wf_complete_undecided(struct wf_call *c, const struct wf_request *r)
{
    if (!wf_process.paused && r->address)
        wf_order_count_undecided(wf_lane_order(c->lane, wf_lane_site(c->lane, r->address, r->call)));
}

/* ---- requests that stay as they are ---- */

static void complete_look_at_receive(const struct wf_call *c, const struct wf_request *r, const MPI_Status *status,
                                     int32_t *partner, struct wf_others *o)
{
    struct wf_header h;
    *partner = r->ranks ? wf_group_partner(r->ranks, status->MPI_SOURCE) : r->partner;
    if (!wf_status_cancelled(status) && wf_match_look(r->posted, *partner, status->MPI_TAG, &h) &&
        h.stamp.real > c->start)
        wf_header_probed(c, &h, *partner, o);
}

/* The request is over, or a partition of it has come: did a chain of polls wait for that? Then the call is the end of
 * the chain. What had come before the chain is no news: such a call is a poll like others. status: NULL: it has none.
 */
static bool complete_look(struct wf_call *c, const struct wf_args *a, const MPI_Status *status, int32_t *partner,
                          struct wf_others *o)
{
    struct wf_request r;
    struct wf_virtual before = c->before;
    uint64_t start = c->start;
    if (!c->chained || !wf_request_look((uintptr_t)a->request, wf_call_variable(c, NULL, 0), &r))
        return false;
    wf_poll_came(c);
    if (r.posted && status) {
        complete_look_at_receive(c, &r, status, partner, o);
    } else if (r.partitioned) {
        *partner = r.partner;
        wf_partitioned_complete(c, &r, o);
    }
    if (o->merge.parts > 0)
        return true;
    c->start = start;
    c->before = before;
    return false;
}

static void complete_looked(struct wf_call *c, const struct wf_args *a, const MPI_Status *status, int rc)
{
    struct wf_others o = {.kind = 0};
    int32_t partner = WF_PARTNER_NOBODY;
    if (rc != MPI_SUCCESS)
        wf_call_failed(c);
    else if (*a->flag && complete_look(c, a, status, &partner, &o))
        wf_call_take_with(c, &o, partner, 1, 0);
    else
        wf_poll_failed(c, 1);
}

void wf_status_after(struct wf_call *c, struct wf_args *a, int rc)
{
    complete_looked(c, a, a->status, rc);
}

void wf_parrived_after(struct wf_call *c, struct wf_args *a, int rc)
{
    complete_looked(c, a, NULL, rc);
}

/* ---- several ---- */

bool wf_complete_copy_handles(MPI_Request *to, MPI_Request *from, size_t n)
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
    if (copied < 0 && errno != EFAULT) { /* the system forbids it */
        memcpy(to, from, bytes);
        copied = (ssize_t)bytes;
    }
    errno = before;
    return copied == (ssize_t)bytes;
}

void wf_waitall_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (wf_args_poll_failed(c, a, rc))
        return;
    int done = 0;
    struct wf_others o = {.kind = 0};
    if (a->own_reqs && rc == MPI_SUCCESS && (!a->flag || *a->flag))
        for (int i = 0; i < a->reqn; i++)
            done = complete_one(c, a, i, &a->statuses[i], done, &o);
    else if (a->own_reqs && complete_error_class(rc) == MPI_ERR_IN_STATUS)
        for (int i = 0; i < a->reqn; i++)
            done = complete_some(c, a, i, &a->statuses[i], done, &o);
    complete_take(c, a, done, &o);
}

void wf_waitany_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (wf_args_poll_failed(c, a, rc))
        return;
    int done = 0;
    struct wf_others o = {.kind = 0};
    bool told = rc == MPI_SUCCESS ? !a->flag || *a->flag : !wf_call_refused(rc);
    int i = a->own_reqs && told ? *a->index : MPI_UNDEFINED;
    if (i != MPI_UNDEFINED && i >= 0 && i < a->reqn) {
        if (rc == MPI_SUCCESS)
            done = complete_one(c, a, i, a->status, 0, &o);
        else
            wf_complete_failed((uintptr_t)a->own_reqs[i], wf_call_variable(c, &a->reqs[i], i));
    }
    complete_take(c, a, done, &o);
}

void wf_waitsome_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (wf_args_poll_failed(c, a, rc))
        return;
    int done = 0;
    struct wf_others o = {.kind = 0};
    bool told = rc == MPI_SUCCESS || complete_error_class(rc) == MPI_ERR_IN_STATUS;
    int count = a->own_reqs && told && *a->outcount != MPI_UNDEFINED ? *a->outcount : 0;
    for (int k = 0; k < count; k++)
        if (rc == MPI_SUCCESS)
            done = complete_one(c, a, a->indices[k], &a->statuses[k], done, &o);
        else
            done = complete_some(c, a, a->indices[k], &a->statuses[k], done, &o);
    complete_take(c, a, done, &o);
}

void wf_start_failed(struct wf_args *a)
{
    for (int i = 0; a->started && i < a->reqn; i++) {
        struct wf_started *s = &a->started[i];
        if (!s->known)
            continue;
        if (s->record)
            wf_header_take_back(s->request.partner, s->record, s->request.record);
        wf_header_unpost(s->request.posted);
    }
}

void wf_startall_after(struct wf_call *c, struct wf_args *a, int rc)
{
    struct wf_event e;
    wf_call_settle_alone(c, &e);
    if (rc != MPI_SUCCESS || a->reqn <= 0) {
        wf_start_failed(a);
        wf_call_take(c, &e, WF_PARTNER_NOBODY, 0, 0);
        return;
    }
    if (!a->started) {
        wf_call_take(c, &e, WF_PARTNER_NOBODY, (uint64_t)a->reqn, 0);
        return;
    }
    wf_call_take_shared(c, &e);
    struct wf_times share = wf_times_share(&e.times, 1, (unsigned)a->reqn), rest = e.times;
    for (int i = 1; i < a->reqn; i++) {
        complete_restart(c->lane, &e, &a->started[i], &share);
        rest = wf_times_rest(&rest, &share);
    }
    complete_restart(c->lane, &e, &a->started[0], &rest);
}

void wf_request_free_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc == MPI_SUCCESS)
        wf_request_forget(a->handle, wf_call_variable(c, a->req, 0));
    wf_call_take_alone(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
}
