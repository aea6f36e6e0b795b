/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The guardian of a run is a process in its own session, where Ctrl-C, kill and a launcher that clears up do not reach
 * it. It waits until the run is over, makes the profile, and prints the summary.
 *
 * In the outer order there is one guardian. It learns from `weft run` that the command has ended, or that `weft run`
 * was killed, and then waits for the remaining processes of the run, however long that takes. If it is killed itself,
 * `weft run` starts another one.
 *
 * In the inner order there is one guardian for each host and PID namespace, started by the first rank there. It keeps
 * the rank's stderr open, so that launchers wait for it. It ends when all ranks that have registered there have ended.
 * The last guardian to end makes the profile. Locks on files in the run directory decide which guardian is first and
 * which is last.
 */
#ifndef WF_LAUNCH_GUARDIAN_H
#define WF_LAUNCH_GUARDIAN_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/launch_rundir.h"

struct wf_guardian {
    struct wf_rundir rundir;
    char folder[PATH_MAX];   /* where the profile goes */
    const char *output;      /* the profile, or NULL for the name in the run directory */
    bool quiet;              /* no summary */
    bool keep;               /* keep the run directory */
    bool force;              /* replace an older profile */
    long long stuck_seconds; /* a run that has been deadlocked for so long is ended; -1: never */
    int local_size;          /* inner order: expected ranks on this host; 0: not known */
    char **argv;             /* the command, or NULL */
};

/* Outer order. Starts the guardian, which listens to a socket. Returns 0, or -1 with errno set. */
struct wf_keeper {
    pid_t pid;
    int socket;
};

int wf_guardian_start_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper);
void wf_guardian_tell_child(const struct wf_keeper *keeper, pid_t child);
/* To be called when the command has ended. True: the guardian has ended it, because it was deadlocked. Waits until the
 * profile is made, or until processes of the run have outlived the command for a while; the guardian then goes on
 * alone. If the guardian was killed, another one is started. */
bool wf_guardian_finish_outer(const struct wf_guardian *guardian, struct wf_keeper *keeper);
/* Ends the guardian, because the command could not be started. */
void wf_guardian_dismiss(struct wf_keeper *keeper);

/* Inner order. Registers this process, and starts the guardian of this host if there is none yet. */
int wf_guardian_start_inner(const struct wf_guardian *guardian);

/* Makes the profile from the run directory, prints the summary or the reason of a failure, and removes the directory
 * if all went well. Returns 0, or -1 if there is no profile. */
int wf_guardian_collect(const struct wf_guardian *guardian);

#endif
