/* SPDX-License-Identifier: BSD-3-Clause
 *
 * When processes of a run die. A process that is killed cannot say when, and what it was in then has lasted until that
 * moment. So the guardian looks at each process that has a segment, and leaves a note in the run directory when one
 * is gone without having said that it ends (WF_SEGMENT_GONE). Owned by the guardian, one thread.
 */
#ifndef WF_LAUNCH_DEATHS_H
#define WF_LAUNCH_DEATHS_H

#include <stddef.h>

#include "cli/launch_rundir.h"

struct wf_deaths_process;

struct wf_deaths {
    const struct wf_rundir *rundir;
    struct wf_deaths_process *items; /* those that were found so far */
    struct pollfd *events;
    size_t count, capacity, event_capacity;
    int wait_ms;                 /* how long the next wait may last */
    void (*also)(void *context); /* what else is to be done every also_ms; NULL: nothing */
    void *context;
    int also_ms;
};

/* Without memory or descriptors, deaths are noted later, or never. */
void wf_deaths_init(struct wf_deaths *deaths, const struct wf_rundir *rundir);
void wf_deaths_fini(struct wf_deaths *deaths);

/* Finds new processes, and notes who is gone. */
void wf_deaths_look(struct wf_deaths *deaths);

/* The same when no process is alive any more: notes all of them. */
void wf_deaths_look_last(struct wf_deaths *deaths);

/* Does so again and again, until there is something to read from the descriptor: a process has ended, or
 * the other end of a socket has written or closed. */
void wf_deaths_look_until(struct wf_deaths *deaths, int fd);

#endif
