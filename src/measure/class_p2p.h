/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls with one partner: send, receive, both, probe; blocking, started, and persistent.
 * Nothing is looked at before MPI has accepted the call: a wrong handle is the application's error and must stay only that.
 */
#ifndef WF_CLASS_P2P_H
#define WF_CLASS_P2P_H

#include "measure/args.h"
#include "measure/call.h"
#include "measure/comm.h"
#include "measure/flavour.h"
#include "measure/request.h"

/* A call that failed has cost its time, and nothing was transferred. */
static inline void wf_call_failed(struct wf_call *c)
{
    wf_call_count(c, WF_PARTNER_NOBODY, 0, 0, c->ticks);
}

static inline uint64_t wf_args_bytes(const struct wf_args *a, int32_t partner)
{
    return partner == WF_PARTNER_NOBODY ? 0 : (uint64_t)a->n * wf_type_bytes(a->type);
}

static inline void wf_args_want_status(struct wf_args *a)
{
    if (a->status == MPI_STATUS_IGNORE)
        a->status = a->own_status;
}

/* Where the application keeps its request (or message) number i, which tells apart those of one handle. */
static inline const void *wf_call_variable(const struct wf_call *c, const void *in_c, int i)
{
    return c->requests ? c->requests + (size_t)i * sizeof(MPI_Fint) : in_c;
}

/* Follows an operation under way: what the statement started, for the one that completes it. */
static inline void wf_call_follow(const struct wf_call *c, const struct wf_args *a, struct wf_request request)
{
    request.handle = (uintptr_t)*a->req;
    request.variable = wf_call_variable(c, a->req, 0);
    request.address = c->site->address;
    request.call = (uint16_t)c->site->call;
    wf_request_add(&request);
}

static inline void wf_send_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_send_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    int32_t partner = wf_comm_partner(a->comm, a->peer);
    wf_call_count(c, partner, 1, wf_args_bytes(a, partner), c->ticks);
}

static inline void wf_recv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    wf_args_want_status(a);
}

static inline void wf_recv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    wf_call_count(c, wf_comm_partner(a->comm, a->status->MPI_SOURCE), 1, wf_status_bytes(a->status), c->ticks);
}

static inline void wf_sendrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    wf_args_want_status(a);
}

/* One transfer each way; nothing tells how long each took, so each has half of the time, unless there is only one. */
static inline void wf_sendrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    int32_t to = wf_comm_partner(a->comm, a->peer), from = wf_comm_partner(a->comm, a->status->MPI_SOURCE);
    uint64_t receiving = from == WF_PARTNER_NOBODY ? 0 : to == WF_PARTNER_NOBODY ? c->ticks : c->ticks / 2;
    wf_call_count(c, to, 1, wf_args_bytes(a, to), c->ticks - receiving);
    wf_call_count(c, from, 1, wf_status_bytes(a->status), receiving);
}

static inline void wf_isend_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_isend_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_send_after(c, a, rc);
    if (__builtin_expect(rc == MPI_SUCCESS, 1))
        wf_call_follow(c, a,
                       (struct wf_request){.kind = WF_REQUEST_SEND,
                                           .partner = wf_comm_partner(a->comm, a->peer),
                                           .bytes = (uint64_t)a->n * wf_type_bytes(a->type)});
}

/* A receive's source is a partner, or the communicator whose member it will be. */
static inline void wf_args_source(const struct wf_args *a, int source, struct wf_request *request)
{
    request->kind = WF_REQUEST_RECEIVE;
    if (source == MPI_ANY_SOURCE)
        request->ranks = wf_comm_hold(a->comm);
    else
        request->partner = wf_comm_partner(a->comm, source);
}

static inline void wf_irecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_irecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    struct wf_request request = {.ticks = c->ticks};
    wf_args_source(a, a->peer, &request);
    wf_call_follow(c, a, request);
}

static inline void wf_isendrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

/* The send is counted now, the receive when it is complete. */
static inline void wf_isendrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_send_after(c, a, rc);
    if (rc != MPI_SUCCESS)
        return;
    struct wf_request request = {.ticks = 0};
    wf_args_source(a, a->rpeer, &request);
    if (!WF_ISENDRECV_HAS_STATUS && request.ranks) {
        wf_ranks_drop(request.ranks);
        request.ranks = NULL;
        request.partner = WF_PARTNER_NOBODY; /* who it was cannot be known */
    } else if (!WF_ISENDRECV_HAS_STATUS && request.partner != WF_PARTNER_NOBODY) {
        request.bytes = a->rtype ? (uint64_t)a->rn * wf_type_bytes(a->rtype) : (uint64_t)a->n * wf_type_bytes(a->type);
    }
    wf_call_follow(c, a, request);
}

static inline void wf_send_init_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_send_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0, c->ticks);
    if (rc == MPI_SUCCESS) {
        int32_t partner = wf_comm_partner(a->comm, a->peer);
        wf_call_follow(c, a,
                       (struct wf_request){.kind = WF_REQUEST_SEND,
                                           .persistent = true,
                                           .partner = partner,
                                           .bytes = wf_args_bytes(a, partner) * (uint64_t)(a->parts ? a->parts : 1)});
    }
}

static inline void wf_recv_init_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_recv_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0, c->ticks);
    if (rc == MPI_SUCCESS) {
        struct wf_request request = {.persistent = true,
                                     /* A partitioned receive's status tells no size: its posted one is kept. */
                                     .bytes = (uint64_t)a->n * (uint64_t)a->parts * (a->parts ? wf_type_bytes(a->type) : 0)};
        wf_args_source(a, a->peer, &request);
        wf_call_follow(c, a, request);
    }
}

static inline void wf_probe_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    wf_args_want_status(a);
}

/* A probe tells of a message; the receive transfers it. */
static inline void wf_probe_after(struct wf_call *c, struct wf_args *a, int rc)
{
    bool found = rc == MPI_SUCCESS && (!a->flag || *a->flag);
    wf_call_count(c, found ? wf_comm_partner(a->comm, a->status->MPI_SOURCE) : WF_PARTNER_NOBODY, found, 0, c->ticks);
}

#define wf_iprobe_before wf_probe_before
#define wf_iprobe_after wf_probe_after
#define wf_mprobe_before wf_probe_before
#define wf_improbe_before wf_probe_before

/* The matched receive has no communicator: its partner is kept with the message. */
static inline void wf_mprobe_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_probe_after(c, a, rc);
    if (rc == MPI_SUCCESS && (!a->flag || *a->flag))
        wf_request_add(&(struct wf_request){.handle = (uintptr_t)*a->message,
                                            .variable = wf_call_variable(c, a->message, 0),
                                            .kind = WF_REQUEST_MESSAGE,
                                            .partner = wf_comm_partner(a->comm, a->status->MPI_SOURCE)});
}

#define wf_improbe_after wf_mprobe_after

static inline void wf_mrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    a->handle = (uintptr_t)*a->message;
    wf_args_want_status(a);
}

static inline int32_t wf_message_partner(const struct wf_call *c, const struct wf_args *a)
{
    struct wf_request message;
    return wf_request_take(a->handle, wf_call_variable(c, a->message, 0), true, &message) ? message.partner : WF_PARTNER_NOBODY;
}

static inline void wf_mrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    int32_t partner = wf_message_partner(c, a);
    if (rc == MPI_SUCCESS)
        wf_call_count(c, partner, 1, wf_status_bytes(a->status), c->ticks);
    else
        wf_call_failed(c);
}

static inline void wf_imrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    a->handle = (uintptr_t)*a->message;
}

static inline void wf_imrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    int32_t partner = wf_message_partner(c, a);
    if (rc == MPI_SUCCESS)
        wf_call_follow(c, a, (struct wf_request){.kind = WF_REQUEST_RECEIVE, .partner = partner, .ticks = c->ticks});
    else
        wf_call_failed(c);
}

#endif
