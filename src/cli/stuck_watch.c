/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/stuck_watch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/birth.h"
#include "base/hash.h"
#include "cli/launch_alive.h"
#include "cli/stuck_process.h"
#include "collect/timebase.h"

#define LONGEST_GAP_NS \
    INT64_C(600000000)                /* a look that comes later counts for no more: the watcher itself had no core */
#define KIB_PER_SECOND INT64_C(51200) /* messages under way take no longer than that */
#define LIST_EVERY 4u                 /* new processes are looked for at every such look */
#define MOST_RANKS (1u << 20)

static int64_t watch_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void wf_stuck_watch_init(struct wf_stuck_watch *watch, const struct wf_rundir *rundir)
{
    *watch = (struct wf_stuck_watch){.rundir = rundir};
}

static void watch_free_worlds(struct wf_stuck_watch *watch)
{
    for (size_t i = 0; i < watch->world_count; i++) {
        free(watch->worlds[i].ranks);
        free(watch->worlds[i].deadlock.processes);
        free(watch->worlds[i].deadlock.cycle);
    }
    watch->world_count = 0;
}

void wf_stuck_watch_fini(struct wf_stuck_watch *watch)
{
    watch_free_worlds(watch);
    free(watch->worlds);
    for (size_t i = 0; i < watch->process_count; i++)
        wf_stuck_process_free(watch->processes[i]);
    free(watch->processes);
    *watch = (struct wf_stuck_watch){0};
}

int64_t wf_stuck_call_ns(const struct wf_stuck_process *process, const struct wf_needs_copy *call)
{
    struct wf_timebase timebase = wf_timebase_read(&process->header);
    int64_t ns = wf_timebase_duration_ns(&timebase, wf_timebase_now(&process->header) - call->ticks);
    return ns > 0 ? ns : 0;
}

/* ---- processes and worlds ---- */

static int watch_visit_segment(const char *name, void *context)
{
    struct wf_stuck_watch *watch = context;
    for (size_t i = 0; i < watch->process_count; i++)
        if (strcmp(watch->processes[i]->segment, name) == 0)
            return 0;
    if (WF_ARRAY_RESERVE(watch->processes, watch->process_capacity, watch->process_count + 1) != 0)
        return 0;
    struct wf_stuck_process *process = wf_stuck_process_new(name);
    if (process)
        watch->processes[watch->process_count++] = process;
    return 0;
}

static struct wf_stuck_world *watch_find_world(struct wf_stuck_watch *watch, const char *name)
{
    for (size_t i = 0; i < watch->world_count; i++)
        if (strncmp(watch->worlds[i].name, name, WF_WORLD_BYTES) == 0)
            return &watch->worlds[i];
    return NULL;
}

/* False: there is no memory. */
static bool watch_add_world(struct wf_stuck_watch *watch, const struct wf_segment_header *header)
{
    size_t size = (size_t)header->size;
    if (WF_ARRAY_RESERVE(watch->worlds, watch->world_capacity, watch->world_count + 1) != 0)
        return false;
    struct wf_stuck_world world = {
        .ranks = calloc(size, sizeof *world.ranks),
        .deadlock = {.processes = calloc(size, sizeof *world.deadlock.processes),
                     .cycle = calloc(size, sizeof *world.deadlock.cycle),
                     .count = size},
    };
    memcpy(world.name, header->world, sizeof world.name);
    watch->worlds[watch->world_count++] = world;
    return world.ranks && world.deadlock.processes && world.deadlock.cycle;
}

static bool watch_has_place(const struct wf_segment_header *header)
{
    return header->size > 0 && (uint32_t)header->size <= MOST_RANKS && header->rank >= 0 && header->rank < header->size;
}

/* Each world with its ranks. Of two processes of one rank, the one that is alive counts. */
static bool watch_sort_worlds(struct wf_stuck_watch *watch)
{
    watch_free_worlds(watch);
    for (size_t i = 0; i < watch->process_count; i++) {
        struct wf_stuck_process *process = watch->processes[i];
        const struct wf_segment_header *header = &process->header;
        if (!watch_has_place(header))
            continue;
        if (!watch_find_world(watch, header->world) && !watch_add_world(watch, header))
            return false;
        struct wf_stuck_world *world = watch_find_world(watch, header->world);
        if ((size_t)header->rank >= world->deadlock.count)
            continue;
        struct wf_stuck_process **rank = &world->ranks[header->rank];
        if (!*rank || process->alive)
            *rank = process;
    }
    return true;
}

/* ---- who is stuck ---- */

/* Takes all processes as they are; with `age_ns`, those that have not been in their calls for so long as running. */
static void watch_find(struct wf_stuck_world *world, int64_t age_ns)
{
    struct wf_deadlock *d = &world->deadlock;
    for (size_t i = 0; i < d->count; i++) {
        const struct wf_stuck_process *process = world->ranks[i];
        d->processes[i] = process ? process->now : (struct wf_deadlock_process){.state = WF_DEADLOCK_RUNS};
        if (process && process->now.state == WF_DEADLOCK_BLOCKED && process->age_ns < age_ns)
            d->processes[i].state = WF_DEADLOCK_RUNS;
    }
    wf_deadlock_find(d);
}

/* What its call sends may be under way, and so may what it has sent before. */
static int64_t watch_transfer_ns(const struct wf_stuck_process *process)
{
    int64_t kib = (int64_t)(process->sent_kib >> 62 ? 0 : process->sent_kib);
    for (size_t t = 0; t < process->now.thread_count; t++)
        for (uint32_t i = 0; i < process->now.threads[t].count; i++)
            kib += process->now.threads[t].need[i].kib;
    return kib < INT64_C(1) << 30 ? kib * 1000000000 / KIB_PER_SECOND : INT64_MAX / 4;
}

/* A rank that might be stuck is looked at more closely, and its time goes on; that of others begins anew. */
static int64_t watch_count_ages(struct wf_stuck_world *world, int64_t gap_ns)
{
    int64_t transfer_ns = 0;
    for (size_t i = 0; i < world->deadlock.count; i++) {
        struct wf_stuck_process *process = world->ranks[i];
        if (!process)
            continue;
        bool chance = false, candidate = world->deadlock.processes[i].stuck;
        if (candidate)
            candidate = wf_stuck_process_examine(process, &chance);
        if (!candidate || process->print != process->last_print)
            process->age_ns = 0;
        else if (chance)
            process->age_ns += gap_ns;
        int64_t own_ns = candidate ? watch_transfer_ns(process) : 0;
        transfer_ns = transfer_ns + own_ns < INT64_MAX / 2 ? transfer_ns + own_ns : INT64_MAX / 2;
    }
    return WF_STUCK_NS + transfer_ns;
}

static bool watch_judge(struct wf_stuck_world *world, int64_t gap_ns)
{
    watch_find(world, 0);
    int64_t needed_ns = watch_count_ages(world, gap_ns);
    if (world->deadlock.stuck)
        watch_find(world, needed_ns);
    return world->deadlock.stuck > 0;
}

bool wf_stuck_watch_look(struct wf_stuck_watch *watch)
{
    int64_t now = watch_now_ns(), gap = watch->looked_ns ? now - watch->looked_ns : 0;
    bool settled = false, found = false;
    watch->looked_ns = now;
    if (watch->looks++ % LIST_EVERY == 0)
        wf_rundir_each(watch->rundir, "", WF_SEGMENT_SUFFIX, watch_visit_segment, watch);
    for (size_t i = 0; i < watch->process_count; i++) {
        struct wf_stuck_process *process = watch->processes[i];
        wf_stuck_process_read(process, watch->rundir);
        settled |= process->now.state == WF_DEADLOCK_BLOCKED && process->print == process->last_print;
    }
    if (!watch_sort_worlds(watch))
        return false;
    for (size_t i = 0; settled && i < watch->process_count; i++)
        wf_stuck_process_read_comms(watch->processes[i]);
    for (size_t i = 0; settled && i < watch->world_count; i++)
        found |= watch_judge(&watch->worlds[i], gap < LONGEST_GAP_NS ? gap : LONGEST_GAP_NS);
    for (size_t i = 0; !settled && i < watch->process_count; i++)
        watch->processes[i]->age_ns = 0;
    return found;
}
