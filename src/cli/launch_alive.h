/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which processes of a run are alive on this host: processes with a segment, registered ranks (inner order), and
 * processes that were started with the run directory in their environment and may still become or start ranks.
 */
#ifndef WF_LAUNCH_ALIVE_H
#define WF_LAUNCH_ALIVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/launch_rundir.h"

/* The functions return the process id of a live process, WF_ALIVE_UNNUMBERED for a process of another PID namespace,
 * or 0 if there is none. */
#define WF_ALIVE_UNNUMBERED ((pid_t)-1)

/* Finds a process that has a segment. *segments is the number of whole segments of all hosts; it may be NULL. */
pid_t wf_alive_segment(const struct wf_rundir *rundir, int *segments);

/* Finds a registered rank of this host and namespace. *registered is the number of registered ranks; it may be NULL. */
pid_t wf_alive_rank(const struct wf_rundir *rundir, int *registered);
void wf_alive_register(const struct wf_rundir *rundir);

/* Finds a process that has the run directory in its environment: a launcher only, or any. */
pid_t wf_alive_relative(const struct wf_rundir *rundir, bool launchers_only);

/* Whether a rank of another host has not recorded its end. Only its own host can tell whether it is alive. */
bool wf_alive_elsewhere(const struct wf_rundir *rundir);

struct wf_segment_header;

/* Whether a segment is that of a process of this host. */
bool wf_alive_is_here(const struct wf_segment_header *header);

/* A descriptor that can be read when the process has ended, to be closed; -1, after a short time: there is none. */
int wf_alive_open(pid_t pid);
void wf_alive_pause(long ms);

#endif
