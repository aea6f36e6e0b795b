/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One process of a run as it is seen from outside: its segment's header, its box, and what the system says of it.
 * Nothing in its files is trusted: they may be cut short, or hold anything. Owned by a watch (cli/stuck_watch.h).
 */
#ifndef WF_STUCK_PROCESS_H
#define WF_STUCK_PROCESS_H

#include "cli/stuck_watch.h"

/* NULL: there is no memory. */
struct wf_stuck_process *wf_stuck_process_new(const char *segment);
void wf_stuck_process_free(struct wf_stuck_process *process);

/* How far it has come, and what its threads are blocked in. */
void wf_stuck_process_read(struct wf_stuck_process *process, const struct wf_rundir *rundir);

/* Which collectives it has entered. */
void wf_stuck_process_read_comms(struct wf_stuck_process *process);

/* Asks the system about a process that might be stuck. False: it is not, or that cannot be told. *chance: since the
 * last time it had a core, or needed none. */
bool wf_stuck_process_examine(struct wf_stuck_process *process, bool *chance);

#endif
