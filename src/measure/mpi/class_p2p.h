/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls with one partner: send, receive, both, probe; blocking, started, and persistent.
 * Nothing is looked at before MPI has accepted the call: a wrong handle is the application's error and must stay only
 * that.
 */
#ifndef WF_CLASS_P2P_H
#define WF_CLASS_P2P_H

#include "measure/exchange/arrival.h"
#include "measure/exchange/needs.h"
#include "measure/mpi/request.h"

/* A call that failed has cost its time, and nothing was transferred. */
void wf_call_failed(struct wf_call *c);

static inline uint64_t wf_args_bytes(const struct wf_args *a, int32_t partner)
{
    return partner == WF_PARTNER_NOBODY ? 0 : (uint64_t)a->n * wf_type_bytes(a->type);
}

/* Did MPI not even begin? Then what the call would have completed, or taken part in, is as it was. */
bool wf_call_refused(int rc);

static inline void wf_args_want_status(struct wf_args *a)
{
    if (a->status == MPI_STATUS_IGNORE)
        a->status = a->own_status;
}

/* Does the call only ask? */
static inline bool wf_args_asks(const struct wf_args *a)
{
    return a->flag || (a->outcount && a->tests);
}

static inline bool wf_args_has_failed(const struct wf_args *a)
{
    return a->flag ? !*a->flag : *a->outcount == 0;
}

/* The call has ended: true if it is a poll that failed, which is counted then. If it goes on with other polls and has
 * not failed, it began where they did. */
static inline bool wf_args_poll_failed(struct wf_call *c, const struct wf_args *a, int rc)
{
    bool failed = wf_args_asks(a) && rc == MPI_SUCCESS && c->polls == WF_POLLS_ASKS && wf_args_has_failed(a);
    if (failed)
        wf_poll_failed(c, 0);
    else if (__builtin_expect(c->chained, 0))
        wf_poll_came(c);
    return failed;
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

/* A small message is under way when the call returns, and needs no more than that its receiver is in MPI. */
static inline void wf_send_before(struct wf_call *c, struct wf_args *a)
{
    c->late = wf_feed_wanted && !(wf_args_flags(a) & WF_HEADER_SYNC);
}

#define wf_send_begun wf_header_send

/* What the call needs to go on (measure/exchange/needs.h). False: it does not block. They get values: arguments whose
 * address was taken would be in memory in every call. */
bool wf_send_needs(struct wf_call *c, MPI_Comm comm, int peer, int tag, uint64_t bytes);

static inline bool wf_send_blocks(struct wf_call *c, const struct wf_args *a)
{
    return __builtin_expect(a->flags & WF_HEADER_SYNC, 0) &&
           wf_send_needs(c, a->comm, a->peer, a->tag, (uint64_t)a->n * wf_type_bytes_predefined(a->type));
}

static inline void wf_send_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_header_retract(a);
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    int32_t partner = wf_comm_partner(a->comm, a->peer);
    if (__builtin_expect(a->ring == NULL || wf_header_went_at_once(c, a->flags), 1)) {
        wf_call_take_alone(c, partner, 1, wf_args_bytes(a, partner));
        wf_header_look_for_spare(c);
    } else {
        wf_call_feed_begin(c);
        wf_header_sent(c, a, partner, &o);
        wf_call_take_with(c, &o, partner, 1, wf_args_bytes(a, partner));
    }
}

static inline void wf_recv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    wf_args_want_status(a);
}

static inline void wf_recv_begun(struct wf_call *c, struct wf_args *a)
{
    wf_header_announce(c, a, a->peer, a->tag, false);
}

static inline void wf_recv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    int32_t partner = wf_comm_partner(a->comm, a->status->MPI_SOURCE);
    wf_header_received(c, a, partner, a->peer, a->tag, &o);
    wf_call_take_with(c, &o, partner, 1, wf_status_bytes(a->status));
}

/* From any member, or from a rank of which nothing is known. */
bool wf_recv_needs(struct wf_call *c, MPI_Comm comm, int peer, int tag);

static inline bool wf_recv_blocks(struct wf_call *c, const struct wf_args *a)
{
    const struct wf_group *group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL;
    int32_t from = wf_header_to(group, a->peer);
    if (__builtin_expect(from < 0, 0))
        return wf_recv_needs(c, a->comm, a->peer, a->tag);
    return wf_needs_begin(c, &(struct wf_need_of){.kind = WF_NEED_MESSAGE,
                                                  .comm = group->id,
                                                  .rank = from,
                                                  .tag = a->tag == MPI_ANY_TAG ? WF_NEED_ANY_TAG : a->tag});
}

#define wf_probe_blocks wf_recv_blocks
#define wf_mprobe_blocks wf_recv_blocks

static inline void wf_sendrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    wf_args_want_status(a);
}

static inline void wf_sendrecv_begun(struct wf_call *c, struct wf_args *a)
{
    wf_header_send_and(c, a, a->peer == a->rpeer);
    wf_header_announce(c, a, a->rpeer, a->rtag, true);
}

bool wf_sendrecv_blocks(struct wf_call *c, const struct wf_args *a);

/* One transfer each way; nothing tells how long each took, so each has half of the time, unless there is only one.
 * Waiting belongs to the one that was waited for. */
void wf_sendrecv_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_isend_before(struct wf_call *c, struct wf_args *a)
{
    (void)a;
    c->late = wf_feed_wanted;
}

#define wf_isend_begun wf_header_send

/* The call does not wait for the receiver: the completion may. */
static inline void wf_isend_count(struct wf_call *c, struct wf_args *a, int32_t partner)
{
    wf_call_take_alone(c, partner, 1, wf_args_bytes(a, partner));
    wf_header_look_for_spare(c);
}

static inline void wf_isend_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_header_retract(a);
        wf_call_failed(c);
        return;
    }
    int32_t partner = wf_comm_partner(a->comm, a->peer);
    wf_isend_count(c, a, partner);
    wf_call_follow(c, a,
                   (struct wf_request){.kind = WF_REQUEST_SEND,
                                       .partner = partner,
                                       .ring = a->ring,
                                       .record = a->record_number,
                                       .flags = (uint8_t)a->flags,
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

static inline void wf_irecv_begun(struct wf_call *c, struct wf_args *a)
{
    a->posted = wf_header_post(c, wf_comm_known(a->comm), a->peer, a->tag);
}

static inline void wf_irecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_header_unpost(a->posted);
        wf_call_failed(c);
        return;
    }
    struct wf_event e;
    wf_call_settle_alone(c, &e);
    wf_call_take_shared(c, &e); /* between whom is known when it is complete */
    struct wf_request request = {.ticks = e.times.raw, .ticks_virtual = e.times.virt, .posted = a->posted};
    wf_args_source(a, a->peer, &request);
    wf_call_follow(c, a, request);
}

static inline void wf_isendrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_isendrecv_begun(struct wf_call *c, struct wf_args *a)
{
    wf_header_send(c, a);
    a->posted = wf_header_post(c, wf_comm_known(a->comm), a->rpeer, a->rtag);
}

/* The send is counted now, the receive when it is complete. */
void wf_isendrecv_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_send_init_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

void wf_send_init_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_recv_init_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

void wf_recv_init_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_probe_before(struct wf_call *c, struct wf_args *a)
{
    wf_args_want_status(a);
    c->polls = a->flag ? WF_POLLS_ASKS : WF_POLLS_NOT;
    c->asked = 0;
}

/* A probe tells of a message; the receive transfers it. */
void wf_probe_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_iprobe_before wf_probe_before
#define wf_iprobe_after wf_probe_after
#define wf_mprobe_before wf_probe_before
#define wf_improbe_before wf_probe_before

/* The matched receive has no communicator: its partner is kept with the message. It is matched now, as if it were
 * received now. */
void wf_mprobe_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_improbe_after wf_mprobe_after

static inline void wf_imrecv_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    a->handle = (uintptr_t)(a->message ? *a->message : MPI_MESSAGE_NULL);
}

static inline void wf_mrecv_before(struct wf_call *c, struct wf_args *a)
{
    wf_imrecv_before(c, a);
    wf_args_want_status(a);
}

void wf_mrecv_after(struct wf_call *c, struct wf_args *a, int rc);

void wf_imrecv_after(struct wf_call *c, struct wf_args *a, int rc);

#endif
