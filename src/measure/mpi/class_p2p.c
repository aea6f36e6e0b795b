/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/class_partitioned.h"

static int32_t p2p_message_partner(const struct wf_call *c, const struct wf_args *a)
{
    struct wf_request message;
    return wf_request_take(a->handle, wf_call_variable(c, a->message, 0), true, &message) ? message.partner
                                                                                          : WF_PARTNER_NOBODY;
}

void wf_call_failed(struct wf_call *c)
{
    wf_call_take_alone(c, WF_PARTNER_NOBODY, 0, 0);
}

bool wf_call_refused(int rc)
{
    static const int wrong_arguments[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT,    MPI_ERR_TYPE, MPI_ERR_TAG,
                                          MPI_ERR_COMM,   MPI_ERR_RANK,     MPI_ERR_ROOT, MPI_ERR_GROUP,
                                          MPI_ERR_OP,     MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG,
                                          MPI_ERR_INFO,   MPI_ERR_WIN,      MPI_ERR_FILE, MPI_ERR_REQUEST};
    int class = MPI_SUCCESS;
    wf_real.Error_class(rc, &class);
    for (size_t i = 0; i < sizeof wrong_arguments / sizeof *wrong_arguments; i++)
        if (class == wrong_arguments[i])
            return true;
    return false;
}

/* ---- what a call needs ---- */

/* bytes: 0: not known. */
static struct wf_need_of p2p_need_of_send(MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    const struct wf_group *group = wf_comm_known(comm);
    return (struct wf_need_of){.kind = WF_NEED_RECEIVER,
                               .comm = group ? group->id : 0,
                               .rank = wf_header_to(group, peer),
                               .tag = tag,
                               .kib = bytes ? wf_need_kib(bytes) : WF_NEED_UNKNOWN_KIB};
}

/* False: it is not known from whom. */
static bool p2p_need_of_receive(MPI_Comm comm, int source, int tag, struct wf_need_of *need)
{
    struct wf_group *group = wf_header_is_on() ? wf_comm_known(comm) : NULL;
    *need = (struct wf_need_of){.kind = WF_NEED_MESSAGE,
                                .comm = group ? group->id : 0,
                                .rank = wf_header_to(group, source),
                                .tag = tag == MPI_ANY_TAG ? WF_NEED_ANY_TAG : tag};
    if (!group || source != MPI_ANY_SOURCE)
        return need->rank >= 0;
    need->rank = WF_NEED_ANY_RANK;
    wf_needs_share(group);
    return true;
}

bool wf_send_needs(struct wf_call *c, MPI_Comm comm, int peer, int tag, uint64_t bytes)
{
    struct wf_need_of need = p2p_need_of_send(comm, peer, tag, bytes);
    return need.rank >= 0 && wf_needs_begin(c, &need);
}

bool wf_recv_needs(struct wf_call *c, MPI_Comm comm, int peer, int tag)
{
    struct wf_need_of need;
    if (peer == MPI_PROC_NULL)
        return false;
    return p2p_need_of_receive(comm, peer, tag, &need) ? wf_needs_begin(c, &need) : wf_needs_begin_other(c);
}

bool wf_sendrecv_blocks(struct wf_call *c, const struct wf_args *a)
{
    struct wf_need_of need;
    struct wf_needs *needs = wf_needs_prepare(c);
    uint32_t count = 0;
    if (a->rpeer != MPI_PROC_NULL) {
        if (!p2p_need_of_receive(a->comm, a->rpeer, a->rtag, &need))
            return wf_needs_begin_other(c);
        wf_need_write(&needs->need[count++], &need);
    }
    if (a->flags & WF_HEADER_SYNC) {
        need = p2p_need_of_send(a->comm, a->peer, a->tag, (uint64_t)a->n * wf_type_bytes_predefined(a->type));
        if (need.rank >= 0)
            wf_need_write(&needs->need[count++], &need);
    }
    if (count)
        wf_needs_publish(c, needs, count == 1 ? WF_NEEDS_ONE : WF_NEEDS_ALL, count);
    return count > 0;
}

void wf_sendrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_header_retract(a);
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    int32_t to = wf_comm_partner(a->comm, a->peer), from = wf_comm_partner(a->comm, a->status->MPI_SOURCE);
    wf_header_received(c, a, from, a->rpeer, a->rtag, &o);
    o.both = o.both && from == to;
    wf_header_sent(c, a, to, &o);
    struct wf_event e;
    wf_call_settle_with(c, &o, &e);
    wf_call_take_shared(c, &e);
    bool for_receiver = o.kind == WF_WAIT_LATE_RECEIVER;
    unsigned nobody = (to == WF_PARTNER_NOBODY) + (from == WF_PARTNER_NOBODY);
    struct wf_times lesser = wf_times_share(&e.times, nobody == 1 ? 0 : 1, 2),
                    greater = wf_times_rest(&e.times, &lesser);
    bool receiving = nobody == 1 ? to == WF_PARTNER_NOBODY : !for_receiver;
    wf_event_count_part(c->lane, &e, to, 1, wf_args_bytes(a, to), receiving ? &lesser : &greater);
    wf_event_count_part(c->lane, &e, from, 1, wf_status_bytes(a->status), receiving ? &greater : &lesser);
}

void wf_isendrecv_after(struct wf_call *c, struct wf_args *a, int rc)
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
        wf_group_drop(request.ranks);
        request.ranks = NULL;
        request.partner = WF_PARTNER_NOBODY; /* who it was cannot be known */
    } else if (!WF_ISENDRECV_HAS_STATUS && request.partner != WF_PARTNER_NOBODY) {
        request.bytes = a->rtype ? (uint64_t)a->rn * wf_type_bytes(a->rtype) : (uint64_t)a->n * wf_type_bytes(a->type);
    }
    wf_call_follow(c, a, request);
}

/* Open MPI completes no persistent send, however small, before its receiver is in MPI. */
static uint8_t p2p_persistent_flags(const struct wf_args *a)
{
    uint32_t flags = wf_args_flags(a);
    return (uint8_t)(flags ? flags : WF_HEADER_EAGER);
}

void wf_send_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_take_alone(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
    if (rc == MPI_SUCCESS) {
        int32_t partner = wf_comm_partner(a->comm, a->peer);
        const struct wf_group *ranks = a->parts ? NULL : wf_comm_known(a->comm); /* no headers go with partitions */
        uint64_t pair = a->parts ? wf_partitioned_name(a, true) : 0;
        wf_call_follow(c, a,
                       (struct wf_request){.kind = WF_REQUEST_SEND,
                                           .partitioned = a->parts != 0,
                                           .persistent = true,
                                           .partner = partner,
                                           .comm = ranks ? ranks->id : pair,
                                           .tag = a->tag,
                                           .flags = p2p_persistent_flags(a),
                                           .bytes = wf_args_bytes(a, partner) * (uint64_t)(a->parts ? a->parts : 1)});
    }
}

void wf_recv_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_call_take_alone(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
    if (rc == MPI_SUCCESS) {
        const struct wf_group *ranks = a->parts ? NULL : wf_comm_known(a->comm);
        uint64_t pair = a->parts ? wf_partitioned_name(a, false) : 0;
        struct wf_request request = {.partitioned = a->parts != 0,
                                     .persistent = true,
                                     .comm = ranks ? ranks->id : pair,
                                     .tag = a->tag == MPI_ANY_TAG ? WF_ANY : a->tag,
                                     /* A partitioned receive's status tells no size: its posted one is kept. */
                                     .bytes =
                                         (uint64_t)a->n * (uint64_t)a->parts * (a->parts ? wf_type_bytes(a->type) : 0)};
        wf_args_source(a, a->peer, &request);
        wf_call_follow(c, a, request);
    }
}

void wf_probe_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (wf_args_poll_failed(c, a, rc))
        return;
    bool found = rc == MPI_SUCCESS && a->status;
    int32_t partner = found ? wf_comm_partner(a->comm, a->status->MPI_SOURCE) : WF_PARTNER_NOBODY;
    struct wf_others o = {.kind = 0};
    if (found)
        wf_header_found(c, a, partner, &o);
    wf_call_take_with(c, &o, partner, found, 0);
}

void wf_mprobe_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (wf_args_poll_failed(c, a, rc))
        return;
    if (rc != MPI_SUCCESS || !a->status) {
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    int32_t partner = wf_comm_partner(a->comm, a->status->MPI_SOURCE);
    wf_header_expect(a->peer);
    wf_header_received(c, a, partner, a->peer, a->tag, &o);
    wf_call_take_with(c, &o, partner, 1, 0);
    wf_request_add(&(struct wf_request){.handle = (uintptr_t)*a->message,
                                        .variable = wf_call_variable(c, a->message, 0),
                                        .kind = WF_REQUEST_MESSAGE,
                                        .partner = partner});
}

void wf_mrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    wf_call_take_alone(c, p2p_message_partner(c, a), 1, wf_status_bytes(a->status));
}

void wf_imrecv_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    int32_t partner = p2p_message_partner(c, a);
    struct wf_event e;
    wf_call_settle_alone(c, &e);
    wf_call_take_shared(c, &e);
    wf_call_follow(
        c, a,
        (struct wf_request){
            .kind = WF_REQUEST_RECEIVE, .partner = partner, .ticks = e.times.raw, .ticks_virtual = e.times.virt});
}
