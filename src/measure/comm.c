/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/comm.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "measure/process.h"
#include "measure/real.h"

#define BUCKETS 256u

enum kind { COMM, WIN };

/* How many communicators a group has had. */
struct count {
    struct count *next;
    uint64_t group;
    uint32_t made;
};

struct wf_ranks *wf_comm_world;

static struct wf_ranks *buckets[BUCKETS];
static atomic_flag taken = ATOMIC_FLAG_INIT;
static MPI_Group world_group = MPI_GROUP_NULL;
static struct count *counts[BUCKETS];

static void lock(void)
{
    if (wf_process.threads)
        while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
            ;
}

static void unlock(void)
{
    if (wf_process.threads)
        atomic_flag_clear_explicit(&taken, memory_order_release);
}


void wf_comm_fini(void)
{
    if (world_group != MPI_GROUP_NULL)
        wf_real.Group_free(&world_group);
}

static struct wf_ranks **bucket_of(enum kind kind, uintptr_t handle)
{
    return &buckets[((handle + (uintptr_t)kind) * 0x9E3779B97F4A7C15u) >> 56];
}

static MPI_Group group_of_comm(MPI_Comm comm, bool *inter_out)
{
    MPI_Group group = MPI_GROUP_NULL;
    int inter = 0;
    wf_real.Comm_test_inter(comm, &inter);
    if (inter)
        wf_real.Comm_remote_group(comm, &group);
    else
        wf_real.Comm_group(comm, &group);
    *inter_out = inter != 0;
    return group;
}

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

static uint64_t hash_of(const struct wf_ranks *ranks)
{
    uint64_t h = (uint64_t)ranks->size;
    for (int i = 0; i < ranks->size; i++)
        h = mix(h + (uint64_t)(uint32_t)ranks->partner[i] * 0x9E3779B97F4A7C15u);
    return h;
}

/* The number of the next communicator of this group. */
static uint32_t count_up(uint64_t group)
{
    struct count **bucket = &counts[group % BUCKETS];
    for (struct count *c = *bucket; c; c = c->next)
        if (c->group == group)
            return ++c->made;
    struct count *c = malloc(sizeof *c);
    if (c) {
        *c = (struct count){.next = *bucket, .group = group, .made = 1};
        *bucket = c;
    }
    return 1;
}

/* Fills partner[] with the group's ranks in the world. */
static bool translate(MPI_Group group, struct wf_ranks *ranks)
{
    int *own = malloc((size_t)ranks->size * sizeof *own + 1);
    if (!own)
        return false;
    for (int i = 0; i < ranks->size; i++)
        own[i] = i;
    wf_real.Group_translate_ranks(group, ranks->size, own, world_group, ranks->partner);
    for (int i = 0; i < ranks->size; i++)
        if (ranks->partner[i] < 0)
            ranks->partner[i] = WF_PARTNER_OUTSIDE;
    free(own);
    return true;
}

static struct wf_ranks *make_of_group(enum kind kind, uintptr_t handle, MPI_Group group)
{
    int size = 0;
    if (group == MPI_GROUP_NULL || world_group == MPI_GROUP_NULL || wf_real.Group_size(group, &size) != MPI_SUCCESS)
        return NULL;
    struct wf_ranks *ranks = malloc(sizeof *ranks + (size_t)size * sizeof *ranks->partner);
    if (ranks) {
        *ranks = (struct wf_ranks){.kind = kind, .handle = handle, .references = 1, .rank = -1, .neighbours = -1, .size = size};
        if (!translate(group, ranks)) {
            free(ranks);
            ranks = NULL;
        }
    }
    wf_real.Group_free(&group);
    return ranks;
}

/* Both groups of an intercommunicator count, and which of them is the own one does not. */
static uint64_t hash_of_local(MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL;
    wf_real.Comm_group(comm, &group);
    struct wf_ranks *local = make_of_group(COMM, 0, group);
    uint64_t h = local ? hash_of(local) : 0;
    free(local);
    return h;
}

static struct wf_ranks *make(enum kind kind, uintptr_t handle)
{
    MPI_Group group = MPI_GROUP_NULL;
    bool inter = false;
    if (kind == COMM)
        group = group_of_comm((MPI_Comm)handle, &inter);
    else
        wf_real.Win_get_group((MPI_Win)handle, &group);
    struct wf_ranks *ranks = make_of_group(kind, handle, group);
    if (ranks && kind == COMM) {
        uint64_t h = hash_of(ranks) + (inter ? hash_of_local((MPI_Comm)handle) : 0);
        ranks->id = mix(h + count_up(h));
        ranks->inter = inter;
        wf_real.Comm_rank((MPI_Comm)handle, &ranks->rank);
    }
    return ranks;
}

static struct wf_ranks *known(enum kind kind, uintptr_t handle)
{
    for (struct wf_ranks *r = *bucket_of(kind, handle); r; r = r->next)
        if (r->handle == handle && r->kind == (int)kind)
            return r;
    return NULL;
}

/* With the lock held. MPI is asked under it: these are local calls, and the entry must be there once. */
static struct wf_ranks *find(enum kind kind, uintptr_t handle)
{
    struct wf_ranks *ranks = known(kind, handle);
    if (ranks)
        return ranks;
    ranks = make(kind, handle);
    if (ranks) {
        struct wf_ranks **bucket = bucket_of(kind, handle);
        ranks->next = *bucket;
        *bucket = ranks;
    }
    return ranks;
}

void wf_comm_made(MPI_Comm comm)
{
    lock();
    find(COMM, (uintptr_t)comm);
    unlock();
}

struct wf_ranks *wf_comm_known_slow(MPI_Comm comm)
{
    lock();
    struct wf_ranks *ranks = known(COMM, (uintptr_t)comm);
    unlock();
    return ranks;
}

void wf_comm_init(MPI_Group world, bool is_comm_world)
{
    world_group = world;
    if (is_comm_world)
        wf_comm_world = find(COMM, (uintptr_t)MPI_COMM_WORLD);
}

static int ask_sources(MPI_Comm comm, int rank, int **ranks)
{
    int topology = MPI_UNDEFINED, count = 0, out, weighted;
    wf_real.Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        wf_real.Cartdim_get(comm, &count);
        *ranks = malloc((size_t)(2 * count + 1) * sizeof **ranks);
        for (int d = 0; *ranks && d < count; d++)
            wf_real.Cart_shift(comm, d, 1, &(*ranks)[2 * d], &(*ranks)[2 * d + 1]);
        return *ranks ? 2 * count : 0;
    }
    if (topology == MPI_GRAPH)
        wf_real.Graph_neighbors_count(comm, rank, &count);
    else if (topology == MPI_DIST_GRAPH)
        wf_real.Dist_graph_neighbors_count(comm, &count, &out, &weighted);
    else
        return 0;
    *ranks = malloc((size_t)(count + 1) * sizeof **ranks);
    if (!*ranks)
        return 0;
    if (topology == MPI_GRAPH) {
        wf_real.Graph_neighbors(comm, rank, count, *ranks);
        return count;
    }
    /* Neither the weights nor the other direction are wanted, but they are written. */
    int *others = malloc((size_t)(2 * count + out + out + 1) * sizeof *others);
    if (!others)
        return 0;
    wf_real.Dist_graph_neighbors(comm, count, *ranks, others, out, others + count, others + count + out);
    free(others);
    return count;
}

const int32_t *wf_comm_sources(struct wf_ranks *ranks, MPI_Comm comm, int *count)
{
    lock();
    if (ranks->neighbours < 0) {
        ranks->sources = NULL;
        ranks->neighbours = ask_sources(comm, ranks->rank, &ranks->sources);
        for (int i = 0; i < ranks->neighbours; i++)
            ranks->sources[i] = wf_ranks_partner(ranks, ranks->sources[i]);
    }
    unlock();
    *count = ranks->neighbours;
    return ranks->sources;
}

int32_t wf_ranks_partner(const struct wf_ranks *ranks, int rank)
{
    if (rank == MPI_PROC_NULL)
        return WF_PARTNER_NOBODY;
    return ranks && rank >= 0 && rank < ranks->size ? ranks->partner[rank] : WF_PARTNER_OUTSIDE;
}

static int32_t look_up(enum kind kind, uintptr_t handle, int rank)
{
    if (rank < 0)
        return WF_PARTNER_NOBODY; /* MPI_PROC_NULL: nothing else below 0 is accepted by the calls that come here */
    lock();
    int32_t partner = wf_ranks_partner(find(kind, handle), rank);
    unlock();
    return partner;
}

int32_t wf_comm_look_up(MPI_Comm comm, int rank)
{
    return look_up(COMM, (uintptr_t)comm, rank);
}

int32_t wf_win_partner(MPI_Win win, int rank)
{
    return look_up(WIN, (uintptr_t)win, rank);
}

static void drop_locked(struct wf_ranks *ranks)
{
    if (--ranks->references == 0) {
        free(ranks->sources);
        free(ranks);
    }
}

static void forget(enum kind kind, uintptr_t handle)
{
    lock();
    for (struct wf_ranks **r = bucket_of(kind, handle); *r; r = &(*r)->next)
        if ((*r)->handle == handle && (*r)->kind == (int)kind) {
            struct wf_ranks *gone = *r;
            *r = gone->next;
            drop_locked(gone);
            break;
        }
    unlock();
}

void wf_comm_forget(MPI_Comm comm)
{
    forget(COMM, (uintptr_t)comm);
}

void wf_win_forget(MPI_Win win)
{
    forget(WIN, (uintptr_t)win);
}

struct wf_ranks *wf_comm_hold(MPI_Comm comm)
{
    lock();
    struct wf_ranks *ranks = find(COMM, (uintptr_t)comm);
    if (ranks)
        ranks->references++;
    unlock();
    return ranks;
}

void wf_ranks_drop(struct wf_ranks *ranks)
{
    if (!ranks)
        return;
    lock();
    drop_locked(ranks);
    unlock();
}
