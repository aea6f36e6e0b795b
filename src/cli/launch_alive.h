/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Who of a run is still there, on this host: processes that have a segment, ranks that have registered (inner order), and processes that were started with
 * the run's directory in their environment and may yet become ranks or start some.
 */
#ifndef WF_LAUNCH_ALIVE_H
#define WF_LAUNCH_ALIVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/launch_rundir.h"

/* A process; WF_ALIVE_UNNUMBERED: there is one, of another PID namespace; 0: there is none. */
#define WF_ALIVE_UNNUMBERED ((pid_t)-1)

/* One that has a segment; *segments: how many whole segments there are, of any host, or NULL. */
pid_t wf_alive_segment(const struct wf_rundir *rundir, int *segments);

/* A rank of this host and namespace that has registered; *registered: how many have, or NULL. */
pid_t wf_alive_rank(const struct wf_rundir *rundir, int *registered);
void wf_alive_register(const struct wf_rundir *rundir);

/* One that has the run directory in its environment: a launcher, or any. */
pid_t wf_alive_relative(const struct wf_rundir *rundir, bool launchers_only);

/* Some rank of another host has not told its end. Only its host knows more. */
bool wf_alive_elsewhere(const struct wf_rundir *rundir);

/* Waits until it has ended, or a while. */
void wf_alive_wait(pid_t pid);
void wf_alive_pause(long ms);

#endif
