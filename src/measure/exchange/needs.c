/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/needs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/exchange/box.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/header.h"

#define KEPT 64u /* records of communicators that were freed stay as they are, until there are so many */
#define LEFT (2 * KEPT)
#define TASKS 512u

/* Where those write who have no room in the box. No process reads it. */
static struct {
    struct wf_needs needs;
    struct {
        struct wf_needs_comm comm;
        int32_t rank;
    } group;
} needs_void;

static struct {
    struct wf_lock lock;              /* for all this */
    struct wf_needs_comm *left[LEFT]; /* of communicators that were freed, the oldest first */
    uint32_t first_left, lefts;
    _Atomic uint32_t *end; /* of the list of publications; NULL: only the first one is there, and not in use */
    uint32_t tasks;        /* threads of the process before MPI was initialised */
    uint32_t task[TASKS];
} needs_own;

static struct wf_needs_area *needs_area(void)
{
    return wf_own_box.box ? &wf_own_box.box->head.needs : NULL;
}

static void *needs_lost(struct wf_needs_area *area, void *instead)
{
    if (area)
        wf_set(area->lost, 1);
    return instead;
}

/* ---- publications ---- */

static struct wf_needs *needs_add_locked(struct wf_needs_area *area)
{
    if (!needs_own.end) {
        needs_own.end = &area->first.next;
        return &area->first;
    }
    uint32_t offset = wf_box_allocate(sizeof(struct wf_needs));
    if (!offset)
        return needs_lost(area, &needs_void.needs);
    struct wf_needs *needs = wf_box_at(wf_own_box.box, offset);
    atomic_store_explicit(needs_own.end, offset, memory_order_release);
    needs_own.end = &needs->next;
    return needs;
}

struct wf_needs *wf_needs_open(struct wf_lane *lane)
{
    struct wf_needs_area *area = needs_area();
    struct wf_needs *needs = &needs_void.needs;
    if (area && wf_header_is_on()) {
        wf_threads_lock(&needs_own.lock);
        needs = needs_add_locked(area);
        wf_threads_unlock(&needs_own.lock);
        wf_set(needs->thread_id, lane->record->thread_id);
    }
    lane->needs = needs;
    return needs;
}

void wf_needs_finalize(struct wf_lane *lane, const struct wf_site *site, uint64_t ticks)
{
    struct wf_needs *needs = wf_needs_of(lane);
    wf_set(needs->mode, WF_NEEDS_RUNNING);
    atomic_thread_fence(memory_order_release);
    wf_need_write(&needs->need[0], &(struct wf_need_of){.kind = WF_NEED_FINALIZE, .rank = WF_NEED_ANY_RANK});
    wf_set(needs->address, site->address);
    wf_set(needs->ticks, ticks);
    wf_set(needs->virtual_ticks, ticks - lane->probes.intrusion);
    wf_set(needs->count, 1);
    wf_set(needs->call, site->call);
    wf_set(needs->sequence, wf_get(needs->sequence) + 1);
    atomic_store_explicit(&needs->mode, WF_NEEDS_ONE, memory_order_release);
}

void wf_needs_go_on(struct wf_lane *lane)
{
    if (lane->needs)
        wf_set(lane->needs->mode, WF_NEEDS_RUNNING);
}

/* ---- communicators ---- */

/* One that was freed long ago, and has room for so many ranks. */
static struct wf_needs_comm *needs_comm_again_locked(uint32_t count)
{
    if (needs_own.lefts <= KEPT)
        return NULL;
    struct wf_needs_comm *oldest = needs_own.left[needs_own.first_left];
    if (oldest->room < count)
        return NULL;
    needs_own.first_left = (needs_own.first_left + 1) % LEFT;
    needs_own.lefts--;
    wf_set(oldest->comm, 0);
    return oldest;
}

static struct wf_needs_comm *needs_comm_new_locked(struct wf_needs_area *area, uint32_t count)
{
    uint32_t offset = wf_box_allocate(sizeof(struct wf_needs_comm) + (uint64_t)count * sizeof(int32_t));
    if (!offset)
        return NULL;
    struct wf_needs_comm *comm = wf_box_at(wf_own_box.box, offset);
    comm->room = count;
    wf_set(comm->next, wf_get(area->comms));
    atomic_store_explicit(&area->comms, offset, memory_order_release);
    return comm;
}

static void needs_comm_fill(struct wf_needs_comm *comm, const struct wf_group *group)
{
    atomic_thread_fence(memory_order_release);
    wf_set(comm->entered, 0);
    for (int i = 0; i < group->size; i++)
        wf_set(comm->ranks[i], group->partner[i]);
    for (int i = 0; i < group->local.count; i++)
        wf_set(comm->ranks[group->size + i], group->local.ranks[i]);
    wf_set(comm->count, (uint32_t)(group->size + group->local.count));
    atomic_store_explicit(&comm->comm, group->id, memory_order_release);
}

struct wf_needs_comm *wf_needs_share_now(struct wf_group *group)
{
    struct wf_needs_area *area = wf_header_is_on() ? needs_area() : NULL;
    uint32_t count = (uint32_t)(group->size + group->local.count);
    wf_threads_lock(&needs_own.lock);
    if (!group->shared) {
        struct wf_needs_comm *comm = area ? needs_comm_again_locked(count) : NULL;
        if (area && !comm)
            comm = needs_comm_new_locked(area, count);
        if (comm)
            needs_comm_fill(comm, group);
        else
            comm = needs_lost(area, &needs_void.group.comm);
        group->shared = comm;
    }
    wf_threads_unlock(&needs_own.lock);
    return group->shared;
}

struct wf_need_of wf_need_collective(struct wf_group *group, uint32_t number, enum wf_need_members members, int root)
{
    bool inside = !group->inter && root >= 0 && root < group->size;
    wf_needs_share(group);
    return (struct wf_need_of){.kind = WF_NEED_COLLECTIVE,
                               .members = group->inter ? WF_NEED_SOME : members,
                               .comm = group->id,
                               .rank = inside ? group->partner[root] : WF_NEED_ANY_RANK,
                               .tag = (int32_t)number};
}

/* It has entered whatever others may still be in. */
void wf_needs_comm_left(struct wf_needs_comm *comm)
{
    if (!comm || comm == &needs_void.group.comm)
        return;
    wf_threads_lock(&needs_own.lock);
    wf_set(comm->entered, WF_NEEDS_LEFT);
    if (needs_own.lefts == LEFT) {
        needs_own.first_left = (needs_own.first_left + 1) % LEFT;
        needs_own.lefts--;
    }
    needs_own.left[(needs_own.first_left + needs_own.lefts++) % LEFT] = comm;
    wf_threads_unlock(&needs_own.lock);
}

void wf_needs_sent(int64_t kib)
{
    struct wf_needs_area *area = needs_area();
    if (area)
        atomic_fetch_add_explicit(&area->sent_kib, (uint64_t)kib, memory_order_relaxed);
}

/* ---- threads that are not the program's ---- */

struct task_entry { /* as the kernel writes it */
    uint64_t inode;
    int64_t offset;
    uint16_t bytes;
    uint8_t type;
    char name[];
};

/* Calls `found` for each thread of the process; without memory. */
static void needs_list_tasks(void (*found)(uint32_t task))
{
    _Alignas(8) char buffer[2048];
    int saved = errno, fd = open("/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long n = 0;
    while (fd >= 0 && (n = syscall(SYS_getdents64, fd, buffer, sizeof buffer)) > 0)
        for (long at = 0; at < n;) {
            const struct task_entry *entry = (const struct task_entry *)(buffer + at);
            uint32_t task = (uint32_t)strtoul(entry->name, NULL, 10);
            if (task)
                found(task);
            at += entry->bytes;
        }
    if (fd >= 0)
        close(fd);
    errno = saved;
}

static void needs_note_task(uint32_t task)
{
    if (needs_own.tasks < TASKS)
        needs_own.task[needs_own.tasks++] = task;
}

static void needs_note_helper(uint32_t task)
{
    struct wf_needs_area *area = needs_area();
    uint32_t helpers = wf_get(area->helpers);
    for (uint32_t i = 0; i < needs_own.tasks; i++)
        if (needs_own.task[i] == task)
            return;
    if (helpers < WF_NEEDS_HELPERS)
        wf_set(area->helper[helpers], task);
    wf_set(area->helpers, helpers + 1);
}

void wf_needs_look_at_threads(void)
{
    needs_own.tasks = 0;
    needs_list_tasks(needs_note_task);
}

void wf_needs_note_helpers(bool threads)
{
    struct wf_needs_area *area = needs_area();
    if (!area)
        return;
    wf_set(area->threads, threads);
    if (threads && needs_own.tasks < TASKS)
        needs_list_tasks(needs_note_helper);
}
