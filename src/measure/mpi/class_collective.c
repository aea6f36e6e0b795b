/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/class_collective.h"

#include "measure/exchange/arrival.h"

static void coll_made_comm(const struct wf_args *a)
{
    uint64_t stem = wf_comm_stem(a->maker, a->comm, a->tag, a->word);
    if (*a->commp != MPI_COMM_NULL) /* the caller is not a member */
        wf_comm_made(*a->commp, a->maker, stem);
}

static void coll_made(const struct wf_args *a)
{
    if (a->commp)
        coll_made_comm(a);
    if (a->winp)
        wf_win_made(*a->winp, a->comm);
    if (a->filep)
        wf_file_made(*a->filep, a->comm);
}

/* Now that it is made, its members are known. */
static void coll_explain_made(const struct wf_call *c, const struct wf_args *a, struct wf_others *o)
{
    const struct wf_group *made = *a->commp != MPI_COMM_NULL ? wf_comm_known(*a->commp) : NULL;
    if (made)
        wf_arrival_explain_by(c, made, a->call_name, 0, WF_WAIT_ALL_TO_ALL, o);
}

/* Without any data no member need wait for another, and MPI libraries do not. */
static bool coll_is_empty(const struct wf_args *a)
{
    return a->waits != WF_DEPENDS_barrier && (a->shape == WF_SHAPE_one || a->shape == WF_SHAPE_each) && a->n == 0 &&
           a->buf != MPI_IN_PLACE;
}

static uint64_t coll_count_at(const int *v, const MPI_Count *vc, int i)
{
    return vc ? (uint64_t)vc[i] : v ? (uint64_t)v[i] : 0;
}

static uint64_t coll_sum(const int *v, const MPI_Count *vc, int members)
{
    uint64_t sum = 0;
    for (int i = 0; i < members; i++)
        sum += coll_count_at(v, vc, i);
    return sum;
}

/* How many members the caller's data goes to: of the remote group in an intercommunicator. */
static int coll_members(MPI_Comm comm)
{
    int members = 0, inter = 0;
    wf_real.Comm_test_inter(comm, &inter);
    if (inter)
        wf_real.Comm_remote_size(comm, &members);
    else
        wf_real.Comm_size(comm, &members);
    return members;
}

/* In an intercommunicator, root tells which side the caller is on, and most parameters mean nothing on one side. */
static uint64_t coll_inter_root_bytes(const struct wf_args *a)
{
    if (a->root != MPI_ROOT)
        return 0;
    if (a->shape == WF_SHAPE_scatter) {
        int members = coll_members(a->comm);
        uint64_t n = a->nv || a->nvc ? coll_sum(a->nv, a->nvc, members) : (uint64_t)a->n * (unsigned)members;
        return n * wf_type_bytes(a->type);
    }
    bool receives = a->rbuf != NULL; /* gather, reduce; a bcast has one buffer */
    return receives ? 0 : (uint64_t)a->n * wf_type_bytes(a->type);
}

/* One element of a vector of counts, the caller's own; or the plain count where there is no vector. */
static uint64_t coll_own_count(const struct wf_args *a, int64_t n, const int *v, const MPI_Count *vc)
{
    if (!v && !vc)
        return (uint64_t)n;
    int rank = 0;
    wf_real.Comm_rank(a->comm, &rank);
    return coll_count_at(v, vc, rank);
}

static uint64_t coll_sum_weighted(const int *v, const MPI_Count *vc, const MPI_Datatype *types, int members)
{
    uint64_t sum = 0;
    for (int i = 0; i < members; i++)
        if (coll_count_at(v, vc, i)) /* a datatype whose count is 0 need not be one */
            sum += coll_count_at(v, vc, i) * wf_type_bytes(types[i]);
    return sum;
}

static int coll_neighbours(MPI_Comm comm)
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

static uint64_t coll_bytes(const struct wf_args *a)
{
    bool in_place = a->buf == MPI_IN_PLACE;
    if (a->root < 0)
        return coll_inter_root_bytes(a);
    switch (a->shape) {
    case WF_SHAPE_none:
        return 0;
    case WF_SHAPE_item:
        return wf_type_bytes(a->type);
    case WF_SHAPE_one:
        if (in_place && a->rtype)
            return coll_own_count(a, a->rn, a->rnv, a->rnvc) * wf_type_bytes(a->rtype);
        return (uint64_t)a->n * wf_type_bytes(a->type);
    case WF_SHAPE_each:
        if (in_place && a->rtype)
            return (uint64_t)a->rn * (unsigned)coll_members(a->comm) * wf_type_bytes(a->rtype);
        return (uint64_t)a->n * (unsigned)coll_members(a->comm) * wf_type_bytes(a->type);
    case WF_SHAPE_sum:
        if (in_place && a->rtype)
            return coll_sum(a->rnv, a->rnvc, coll_members(a->comm)) * wf_type_bytes(a->rtype);
        return coll_sum(a->nv, a->nvc, coll_members(a->comm)) * wf_type_bytes(a->type);
    case WF_SHAPE_sumw:
        if (in_place && a->rtypev)
            return coll_sum_weighted(a->rnv, a->rnvc, a->rtypev, coll_members(a->comm));
        return coll_sum_weighted(a->nv, a->nvc, a->typev, coll_members(a->comm));
    case WF_SHAPE_scatter:
        if (a->rbuf == MPI_IN_PLACE)
            return coll_own_count(a, a->n, a->nv, a->nvc) * wf_type_bytes(a->type);
        return (uint64_t)a->rn * wf_type_bytes(a->rtype);
    case WF_SHAPE_n_one:
        return (uint64_t)a->n * wf_type_bytes(a->type);
    case WF_SHAPE_n_each:
        return (uint64_t)a->n * (unsigned)coll_neighbours(a->comm) * wf_type_bytes(a->type);
    case WF_SHAPE_n_sum:
        return coll_sum(a->nv, a->nvc, coll_neighbours(a->comm)) * wf_type_bytes(a->type);
    case WF_SHAPE_n_sumw:
        return coll_sum_weighted(a->nv, a->nvc, a->typev, coll_neighbours(a->comm));
    }
    return 0;
}

/* What the call concerns, as far as it is known: MPI has not accepted it yet. */
static struct wf_group *coll_group(const struct wf_args *a)
{
    struct wf_group *group = wf_comm_known(a->comm);
    if (__builtin_expect(group != NULL, 1))
        return group;
    group = a->leaving ? a->leaving : wf_win_known(a->win);
    group = group ? group : wf_file_known(a->file);
    return group && !group->silent ? group : NULL;
}

void wf_coll_enter(struct wf_call *c, struct wf_args *a, bool steady)
{
    if (__builtin_expect(a->waits == WF_DEPENDS_made, 0) && wf_header_is_on()) {
        a->call_name = wf_comm_call_name(a->maker, a->comm, a->tag);
        wf_header_enter_as(c, NULL, a->call_name, 0, wf_call_through(c));
        return;
    }
    struct wf_group *ranks = wf_header_is_on() && a->waits != WF_DEPENDS_none ? coll_group(a) : NULL;
    a->entered = ranks;
    if (ranks) {
        a->collective = atomic_fetch_add_explicit(&ranks->number, 1, memory_order_relaxed);
        wf_needs_entered(ranks, a->collective);
        wf_header_enter(c, ranks, a->collective, steady && !ranks->inter);
        if (__builtin_expect(wf_links.far, 0) && !ranks->inter && !coll_is_empty(a))
            wf_header_enter_far(c, ranks, a->collective, a->waits, a->root);
    }
}

/* ---- what a call needs ---- */

/* Whose entry it certainly needs: where data may be missing, it is left open. */
static enum wf_need_members coll_needs_members(const struct wf_args *a)
{
    if (wf_coll_is_steady(a))
        return WF_NEED_EACH;
    if (a->waits == WF_DEPENDS_root && a->n > 0 && a->shape == WF_SHAPE_one && a->root != a->entered->rank)
        return WF_NEED_ROOT;
    return a->waits == WF_DEPENDS_below && a->n > 0 ? WF_NEED_LOWER : WF_NEED_SOME;
}

static uint32_t coll_needs_kib(const struct wf_args *a)
{
    uint64_t each = wf_type_bytes_predefined(a->type),
             members = a->shape == WF_SHAPE_each ? (uint64_t)a->entered->size : 1;
    if (a->shape == WF_SHAPE_none || (a->n == 0 && !a->nv && !a->nvc && a->buf != MPI_IN_PLACE))
        return 0;
    return each && !a->nv && !a->nvc ? wf_need_kib((uint64_t)a->n * each * members) : WF_NEED_UNKNOWN_KIB;
}

/* Windows and files have more to wait for than their members' entries. */
bool wf_coll_blocks(struct wf_call *c, const struct wf_args *a)
{
    if (a->waits == WF_DEPENDS_none)
        return false;
    struct wf_group *parent = a->call_name && a->maker == WF_MAKER_some ? wf_comm_known(a->comm) : NULL;
    bool known = a->entered && a->entered->kind == WF_GROUP_COMM && !a->filep && a->maker != WF_MAKER_groups;
    struct wf_need_of need;
    if (parent)
        need = wf_need_collective(parent, WF_NEED_APART, WF_NEED_SOME, -1);
    else if (known)
        need = wf_need_collective(a->entered, a->collective, coll_needs_members(a), a->root);
    else
        return wf_needs_begin_other(c);
    need.kib = parent ? 0 : coll_needs_kib(a);
    return wf_needs_begin(c, &need);
}

void wf_coll_failed(struct wf_call *c, struct wf_args *a, int rc)
{
    uint32_t next = a->collective + 1;
    if (a->entered && wf_call_refused(rc) &&
        atomic_compare_exchange_strong_explicit(&a->entered->number, &next, a->collective, memory_order_relaxed,
                                                memory_order_relaxed))
        wf_set(a->entered->shared->entered, a->collective);
    wf_call_failed(c);
}

void wf_coll_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_coll_failed(c, a, rc);
        return;
    }
    struct wf_others o = {.kind = 0};
    if (a->entered && !coll_is_empty(a))
        wf_header_gather(c, a->entered, a->comm, a->collective, a->waits, a->root, &o);
    if (c->feed && a->entered)
        wf_header_expect_entry(c, a->entered);
    coll_made(a);
    if (__builtin_expect(a->call_name != 0, 0) && wf_arrival_is_wanted(c))
        coll_explain_made(c, a, &o);
    wf_call_take_with(c, &o, WF_PARTNER_ALL, 1, coll_bytes(a));
}

struct wf_group *wf_coll_hold(const struct wf_args *a)
{
    if (a->entered)
        wf_group_hold(a->entered);
    return a->entered;
}

void wf_icoll_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_coll_failed(c, a, rc);
        return;
    }
    wf_call_take_alone(c, WF_PARTNER_ALL, 1, coll_bytes(a));
    int count;
    if (a->entered && a->waits == WF_DEPENDS_neighbours) /* when it is complete the communicator may be gone */
        wf_group_sources(a->entered, a->comm, &count);
    wf_call_follow(c, a,
                   (struct wf_request){.kind = WF_REQUEST_OTHER,
                                       .partner = WF_PARTNER_ALL,
                                       .ranks = !coll_is_empty(a) ? wf_coll_hold(a) : NULL,
                                       .made = a->commp ? (uintptr_t)*a->commp : 0, /* its handle; itself, when the
                                                                                       request is complete */
                                       .comm = a->commp ? wf_comm_stem(a->maker, a->comm, 0, NULL) : 0,
                                       .record = a->collective,
                                       .waits = (uint8_t)a->waits,
                                       .root = a->root});
}

void wf_coll_init_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (rc != MPI_SUCCESS) {
        wf_call_failed(c);
        return;
    }
    wf_call_take_alone(c, WF_PARTNER_ALL, 1, 0);
    struct wf_group *ranks = a->waits != WF_DEPENDS_none && !coll_is_empty(a) ? wf_comm_known(a->comm) : NULL;
    bool followed = ranks != NULL;
    int count;
    if (followed && a->waits == WF_DEPENDS_neighbours) /* as above */
        wf_group_sources(ranks, a->comm, &count);
    wf_call_follow(c, a,
                   (struct wf_request){.kind = WF_REQUEST_OTHER,
                                       .persistent = true,
                                       .partner = WF_PARTNER_ALL,
                                       .comm = followed ? ranks->id : 0,
                                       .ranks = followed ? wf_comm_hold(a->comm) : NULL,
                                       .planned = followed ? ++ranks->planned : 0,
                                       .waits = (uint8_t)a->waits,
                                       .root = a->root,
                                       .bytes = coll_bytes(a)});
}

void wf_local_after(struct wf_call *c, struct wf_args *a, int rc)
{
    (void)a;
    if (c->polls != WF_POLLS_NOT && rc == MPI_SUCCESS)
        wf_poll_failed(c, 1); /* what it tells of is still to be completed */
    else
        wf_call_take_alone(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS, 0);
}
