/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls with one partner: send, receive, both, probe; blocking, started, and persistent.
 * Nothing is looked at before MPI has accepted the call: a wrong handle is the application's error and must stay only that.
 */
#ifndef WF_CLASS_P2P_H
#define WF_CLASS_P2P_H

#include "measure/header.h"

/* Once, not in each of the hundreds of wrappers: what is not called so often that a few ns count. */
#define WF_OUTLINE __attribute__((noinline, unused))

/* A call that failed has cost its time, and nothing was transferred. */
static WF_OUTLINE void wf_call_failed(struct wf_call *c)
{
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_NOBODY, 0, 0);
}

static inline uint64_t wf_args_bytes(const struct wf_args *a, int32_t partner)
{
    return partner == WF_PARTNER_NOBODY ? 0 : (uint64_t)a->n * wf_type_bytes(a->type);
}

/* Did MPI not even begin? Then what the call would have completed, or taken part in, is as it was. */
static WF_OUTLINE bool wf_refused(int rc)
{
    static const int wrong_arguments[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG,      MPI_ERR_COMM, MPI_ERR_RANK,
                                          MPI_ERR_ROOT,   MPI_ERR_GROUP, MPI_ERR_OP,   MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG,
                                          MPI_ERR_INFO,   MPI_ERR_WIN,   MPI_ERR_FILE, MPI_ERR_REQUEST};
    int class = MPI_SUCCESS;
    wf_real.Error_class(rc, &class);
    for (size_t i = 0; i < sizeof wrong_arguments / sizeof *wrong_arguments; i++)
        if (class == wrong_arguments[i])
            return true;
    return false;
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

/* A small message is under way when the call returns, and needs no more than that its receiver is in MPI. */
static inline void wf_send_before(struct wf_call *c, struct wf_args *a)
{
    c->late = wf_feed_wanted && !(wf_args_flags(a) & WF_HEADER_SYNC);
}

#define wf_send_begun wf_header_send

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
        wf_call_settle_alone(c);
        wf_header_look_for_spare(c);
    } else {
        wf_call_feed_begin(c);
        wf_header_sent(c, a, partner, &o);
        wf_call_settle_with(c, &o);
    }
    wf_call_count(c, partner, 1, wf_args_bytes(a, partner));
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
    wf_header_received(c, a, partner, &o);
    wf_call_settle_with(c, &o);
    wf_call_count(c, partner, 1, wf_status_bytes(a->status));
}

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

/* `parts` of the transfer in `all`, of `of`; waiting is not shared. */
static inline struct wf_span wf_span_share(const struct wf_span *all, unsigned parts, unsigned of)
{
    return (struct wf_span){.raw = (all->raw - all->sync_raw) * parts / of, .virt = (all->virt - all->sync) * parts / of};
}

static inline struct wf_span wf_span_rest(const struct wf_span *all, const struct wf_span *part)
{
    return (struct wf_span){.raw = all->raw - part->raw, .virt = all->virt - part->virt, .sync_raw = all->sync_raw, .sync = all->sync};
}

/* One transfer each way; nothing tells how long each took, so each has half of the time, unless there is only one. Waiting belongs to the one
 * that was waited for. */
static WF_OUTLINE void wf_sendrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_header_retract(a);
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    int32_t to = wf_comm_partner(a->comm, a->peer), from = wf_comm_partner(a->comm, a->status->MPI_SOURCE);
    wf_header_received(c, a, from, &o);
    o.both = o.both && from == to;
    wf_header_sent(c, a, to, &o);
    wf_call_settle_with(c, &o);
    bool for_receiver = o.kind == WF_WAIT_LATE_RECEIVER;
    unsigned nobody = (to == WF_PARTNER_NOBODY) + (from == WF_PARTNER_NOBODY);
    struct wf_span lesser = wf_span_share(&c->span, nobody == 1 ? 0 : 1, 2), greater = wf_span_rest(&c->span, &lesser);
    bool receiving = nobody == 1 ? to == WF_PARTNER_NOBODY : !for_receiver;
    wf_call_count_part(c, to, 1, wf_args_bytes(a, to), receiving ? &lesser : &greater);
    wf_call_count_part(c, from, 1, wf_status_bytes(a->status), receiving ? &greater : &lesser);
}

static inline void wf_isend_before(struct wf_call *c, struct wf_args *a)
{
    (void)a;
    c->late = wf_feed_wanted;
}

#define wf_isend_begun wf_header_send

/* The call does not wait for the receiver: the completion may. */
static inline void wf_isend_count(struct wf_call *c, struct wf_args *a, int32_t partner)
{
    wf_call_settle_alone(c);
    wf_header_look_for_spare(c);
    wf_call_count(c, partner, 1, wf_args_bytes(a, partner));
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
    wf_call_settle_alone(c);
    struct wf_request request = {.ticks = c->span.raw, .ticks_virtual = c->span.virt, .posted = a->posted};
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
static WF_OUTLINE void wf_isendrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_header_retract(a);
        wf_header_unpost(a->posted);
        wf_call_failed(c);
        return;
    }
    wf_isend_count(c, a, wf_comm_partner(a->comm, a->peer));
    struct wf_request request = {.posted = a->posted};
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

static WF_OUTLINE void wf_send_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
    if (rc == MPI_SUCCESS) {
        int32_t partner = wf_comm_partner(a->comm, a->peer);
        const struct wf_ranks *ranks = a->parts ? NULL : wf_comm_known(a->comm); /* no headers go with partitions */
        wf_call_follow(c, a,
                       (struct wf_request){.kind = WF_REQUEST_SEND,
                                           .persistent = true,
                                           .partner = partner,
                                           .comm = ranks ? ranks->id : 0,
                                           .tag = a->tag,
                                           .flags = (uint8_t)wf_args_flags(a),
                                           .bytes = wf_args_bytes(a, partner) * (uint64_t)(a->parts ? a->parts : 1)});
    }
}

static inline void wf_recv_init_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static WF_OUTLINE void wf_recv_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
    if (rc == MPI_SUCCESS) {
        const struct wf_ranks *ranks = a->parts ? NULL : wf_comm_known(a->comm);
        struct wf_request request = {.persistent = true,
                                     .comm = ranks ? ranks->id : 0,
                                     .tag = a->tag == MPI_ANY_TAG ? WF_ANY : a->tag,
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
static WF_OUTLINE void wf_probe_after(struct wf_call *c, struct wf_args *a, int rc)
{
    bool found = rc == MPI_SUCCESS && a->status && (!a->flag || *a->flag);
    int32_t partner = found ? wf_comm_partner(a->comm, a->status->MPI_SOURCE) : WF_PARTNER_NOBODY;
    const struct wf_ranks *ranks = wf_box && partner >= 0 ? wf_comm_known(a->comm) : NULL;
    struct wf_others o = {.kind = 0};
    struct wf_header h;
    if (ranks && wf_match_peek(partner, a->status->MPI_TAG, ranks->id, &h)) {
        wf_others_add(&o, &h.stamp, 0, partner, h.address, WF_WAIT_LATE_SENDER);
        if (c->feed)
            wf_header_saw_for_now(c, partner, h.path, 0, h.stamp.virt);
    }
    wf_call_settle_with(c, &o);
    wf_call_count(c, partner, found, 0);
}

#define wf_iprobe_before wf_probe_before
#define wf_iprobe_after wf_probe_after
#define wf_mprobe_before wf_probe_before
#define wf_improbe_before wf_probe_before

/* The matched receive has no communicator: its partner is kept with the message. It is matched now, as if it were received now. */
static WF_OUTLINE void wf_mprobe_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS || !a->status || (a->flag && !*a->flag)) {
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    int32_t partner = wf_comm_partner(a->comm, a->status->MPI_SOURCE);
    wf_header_received(c, a, partner, &o);
    wf_call_settle_with(c, &o);
    wf_call_count(c, partner, 1, 0);
    wf_request_add(&(struct wf_request){.handle = (uintptr_t)*a->message,
                                        .variable = wf_call_variable(c, a->message, 0),
                                        .kind = WF_REQUEST_MESSAGE,
                                        .partner = partner});
}

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

static inline int32_t wf_message_partner(const struct wf_call *c, const struct wf_args *a)
{
    struct wf_request message;
    return wf_request_take(a->handle, wf_call_variable(c, a->message, 0), true, &message) ? message.partner : WF_PARTNER_NOBODY;
}

static WF_OUTLINE void wf_mrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    wf_call_settle_alone(c);
    wf_call_count(c, wf_message_partner(c, a), 1, wf_status_bytes(a->status));
}

static WF_OUTLINE void wf_imrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    int32_t partner = wf_message_partner(c, a);
    wf_call_settle_alone(c);
    wf_call_follow(c, a,
                   (struct wf_request){.kind = WF_REQUEST_RECEIVE, .partner = partner, .ticks = c->span.raw, .ticks_virtual = c->span.virt});
}

#endif
