/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a watch has seen (cli/stuck_watch.h), as an answer: with statements looked up in the source, and in words. And
 * notes of it in the run directory, from which the profile gets it (format/segment.h: WF_SEGMENT_STUCK).
 */
#ifndef WF_STUCK_FIND_H
#define WF_STUCK_FIND_H

#include "analyse/stuck.h"
#include "cli/stuck_watch.h"

/* The ranks of one world that are stuck; with `all`, also the others. Returns 0, or -1 without memory. */
int wf_stuck_find(const struct wf_stuck_world *world, const struct wf_rundir *rundir, bool all, struct wf_stuck *stuck);

/* Keeps what is known of a stuck rank for the profile; or forgets it, because the rank went on. */
void wf_stuck_note(const struct wf_rundir *rundir, const struct wf_stuck_process *process,
                   const struct wf_stuck_rank *rank);
void wf_stuck_forget(const struct wf_rundir *rundir, const struct wf_stuck_process *process);

#endif
