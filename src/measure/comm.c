/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/comm.h"

#include <stddef.h>

#include "base/lock.h"
#include "guest/memory.h"
#include "measure/process.h"
#include "measure/real.h"

#define BUCKETS 256u
#define MAX_COUNTS 65536u

enum kind { COMM, WIN };

/* How many communicators had this stem and these groups. */
struct count {
    struct count *next;
    uint64_t name;
    uint32_t made;
};

struct wf_ranks *wf_comm_world;

static struct wf_ranks *comm_self;
static struct wf_ranks *buckets[BUCKETS];
static struct wf_lock taken;
static MPI_Group world_group = MPI_GROUP_NULL;
static struct count *counts[BUCKETS];
static uint32_t counts_made;

static void lock(void)
{
    if (wf_process.threads)
        wf_lock_take(&taken);
}

static void unlock(void)
{
    if (wf_process.threads)
        wf_lock_give(&taken);
}

/* Memory, of the kernel and never of malloc: the application's allocator is not ours to enter. What is given back waits for the next of its size and is
 * never unmapped: who still reads it, in a program that uses what it has freed, reads something wrong and does not die of it. */

#define SMALLEST 6u /* 2^n bytes, with the head */
#define LARGEST 40u
#define PAGES ((size_t)256 << 10) /* that small blocks are cut from */

union block {
    struct {
        union block *next; /* given back, of the same size */
        uint32_t size;     /* 2^n */
    };
    max_align_t align;
};

static union block *spare[LARGEST + 1];
static char *pages;
static size_t pages_left;

static union block *cut(size_t bytes)
{
    if (bytes > PAGES / 4)
        return wf_memory_pages(bytes);
    if (pages_left < bytes) {
        char *more = wf_memory_pages(PAGES);
        if (!more)
            return NULL;
        pages = more;
        pages_left = PAGES;
    }
    pages_left -= bytes;
    return (union block *)(pages + pages_left);
}

/* With the lock held. NULL: there is none. */
static void *take_locked(size_t bytes)
{
    uint32_t size = SMALLEST;
    while (size <= LARGEST && ((size_t)1 << size) < bytes + sizeof(union block))
        size++;
    if (size > LARGEST)
        return NULL;
    union block *block = spare[size];
    if (block)
        spare[size] = block->next;
    else if (!(block = cut((size_t)1 << size)))
        return NULL;
    block->size = size;
    return block + 1;
}

static void give_locked(void *memory)
{
    if (!memory)
        return;
    union block *block = (union block *)memory - 1;
    block->next = spare[block->size];
    spare[block->size] = block;
}

static void *take(size_t bytes)
{
    lock();
    void *memory = take_locked(bytes);
    unlock();
    return memory;
}

static void give(void *memory)
{
    lock();
    give_locked(memory);
    unlock();
}

/* Names. */

static uint64_t mix(uint64_t h)
{
    h ^= h >> 32;
    h *= 0xD6E8FEB86659FD93u;
    return h ^ h >> 32;
}

static uint64_t mix_in(uint64_t h, uint64_t more)
{
    return mix(h * 0x9E3779B97F4A7C15u + more);
}

static uint64_t hash_of(const struct wf_ranks *ranks)
{
    uint64_t h = (uint64_t)ranks->size;
    for (int i = 0; i < ranks->size; i++)
        h = mix(h + (uint64_t)(uint32_t)ranks->partner[i] * 0x9E3779B97F4A7C15u);
    return h;
}

static uint32_t count_up_locked(uint64_t name)
{
    struct count **bucket = &counts[name % BUCKETS];
    for (struct count *c = *bucket; c; c = c->next)
        if (c->name == name)
            return ++c->made;
    struct count *c = counts_made < MAX_COUNTS ? take_locked(sizeof *c) : NULL;
    if (c) {
        *c = (struct count){.next = *bucket, .name = name, .made = 1};
        *bucket = c;
        counts_made++;
    }
    return 1;
}

/* Asking MPI, without the lock. */

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

/* Fills partner[] with the group's ranks in the world. */
static bool translate(MPI_Group group, struct wf_ranks *ranks)
{
    int *own = take((size_t)ranks->size * sizeof *own + 1);
    if (!own)
        return false;
    for (int i = 0; i < ranks->size; i++)
        own[i] = i;
    wf_real.Group_translate_ranks(group, ranks->size, own, world_group, ranks->partner);
    for (int i = 0; i < ranks->size; i++)
        if (ranks->partner[i] < 0)
            ranks->partner[i] = WF_PARTNER_OUTSIDE;
    give(own);
    return true;
}

static struct wf_ranks *make_of_group(enum kind kind, uintptr_t handle, MPI_Group group)
{
    int size = 0;
    if (group == MPI_GROUP_NULL || world_group == MPI_GROUP_NULL || wf_real.Group_size(group, &size) != MPI_SUCCESS)
        return NULL;
    struct wf_ranks *ranks = take(sizeof *ranks + (size_t)size * sizeof *ranks->partner);
    if (ranks) {
        *ranks = (struct wf_ranks){.kind = kind, .handle = handle, .references = 1, .rank = -1, .neighbours = -1, .size = size};
        if (!translate(group, ranks)) {
            give(ranks);
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
    give(local);
    return h;
}

/* Its id is that of its groups alone. */
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
        ranks->id = mix(hash_of(ranks) + (inter ? hash_of_local((MPI_Comm)handle) : 0));
        ranks->inter = inter;
        wf_real.Comm_rank((MPI_Comm)handle, &ranks->rank);
    }
    return ranks;
}

/* The table. */

static struct wf_ranks **bucket_of(enum kind kind, uintptr_t handle)
{
    return &buckets[((handle + (uintptr_t)kind) * 0x9E3779B97F4A7C15u) >> 56];
}

static struct wf_ranks *known_locked(enum kind kind, uintptr_t handle)
{
    for (struct wf_ranks *r = *bucket_of(kind, handle); r; r = r->next)
        if (r->handle == handle && r->kind == (int)kind)
            return r;
    return NULL;
}

static void list_locked(struct wf_ranks *ranks)
{
    struct wf_ranks **bucket = bucket_of((enum kind)ranks->kind, ranks->handle);
    ranks->next = *bucket;
    ranks->listed = true;
    *bucket = ranks;
}

static void drop_locked(struct wf_ranks *ranks)
{
    if (--ranks->references == 0) {
        give_locked(ranks->sources);
        give_locked(ranks);
    }
}

/* The world and the process itself are never gone, whatever is said of their handles. */
static void unlist_locked(struct wf_ranks *ranks)
{
    if (!ranks || !ranks->listed || ranks == wf_comm_world || ranks == comm_self)
        return;
    struct wf_ranks **r = bucket_of((enum kind)ranks->kind, ranks->handle);
    while (*r != ranks)
        r = &(*r)->next;
    *r = ranks->next;
    ranks->listed = false;
    drop_locked(ranks);
}

static struct wf_ranks *known(enum kind kind, uintptr_t handle)
{
    lock();
    struct wf_ranks *ranks = known_locked(kind, handle);
    unlock();
    return ranks;
}

/* What MPI has just accepted. Another thread may have been faster. */
static struct wf_ranks *find(enum kind kind, uintptr_t handle)
{
    struct wf_ranks *ranks = known(kind, handle);
    struct wf_ranks *made = ranks ? NULL : make(kind, handle);
    if (!made)
        return ranks;
    made->silent = true;
    lock();
    ranks = known_locked(kind, handle);
    if (ranks) {
        give_locked(made);
    } else {
        list_locked(made);
        ranks = made;
    }
    unlock();
    return ranks;
}

uint64_t wf_comm_stem(enum wf_maker maker, MPI_Comm parent, int tag, const char *word)
{
    uint64_t stem = (uint64_t)maker + 1;
    if (maker != WF_MAKER_groups) {
        struct wf_ranks *ranks = find(COMM, (uintptr_t)parent);
        stem = mix_in(stem, ranks ? ranks->id : 0);
        if (maker == WF_MAKER_all && ranks)
            return mix_in(stem, ++ranks->made);
    }
    stem = mix_in(stem, (uint64_t)(int64_t)tag);
    for (; word && *word; word++)
        stem = mix_in(stem, (unsigned char)*word);
    return stem;
}

void wf_comm_made(MPI_Comm comm, enum wf_maker maker, uint64_t stem)
{
    struct wf_ranks *made = make(COMM, (uintptr_t)comm);
    if (made)
        made->id = mix_in(stem, made->id);
    lock();
    unlist_locked(known_locked(COMM, (uintptr_t)comm)); /* one of another thread's, which has just been freed */
    if (made) {
        if (maker != WF_MAKER_all)
            made->id = mix_in(made->id, count_up_locked(made->id));
        list_locked(made);
    }
    unlock();
}

void wf_win_made(MPI_Win win)
{
    lock();
    unlist_locked(known_locked(WIN, (uintptr_t)win));
    unlock();
}

struct wf_ranks *wf_comm_known_slow(MPI_Comm comm)
{
    struct wf_ranks *ranks = known(COMM, (uintptr_t)comm);
    return ranks && !ranks->silent ? ranks : NULL;
}

/* One that is there from the start. */
static struct wf_ranks *start_with(MPI_Comm comm, uint64_t stem)
{
    wf_comm_made(comm, WF_MAKER_all, stem);
    return known(COMM, (uintptr_t)comm);
}

void wf_comm_init(MPI_Group world, bool is_comm_world)
{
    world_group = world;
    if (!is_comm_world)
        return;
    wf_comm_world = start_with(MPI_COMM_WORLD, 1);
    comm_self = start_with(MPI_COMM_SELF, 2);
}

void wf_comm_fini(void)
{
    if (world_group != MPI_GROUP_NULL)
        wf_real.Group_free(&world_group);
}

void wf_comm_again(MPI_Group world)
{
    world_group = world;
}

/* Neighbours. */

static int ask_sources(MPI_Comm comm, int rank, int **ranks)
{
    int topology = MPI_UNDEFINED, count = 0, out, weighted;
    wf_real.Topo_test(comm, &topology);
    if (topology == MPI_CART) {
        wf_real.Cartdim_get(comm, &count);
        *ranks = take((size_t)(2 * count + 1) * sizeof **ranks);
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
    *ranks = take((size_t)(count + 1) * sizeof **ranks);
    if (!*ranks)
        return 0;
    if (topology == MPI_GRAPH) {
        wf_real.Graph_neighbors(comm, rank, count, *ranks);
        return count;
    }
    /* Neither the weights nor the other direction are wanted, but they are written. */
    int *others = take((size_t)(2 * count + out + out + 1) * sizeof *others);
    if (!others)
        return 0;
    wf_real.Dist_graph_neighbors(comm, count, *ranks, others, out, others + count, others + count + out);
    give(others);
    return count;
}

static void learn_sources(struct wf_ranks *ranks, MPI_Comm comm)
{
    int *sources = NULL, count = ask_sources(comm, ranks->rank, &sources);
    for (int i = 0; i < count; i++)
        sources[i] = wf_ranks_partner(ranks, sources[i]);
    lock();
    if (ranks->neighbours < 0) {
        ranks->sources = sources;
        ranks->neighbours = count;
    } else {
        give_locked(sources);
    }
    unlock();
}

const int32_t *wf_comm_sources(struct wf_ranks *ranks, MPI_Comm comm, int *count)
{
    lock();
    bool asked = ranks->neighbours >= 0;
    unlock();
    if (!asked)
        learn_sources(ranks, comm);
    *count = ranks->neighbours;
    return ranks->sources;
}

/* Partners. */

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
    return wf_ranks_partner(find(kind, handle), rank);
}

int32_t wf_comm_look_up(MPI_Comm comm, int rank)
{
    return look_up(COMM, (uintptr_t)comm, rank);
}

int32_t wf_win_partner(MPI_Win win, int rank)
{
    return look_up(WIN, (uintptr_t)win, rank);
}

static struct wf_ranks *leaving(enum kind kind, uintptr_t handle)
{
    lock();
    struct wf_ranks *ranks = known_locked(kind, handle);
    if (ranks)
        ranks->references++;
    unlock();
    return ranks;
}

struct wf_ranks *wf_comm_leaving(MPI_Comm comm)
{
    return leaving(COMM, (uintptr_t)comm);
}

struct wf_ranks *wf_win_leaving(MPI_Win win)
{
    return leaving(WIN, (uintptr_t)win);
}

void wf_ranks_left(struct wf_ranks *ranks, bool gone)
{
    if (!ranks)
        return;
    lock();
    if (gone)
        unlist_locked(ranks);
    drop_locked(ranks);
    unlock();
}

struct wf_ranks *wf_comm_hold(MPI_Comm comm)
{
    struct wf_ranks *ranks = find(COMM, (uintptr_t)comm);
    lock();
    if (ranks)
        ranks->references++;
    unlock();
    return ranks;
}

void wf_ranks_drop(struct wf_ranks *ranks)
{
    wf_ranks_left(ranks, false);
}
