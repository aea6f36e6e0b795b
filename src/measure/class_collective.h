/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of calls that concern a whole communicator, and of local calls. The bytes of a collective are what the caller puts in; for a
 * rank that only gets something (bcast, scatter), what it gets.
 */
#ifndef WF_CLASS_COLLECTIVE_H
#define WF_CLASS_COLLECTIVE_H

#include "measure/class_p2p.h"

/* How many members the caller's data goes to: of the remote group in an intercommunicator. */
static inline int wf_comm_members(MPI_Comm comm)
{
    int members = 0, inter = 0;
    wf_real.Comm_test_inter(comm, &inter);
    if (inter)
        wf_real.Comm_remote_size(comm, &members);
    else
        wf_real.Comm_size(comm, &members);
    return members;
}

static inline int wf_comm_neighbours(MPI_Comm comm)
{
    int topology = MPI_UNDEFINED, count = 0, in, weighted, rank;
    wf_real.Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        wf_real.Cartdim_get(comm, &count);
        return 2 * count;
    }
    if (topology == MPI_GRAPH) {
        wf_real.Comm_rank(comm, &rank);
        wf_real.Graph_neighbors_count(comm, rank, &count);
    } else if (topology == MPI_DIST_GRAPH) {
        wf_real.Dist_graph_neighbors_count(comm, &in, &count, &weighted);
    }
    return count;
}

static inline uint64_t wf_counts_at(const int *v, const MPI_Count *vc, int i)
{
    return vc ? (uint64_t)vc[i] : v ? (uint64_t)v[i] : 0;
}

static inline uint64_t wf_counts_sum(const int *v, const MPI_Count *vc, int members)
{
    uint64_t sum = 0;
    for (int i = 0; i < members; i++)
        sum += wf_counts_at(v, vc, i);
    return sum;
}

static inline uint64_t wf_counts_sumw(const int *v, const MPI_Count *vc, const MPI_Datatype *types, int members)
{
    uint64_t sum = 0;
    for (int i = 0; i < members; i++)
        if (wf_counts_at(v, vc, i)) /* a datatype whose count is 0 need not be one */
            sum += wf_counts_at(v, vc, i) * wf_type_bytes(types[i]);
    return sum;
}

/* One element of a vector of counts, the caller's own; or the plain count where there is no vector. */
static inline uint64_t wf_own_count(const struct wf_args *a, int64_t n, const int *v, const MPI_Count *vc)
{
    if (!v && !vc)
        return (uint64_t)n;
    int rank = 0;
    wf_real.Comm_rank(a->comm, &rank);
    return wf_counts_at(v, vc, rank);
}

/* In an intercommunicator, root tells which side the caller is on, and most parameters mean nothing on one side. */
static inline uint64_t wf_inter_root_bytes(const struct wf_args *a)
{
    if (a->root != MPI_ROOT)
        return 0;
    if (a->shape == WF_SHAPE_scatter) {
        int members = wf_comm_members(a->comm);
        uint64_t n = a->nv || a->nvc ? wf_counts_sum(a->nv, a->nvc, members) : (uint64_t)a->n * (unsigned)members;
        return n * wf_type_bytes(a->type);
    }
    bool receives = a->rbuf != NULL; /* gather, reduce; a bcast has one buffer */
    return receives ? 0 : (uint64_t)a->n * wf_type_bytes(a->type);
}

static inline uint64_t wf_coll_bytes(const struct wf_args *a)
{
    bool in_place = a->buf == MPI_IN_PLACE;
    if (a->root < 0)
        return wf_inter_root_bytes(a);
    switch (a->shape) {
    case WF_SHAPE_none:
        return 0;
    case WF_SHAPE_item:
        return wf_type_bytes(a->type);
    case WF_SHAPE_one:
        if (in_place && a->rtype)
            return wf_own_count(a, a->rn, a->rnv, a->rnvc) * wf_type_bytes(a->rtype);
        return (uint64_t)a->n * wf_type_bytes(a->type);
    case WF_SHAPE_each:
        if (in_place && a->rtype)
            return (uint64_t)a->rn * (unsigned)wf_comm_members(a->comm) * wf_type_bytes(a->rtype);
        return (uint64_t)a->n * (unsigned)wf_comm_members(a->comm) * wf_type_bytes(a->type);
    case WF_SHAPE_sum:
        if (in_place && a->rtype)
            return wf_counts_sum(a->rnv, a->rnvc, wf_comm_members(a->comm)) * wf_type_bytes(a->rtype);
        return wf_counts_sum(a->nv, a->nvc, wf_comm_members(a->comm)) * wf_type_bytes(a->type);
    case WF_SHAPE_sumw:
        if (in_place && a->rtypev)
            return wf_counts_sumw(a->rnv, a->rnvc, a->rtypev, wf_comm_members(a->comm));
        return wf_counts_sumw(a->nv, a->nvc, a->typev, wf_comm_members(a->comm));
    case WF_SHAPE_scatter:
        if (a->rbuf == MPI_IN_PLACE)
            return wf_own_count(a, a->n, a->nv, a->nvc) * wf_type_bytes(a->type);
        return (uint64_t)a->rn * wf_type_bytes(a->rtype);
    case WF_SHAPE_n_one:
        return (uint64_t)a->n * wf_type_bytes(a->type);
    case WF_SHAPE_n_each:
        return (uint64_t)a->n * (unsigned)wf_comm_neighbours(a->comm) * wf_type_bytes(a->type);
    case WF_SHAPE_n_sum:
        return wf_counts_sum(a->nv, a->nvc, wf_comm_neighbours(a->comm)) * wf_type_bytes(a->type);
    case WF_SHAPE_n_sumw:
        return wf_counts_sumw(a->nv, a->nvc, a->typev, wf_comm_neighbours(a->comm));
    }
    return 0;
}

static inline void wf_coll_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

/* Without any data nobody need wait for anybody, and MPI libraries do not. */
static inline bool wf_coll_is_empty(const struct wf_args *a)
{
    return a->waits != WF_WAITS_barrier && (a->shape == WF_SHAPE_one || a->shape == WF_SHAPE_each) && a->n == 0 && a->buf != MPI_IN_PLACE;
}

/* Does nobody leave it before all have entered? */
static inline bool wf_coll_is_steady(const struct wf_args *a)
{
    bool full = a->shape == WF_SHAPE_one || a->shape == WF_SHAPE_each;
    return a->waits == WF_WAITS_barrier || (a->waits == WF_WAITS_all && full && !a->nv && !a->nvc && !a->rnv && !a->rnvc && a->n > 0 && !a->commp);
}

static WF_OUTLINE void wf_coll_enter(struct wf_call *c, struct wf_args *a, bool steady)
{
    struct wf_ranks *ranks = wf_box && a->waits != WF_WAITS_none ? wf_comm_known(a->comm) : NULL;
    a->entered = ranks && !ranks->inter ? ranks : NULL;
    if (a->entered) {
        a->collective = atomic_fetch_add_explicit(&ranks->number, 1, memory_order_relaxed);
        wf_header_enter(c, ranks, a->collective, steady);
        if (__builtin_expect(wf_remote_on, 0) && !wf_coll_is_empty(a))
            wf_header_enter_far(c, ranks, a->collective, a->waits, a->root);
    }
}

static inline void wf_coll_begun(struct wf_call *c, struct wf_args *a)
{
    wf_coll_enter(c, a, wf_coll_is_steady(a));
}

/* The others will take part in it with the next call of this one, or have not begun either. */
static WF_OUTLINE void wf_coll_failed(struct wf_call *c, struct wf_args *a, int rc)
{
    uint32_t next = a->collective + 1;
    if (a->entered && wf_refused(rc))
        atomic_compare_exchange_strong_explicit(&a->entered->number, &next, a->collective, memory_order_relaxed, memory_order_relaxed);
    wf_call_failed(c);
}

static inline void wf_coll_made(const struct wf_args *a)
{
    uint64_t stem = wf_comm_stem(a->maker, a->comm, a->tag, a->word);
    if (*a->commp != MPI_COMM_NULL) /* it is not everybody's */
        wf_comm_made(*a->commp, a->maker, stem);
}

static WF_OUTLINE void wf_coll_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_coll_failed(c, a, rc);
        return;
    }
    if (a->flag && !*a->flag) { /* Win_test may find nothing */
        wf_call_failed(c);
        return;
    }
    struct wf_others o = {.kind = 0};
    if (a->entered && !wf_coll_is_empty(a))
        wf_header_gather(c, a->entered, a->comm, a->collective, a->waits, a->root, &o);
    if (c->feed && a->entered && a->entered->path_blocks)
        wf_header_expect_entry(c, a->entered);
    if (a->commp)
        wf_coll_made(a);
    if (a->winp)
        wf_win_made(*a->winp);
    wf_call_settle_with(c, &o);
    wf_call_count(c, WF_PARTNER_ALL, 1, wf_coll_bytes(a));
}

#define wf_icoll_before wf_coll_before

static inline void wf_icoll_begun(struct wf_call *c, struct wf_args *a)
{
    wf_coll_enter(c, a, false);
}

static WF_OUTLINE void wf_icoll_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_coll_failed(c, a, rc);
        return;
    }
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_ALL, 1, wf_coll_bytes(a));
    int count;
    if (a->entered && a->waits == WF_WAITS_neighbours) /* when it is complete the communicator may be gone */
        wf_comm_sources(a->entered, a->comm, &count);
    wf_call_follow(c, a,
                   (struct wf_request){.kind = WF_REQUEST_OTHER,
                                       .partner = WF_PARTNER_ALL,
                                       .ranks = a->entered && !wf_coll_is_empty(a) ? wf_comm_hold(a->comm) : NULL,
                                       .made = a->commp ? (uintptr_t)*a->commp : 0, /* its handle; itself, when the request is complete */
                                       .comm = a->commp ? wf_comm_stem(a->maker, a->comm, 0, NULL) : 0,
                                       .record = a->collective,
                                       .waits = (uint8_t)a->waits,
                                       .root = a->root});
}

#define wf_coll_init_before wf_coll_before

static WF_OUTLINE void wf_coll_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_ALL, 1, 0);
    struct wf_ranks *ranks = a->waits != WF_WAITS_none && !wf_coll_is_empty(a) ? wf_comm_known(a->comm) : NULL;
    bool followed = ranks && !ranks->inter;
    int count;
    if (followed && a->waits == WF_WAITS_neighbours) /* as above */
        wf_comm_sources(ranks, a->comm, &count);
    wf_call_follow(c, a,
                   (struct wf_request){.kind = WF_REQUEST_OTHER,
                                       .persistent = true,
                                       .partner = WF_PARTNER_ALL,
                                       .comm = followed ? ranks->id : 0,
                                       .ranks = followed ? wf_comm_hold(a->comm) : NULL,
                                       .planned = followed ? ++ranks->planned : 0,
                                       .waits = (uint8_t)a->waits,
                                       .root = a->root,
                                       .bytes = wf_coll_bytes(a)});
}

static inline void wf_local_before(struct wf_call *c, struct wf_args *a)
{
    (void)a;
    c->local = true;
}

static WF_OUTLINE void wf_local_after(struct wf_call *c, struct wf_args *a, int rc)
{
    (void)a;
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
}

#endif
