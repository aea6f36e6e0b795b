/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The guardian of a run: a process of its own session, out of reach of what happens to the run (Ctrl-C, kill, a launcher that clears up),
 * that waits until the run is over, makes the profile and says so.
 *
 * Outer order: one guardian; the run is over when `weft run` closes its pipe, on purpose or because it was killed.
 * Inner order: one guardian a host, started by the host's first rank; it holds the rank's stderr open, so that launchers wait for it.
 * Its host is done when all its registered ranks have ended; the last guardian to be done makes the profile. Locks on files in the
 * run directory tell who is the first and who the last.
 */
#ifndef WF_LAUNCH_GUARDIAN_H
#define WF_LAUNCH_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/launch_rundir.h"

struct wf_guardian {
    struct wf_rundir rundir;
    char folder[PATH_MAX]; /* where the profile goes */
    const char *output;    /* the profile, or NULL: what the run directory tells */
    bool quiet;            /* no summary */
    bool keep;             /* keep the run directory */
    int local_size;        /* inner: how many ranks to expect on this host; 0: not known */
    char **argv;           /* the command */
};

/* Outer: returns the guardian's process and, in *pipe, the end to close when the run is over. -1: it could not be started. */
pid_t wf_guardian_start_outer(const struct wf_guardian *guardian, int *pipe);

/* Inner: registers this process, and starts the host's guardian if there is none yet. */
void wf_guardian_start_inner(const struct wf_guardian *guardian);

/* Makes the profile from the run directory, says what there is to say, and removes the directory if all went well. Returns 0, or -1 if
 * there is no profile. */
int wf_guardian_collect(const struct wf_guardian *guardian);

#endif
