/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which run a user means: for the commands that look at a run that goes on.
 */
#ifndef WF_LAUNCH_FIND_H
#define WF_LAUNCH_FIND_H

#include "base/error.h"
#include "cli/launch_rundir.h"

/* The run's name for messages, relative to the current directory if it is below it. */
const char *wf_run_name(const struct wf_rundir *run);

/* Opens the run directory with this path, or with this name after the prefix; NULL: the newest run of this directory
 * that has live processes. `instead` says what to do with a run that has ended: "weft report shows it". The caller
 * closes it. Returns 0, or -1. */
int wf_run_find(struct wf_rundir *run, const char *word, const char *instead, struct wf_error *error);

#endif
