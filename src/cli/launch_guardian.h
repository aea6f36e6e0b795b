/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The guardian of a run: a process of its own session, out of reach of what happens to the run (Ctrl-C, kill, a launcher that clears up),
 * that waits until the run is over, makes the profile and says so.
 *
 * Outer order: one guardian. It hears from `weft run` that the command has ended, or that `weft run` was killed, and then waits for the processes of the run
 * that live on, however long. If it is killed itself, `weft run` starts another.
 * Inner order: one guardian a host and PID namespace, started by the first rank there; it holds the rank's stderr open, so that launchers wait for it.
 * It is done when all ranks that have registered there have ended; the last guardian to be done makes the profile. Locks on files in the
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
    bool force;            /* replace an older profile */
    int local_size;        /* inner: how many ranks to expect on this host; 0: not known */
    char **argv;           /* the command, or NULL */
};

/* Outer: starts the guardian, which is then to be told of what happens through a socket. -1: it could not be started; errno tells why. */
struct wf_keeper {
    pid_t pid;
    int socket;
};

int wf_guardian_start_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper);
void wf_guardian_tell_child(const struct wf_keeper *keeper, pid_t child);
/* The command has ended: waits until the profile is made, or until it is clear that processes of the run live on: the guardian then stays alone. Where it
 * was killed, another does its work. */
void wf_guardian_finish_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper);
/* There is no run: ends it. */
void wf_guardian_dismiss(struct wf_keeper *keeper);

/* Inner: registers this process, and starts the guardian if there is none yet. */
int wf_guardian_start_inner(const struct wf_guardian *guardian);

/* Makes the profile from the run directory, says what there is to say, and removes the directory if all went well. Returns 0, or -1 if
 * there is no profile. */
int wf_guardian_collect(const struct wf_guardian *guardian);

#endif
