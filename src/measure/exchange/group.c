/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/group.h"

#include <stddef.h>
#include <string.h>

#include "base/pool.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/needs.h"
#include "measure/library/real.h"

#define SMALLEST 6u /* blocks of 2^n bytes, with the head */
#define LARGEST 30u
#define POOL_BYTES (16ull << 20) /* of blocks of one size: address space only */
#define LEAST_BLOCKS 16u

/* Memory has several sizes. What is given back waits for the next of its size and is never unmapped: a thread that
 * still reads it, in a program that uses what it has freed, reads something wrong and does not die of it. */
union group_block {
    struct {
        void *next; /* the pool's */
        uint32_t size;
    };
    max_align_t align;
};

static struct {
    MPI_Group world;
    struct wf_pool blocks[LARGEST + 1]; /* of 2^n bytes */
    struct wf_lock lock; /* for these, for references and sources, with MPI_THREAD_MULTIPLE; taken last */
} groups = {.world = MPI_GROUP_NULL};

void wf_group_set_world(MPI_Group world)
{
    groups.world = world;
}

MPI_Group wf_group_world(void)
{
    return groups.world;
}

/* ---- memory ---- */

/* NULL: there is none. */
static void *group_take(size_t bytes)
{
    uint32_t size = SMALLEST;
    while (size <= LARGEST && ((size_t)1 << size) < bytes + sizeof(union group_block))
        size++;
    if (size > LARGEST)
        return NULL;
    struct wf_pool *pool = &groups.blocks[size];
    wf_threads_lock(&groups.lock);
    if (!pool->limit) {
        uint32_t blocks = (uint32_t)(POOL_BYTES >> size);
        *pool =
            (struct wf_pool){.cell_bytes = UINT32_C(1) << size, .limit = blocks > LEAST_BLOCKS ? blocks : LEAST_BLOCKS};
    }
    union group_block *block = wf_pool_take(pool);
    wf_threads_unlock(&groups.lock);
    if (!block)
        return NULL;
    block->size = size;
    return block + 1;
}

static void group_give_locked(void *memory)
{
    if (!memory)
        return;
    union group_block *block = (union group_block *)memory - 1;
    uint32_t size = block->size;
    wf_pool_give(&groups.blocks[size], block);
}

static void group_give(void *memory)
{
    wf_threads_lock(&groups.lock);
    group_give_locked(memory);
    wf_threads_unlock(&groups.lock);
}

void wf_group_hold(struct wf_group *group)
{
    wf_threads_lock(&groups.lock);
    group->references++;
    wf_threads_unlock(&groups.lock);
}

void wf_group_drop(struct wf_group *group)
{
    if (!group)
        return;
    wf_threads_lock(&groups.lock);
    if (--group->references == 0) {
        wf_needs_comm_left(group->shared);
        group_give_locked(group->sources);
        group_give_locked(group->local.ranks);
        group_give_locked(group->access.ranks);
        group_give_locked(group->exposure.ranks);
        group_give_locked(group->exclusive);
        group_give_locked(group);
    }
    wf_threads_unlock(&groups.lock);
}

/* ---- asking MPI ---- */

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

/* Fills partner[] with the ranks in the world of a group of this size. */
static bool group_translate(MPI_Group from, int size, int32_t *partner)
{
    int *own = group_take((size_t)size * sizeof *own + 1);
    if (!own)
        return false;
    for (int i = 0; i < size; i++)
        own[i] = i;
    wf_real.Group_translate_ranks(from, size, own, groups.world, partner);
    for (int i = 0; i < size; i++)
        if (partner[i] < 0)
            partner[i] = WF_PARTNER_OUTSIDE;
    group_give(own);
    return true;
}

void wf_group_keep(struct wf_group_ranks *ranks, MPI_Group from)
{
    int size = 0;
    struct wf_group_ranks now = {.ranks = NULL}, before;
    if (groups.world != MPI_GROUP_NULL && wf_real.Group_size(from, &size) == MPI_SUCCESS)
        now.ranks = group_take((size_t)size * sizeof *now.ranks + 1);
    if (now.ranks && group_translate(from, size, now.ranks))
        now.count = size;
    wf_threads_lock(&groups.lock);
    before = *ranks;
    *ranks = now;
    group_give_locked(before.ranks);
    wf_threads_unlock(&groups.lock);
}

static struct wf_group *group_make_of(enum wf_group_kind kind, uintptr_t handle, MPI_Group from)
{
    int size = 0;
    if (from == MPI_GROUP_NULL || groups.world == MPI_GROUP_NULL || wf_real.Group_size(from, &size) != MPI_SUCCESS)
        return NULL;
    struct wf_group *group = group_take(sizeof *group + (size_t)size * sizeof *group->partner);
    if (group) {
        *group = (struct wf_group){
            .kind = kind, .handle = handle, .references = 1, .rank = -1, .neighbours = -1, .size = size};
        if (!group_translate(from, size, group->partner)) {
            group_give(group);
            group = NULL;
        }
    }
    wf_real.Group_free(&from);
    return group;
}

static uint64_t group_hash(const int32_t *ranks, int count)
{
    uint64_t h = (uint64_t)count;
    for (int i = 0; i < count; i++)
        h = wf_group_mix(h + (uint64_t)(uint32_t)ranks[i] * 0x9E3779B97F4A7C15u);
    return h;
}

/* Both groups of an intercommunicator count, and which of them is the own one does not. */
static uint64_t group_learn_local(struct wf_group *group, MPI_Comm comm)
{
    MPI_Group from = MPI_GROUP_NULL;
    wf_real.Comm_group(comm, &from);
    wf_group_keep(&group->local, from);
    if (from != MPI_GROUP_NULL)
        wf_real.Group_free(&from);
    return group->local.ranks ? group_hash(group->local.ranks, group->local.count) : 0;
}

struct wf_group *wf_group_make(enum wf_group_kind kind, uintptr_t handle)
{
    MPI_Group from = MPI_GROUP_NULL;
    bool inter = false;
    if (kind == WF_GROUP_COMM)
        from = group_of_comm((MPI_Comm)handle, &inter);
    else
        wf_real.Win_get_group((MPI_Win)handle, &from);
    struct wf_group *group = group_make_of(kind, handle, from);
    if (group && kind == WF_GROUP_COMM) {
        group->id = wf_group_mix(group_hash(group->partner, group->size) +
                                 (inter ? group_learn_local(group, (MPI_Comm)handle) : 0));
        group->inter = inter;
        wf_real.Comm_rank((MPI_Comm)handle, &group->rank);
    }
    return group;
}

struct wf_group *wf_group_make_like(enum wf_group_kind kind, uintptr_t handle, const struct wf_group *parent)
{
    size_t ranks = (size_t)parent->size * sizeof *parent->partner;
    struct wf_group *group = group_take(sizeof *group + ranks);
    if (!group)
        return NULL;
    *group = (struct wf_group){.kind = kind,
                               .handle = handle,
                               .references = 1,
                               .id = parent->id,
                               .rank = parent->rank,
                               .neighbours = -1,
                               .size = parent->size};
    memcpy(group->partner, parent->partner, ranks);
    return group;
}

int32_t wf_group_partner(const struct wf_group *group, int rank)
{
    if (rank == MPI_PROC_NULL)
        return WF_PARTNER_NOBODY;
    return group && rank >= 0 && rank < group->size ? group->partner[rank] : WF_PARTNER_OUTSIDE;
}

/* ---- locks ---- */

static bool *group_make_exclusive(const struct wf_group *group)
{
    bool *exclusive = group_take((size_t)group->size * sizeof *exclusive);
    if (exclusive)
        memset(exclusive, 0, (size_t)group->size * sizeof *exclusive);
    return exclusive;
}

void wf_group_keep_lock(struct wf_group *group, int target, bool exclusive)
{
    if (target < 0 || target >= group->size)
        return;
    bool *made = exclusive ? group_make_exclusive(group) : NULL;
    wf_threads_lock(&groups.lock);
    if (!group->exclusive) {
        group->exclusive = made;
        made = NULL;
    }
    if (group->exclusive) {
        group->exclusives += exclusive - group->exclusive[target];
        group->exclusive[target] = exclusive;
    }
    group_give_locked(made);
    wf_threads_unlock(&groups.lock);
}

bool wf_group_is_exclusive(const struct wf_group *group, int target)
{
    wf_threads_lock(&groups.lock);
    bool is = group->exclusives > 0 &&
              (target == WF_ANY_TARGET || (target >= 0 && target < group->size && group->exclusive[target]));
    wf_threads_unlock(&groups.lock);
    return is;
}

/* ---- neighbours ---- */

static int group_ask_cart_sources(MPI_Comm comm, int **ranks)
{
    int count = 0;
    wf_real.Cartdim_get(comm, &count);
    *ranks = group_take((size_t)(2 * count + 1) * sizeof **ranks);
    for (int d = 0; *ranks && d < count; d++)
        wf_real.Cart_shift(comm, d, 1, &(*ranks)[2 * d], &(*ranks)[2 * d + 1]);
    return *ranks ? 2 * count : 0;
}

static int group_ask_graph_sources(MPI_Comm comm, int rank, int **ranks)
{
    int count = 0;
    wf_real.Graph_neighbors_count(comm, rank, &count);
    *ranks = group_take((size_t)(count + 1) * sizeof **ranks);
    if (!*ranks)
        return 0;
    wf_real.Graph_neighbors(comm, rank, count, *ranks);
    return count;
}

/* Neither the weights nor the other direction are wanted, but they are written. */
static int group_ask_dist_graph_sources(MPI_Comm comm, int **ranks)
{
    int count = 0, out, weighted;
    wf_real.Dist_graph_neighbors_count(comm, &count, &out, &weighted);
    *ranks = group_take((size_t)(count + 1) * sizeof **ranks);
    int *others = group_take((size_t)(2 * count + out + out + 1) * sizeof *others);
    if (!*ranks || !others) {
        group_give(others);
        return 0;
    }
    wf_real.Dist_graph_neighbors(comm, count, *ranks, others, out, others + count, others + count + out);
    group_give(others);
    return count;
}

static int group_ask_sources(MPI_Comm comm, int rank, int **ranks)
{
    int topology = MPI_UNDEFINED;
    wf_real.Topo_test(comm, &topology);
    if (topology == MPI_CART)
        return group_ask_cart_sources(comm, ranks);
    if (topology == MPI_GRAPH)
        return group_ask_graph_sources(comm, rank, ranks);
    return topology == MPI_DIST_GRAPH ? group_ask_dist_graph_sources(comm, ranks) : 0;
}

static void group_learn_sources(struct wf_group *group, MPI_Comm comm)
{
    int *sources = NULL, count = group_ask_sources(comm, group->rank, &sources);
    for (int i = 0; i < count; i++)
        sources[i] = wf_group_partner(group, sources[i]);
    wf_threads_lock(&groups.lock);
    if (group->neighbours < 0) {
        group->sources = sources;
        group->neighbours = count;
    } else {
        group_give_locked(sources);
    }
    wf_threads_unlock(&groups.lock);
}

const int32_t *wf_group_sources(struct wf_group *group, MPI_Comm comm, int *count)
{
    wf_threads_lock(&groups.lock);
    bool asked = group->neighbours >= 0;
    wf_threads_unlock(&groups.lock);
    if (!asked)
        group_learn_sources(group, comm);
    *count = group->neighbours;
    return group->sources;
}
