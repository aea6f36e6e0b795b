/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The options of weft run for the order of receives and completions: checked before the program starts, and what is
 * left to do when it has ended.
 */
#ifndef WF_LAUNCH_ORDER_H
#define WF_LAUNCH_ORDER_H

#include "cli/launch.h"
#include "cli/launch_rundir.h"

struct wf_launch_order {
    const char *record, *replay; /* the files; NULL: not asked for */
    long long patience_s;        /* how long a replay waits without progress; -1: the default */
    bool no_profile;
    char recording[4096]; /* the file to write, from the root; empty: none */
    char setting[4160];   /* for the processes: what WEFT_ORDER says; empty: nothing */
};

/* Checks the options, and for a replay the recording against the command. Returns -1 with the error set: nothing is to
 * be started. */
int wf_launch_order_check(struct wf_launch_order *order, const struct wf_launch_place *place, char **argv,
                          struct wf_error *error);

/* Leaves in the run directory what is to be done when the run has ended. */
void wf_launch_order_note(const struct wf_launch_order *order, const struct wf_rundir *rundir);

/* The run has ended: writes the recording, or says how the replay went. Quiet: only what went wrong. */
void wf_launch_order_finish(const struct wf_rundir *rundir, bool force, bool quiet);

/* No profile is wanted. */
bool wf_launch_order_is_alone(const struct wf_rundir *rundir);

#endif
