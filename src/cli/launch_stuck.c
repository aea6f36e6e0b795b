/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/launch_stuck.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/array.h"
#include "cli/command.h"
#include "cli/stuck_find.h"
#include "present/stuck_text.h"

#define GRACE_NS INT64_C(5000000000) /* between SIGTERM and SIGKILL */

struct wf_stuck_noted {
    struct wf_stuck_process *process;
    uint64_t print;
};

void wf_stuck_guard_init(struct wf_stuck_guard *guard, const struct wf_guardian *guardian, int socket)
{
    *guard = (struct wf_stuck_guard){.guardian = guardian, .socket = socket};
    wf_stuck_watch_init(&guard->watch, &guardian->rundir);
}

void wf_stuck_guard_fini(struct wf_stuck_guard *guard)
{
    wf_stuck_watch_fini(&guard->watch);
    free(guard->noted);
    guard->noted = NULL;
}

/* ---- notes ---- */

static bool guard_has_noted(const struct wf_stuck_guard *guard, const struct wf_stuck_process *process)
{
    for (size_t i = 0; i < guard->noted_count; i++)
        if (guard->noted[i].process == process)
            return true;
    return false;
}

/* Some rank of the world is stuck that was not before. */
static bool guard_is_news(const struct wf_stuck_guard *guard, const struct wf_stuck_world *world)
{
    for (size_t i = 0; i < world->deadlock.count; i++)
        if (world->deadlock.processes[i].stuck && !guard_has_noted(guard, world->ranks[i]))
            return true;
    return false;
}

static void guard_note(struct wf_stuck_guard *guard, const struct wf_stuck_world *world, const struct wf_stuck *stuck)
{
    for (size_t i = 0; i < stuck->count; i++) {
        struct wf_stuck_process *process = world->ranks[stuck->items[i].rank];
        if (guard_has_noted(guard, process)) /* what is found when the first ranks have been ended is no news of it */
            continue;
        wf_stuck_note(&guard->guardian->rundir, process, &stuck->items[i]);
        if (WF_ARRAY_RESERVE(guard->noted, guard->noted_capacity, guard->noted_count + 1) == 0)
            guard->noted[guard->noted_count++] = (struct wf_stuck_noted){process, process->print};
    }
}

/* A rank that goes on was not stuck. That is not to happen; if it does, nothing wrong is left in the profile. */
static void guard_look_at_notes(struct wf_stuck_guard *guard)
{
    for (size_t i = 0; i < guard->noted_count; i++) {
        const struct wf_stuck_noted *noted = &guard->noted[i];
        const struct wf_stuck_process *process = noted->process;
        if (!process->alive || process->doubt != WF_STUCK_NO_DOUBT || process->print == noted->print)
            continue;
        wf_stuck_forget(&guard->guardian->rundir, process);
        if (guard->said && !guard->denied && !guard->ends_ns)
            fprintf(stderr, "weft: rank %d goes on: that was no deadlock\n", process->header.rank);
        guard->denied = true;
        guard->noted[i] = guard->noted[--guard->noted_count];
        i--;
    }
}

/* ---- words ---- */

static void guard_say(struct wf_stuck_guard *guard, const struct wf_stuck *stuck)
{
    struct wf_page page;
    if (guard->said || guard->guardian->quiet)
        return;
    guard->said = true;
    wf_page_init(&page, stderr, 0);
    wf_stuck_print(&page, stuck, WF_PLAIN, "weft: ", "weft:   ", false);
    fflush(stderr);
}

/* ---- the end ---- */

static void guard_signal_ranks(struct wf_stuck_guard *guard, int signal)
{
    for (size_t i = 0; i < guard->watch.process_count; i++) {
        const struct wf_stuck_process *process = guard->watch.processes[i];
        if (process->alive && process->doubt != WF_STUCK_ELSEWHERE)
            kill((pid_t)process->header.pid, signal);
    }
}

/* The launcher ends the ranks, as it does when the user ends it. In the inner order it is not known. */
static void guard_end_run(struct wf_stuck_guard *guard)
{
    const char told = WF_STUCK_TOLD;
    guard->ends_ns = guard->watch.looked_ns;
    if (!guard->guardian->quiet)
        fprintf(stderr, "weft: the deadlock has lasted %lld s, and the run is ended, as --stuck asks for\n",
                guard->guardian->stuck_seconds);
    if (guard->child > 0 && send(guard->socket, &told, 1, MSG_NOSIGNAL) == 1)
        kill(guard->child, SIGTERM);
    else
        guard_signal_ranks(guard, SIGTERM);
}

static void guard_end_at_last(struct wf_stuck_guard *guard)
{
    if (guard->killed || guard->watch.looked_ns - guard->ends_ns < GRACE_NS)
        return;
    guard->killed = true;
    if (guard->child > 0)
        kill(guard->child, SIGKILL);
    guard_signal_ranks(guard, SIGKILL);
}

/* So long has every stuck rank of the world been in its call. */
static int64_t guard_lasts_ns(const struct wf_stuck_world *world)
{
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < world->deadlock.count; i++)
        for (size_t t = 0; world->deadlock.processes[i].stuck && t < world->deadlock.processes[i].thread_count; t++) {
            int64_t ns = wf_stuck_call_ns(world->ranks[i], &world->deadlock.processes[i].threads[t]);
            if (world->deadlock.cycle_count == 0 || world->deadlock.processes[i].in_cycle)
                least = ns < least ? ns : least;
        }
    return least;
}

void wf_stuck_guard_look(void *context)
{
    struct wf_stuck_guard *guard = context;
    bool found = wf_stuck_watch_look(&guard->watch);
    guard_look_at_notes(guard);
    for (size_t i = 0; found && i < guard->watch.world_count; i++) {
        const struct wf_stuck_world *world = &guard->watch.worlds[i];
        struct wf_stuck stuck;
        if (guard_is_news(guard, world) && wf_stuck_find(world, &guard->guardian->rundir, false, &stuck) == 0) {
            guard_note(guard, world, &stuck);
            guard_say(guard, &stuck);
            wf_stuck_free(&stuck);
        }
        if (world->deadlock.stuck && guard->guardian->stuck_seconds >= 0 && !guard->ends_ns &&
            guard_lasts_ns(world) >= guard->guardian->stuck_seconds * 1000000000)
            guard_end_run(guard);
    }
    if (guard->ends_ns)
        guard_end_at_last(guard);
}
