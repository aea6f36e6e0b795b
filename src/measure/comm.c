/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/comm.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>

#include "measure/process.h"
#include "measure/real.h"

#define BUCKETS 256u

enum kind { COMM, WIN };

struct wf_ranks {
    struct wf_ranks *next; /* in its bucket */
    enum kind kind;
    uintptr_t handle;
    int references; /* one of the table, one of each request that waits for a sender */
    int size;
    int32_t partner[];
};

static struct wf_ranks *buckets[BUCKETS];
static atomic_flag taken = ATOMIC_FLAG_INIT;
static MPI_Group world_group = MPI_GROUP_NULL;

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

void wf_comm_init(MPI_Group world)
{
    world_group = world;
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

static MPI_Group group_of_comm(MPI_Comm comm)
{
    MPI_Group group = MPI_GROUP_NULL;
    int inter = 0;
    wf_real.Comm_test_inter(comm, &inter);
    if (inter)
        wf_real.Comm_remote_group(comm, &group);
    else
        wf_real.Comm_group(comm, &group);
    return group;
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

static struct wf_ranks *make(enum kind kind, uintptr_t handle, MPI_Group group)
{
    int size = 0;
    if (group == MPI_GROUP_NULL || world_group == MPI_GROUP_NULL || wf_real.Group_size(group, &size) != MPI_SUCCESS)
        return NULL;
    struct wf_ranks *ranks = malloc(sizeof *ranks + (size_t)size * sizeof *ranks->partner);
    if (ranks) {
        *ranks = (struct wf_ranks){.kind = kind, .handle = handle, .references = 1, .size = size};
        if (!translate(group, ranks)) {
            free(ranks);
            ranks = NULL;
        }
    }
    wf_real.Group_free(&group);
    return ranks;
}

/* With the lock held. MPI is asked under it: these are local calls, and the entry must be there once. */
static struct wf_ranks *find(enum kind kind, uintptr_t handle)
{
    struct wf_ranks **bucket = bucket_of(kind, handle);
    for (struct wf_ranks *r = *bucket; r; r = r->next)
        if (r->handle == handle && r->kind == kind)
            return r;
    MPI_Group group = MPI_GROUP_NULL;
    if (kind == COMM)
        group = group_of_comm((MPI_Comm)handle);
    else
        wf_real.Win_get_group((MPI_Win)handle, &group);
    struct wf_ranks *ranks = make(kind, handle, group);
    if (ranks) {
        ranks->next = *bucket;
        *bucket = ranks;
    }
    return ranks;
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
    if (--ranks->references == 0)
        free(ranks);
}

static void forget(enum kind kind, uintptr_t handle)
{
    lock();
    for (struct wf_ranks **r = bucket_of(kind, handle); *r; r = &(*r)->next)
        if ((*r)->handle == handle && (*r)->kind == kind) {
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
