/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run directory: a hidden folder beside the profile to be, where the processes of one run keep their segments until the profile is
 * made. It also holds what a later `weft collect` needs to know, should nobody be left to do it:
 *
 *     command                the user's command, one line
 *     output                 the profile's name, if the user gave one
 *     pid-HOST-PID           a rank started in the inner order
 *     guardian-HOST, merge   locks, see launch_guardian.h
 *     path-WORLD-HOST        the registry of the critical path (format/registry.h)
 *     RANK-HOST-PID.seg      segments
 */
#ifndef WF_LAUNCH_RUNDIR_H
#define WF_LAUNCH_RUNDIR_H

#include <limits.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/error.h"

#define WF_RUNDIR_PREFIX ".weft-"

struct wf_rundir {
    char path[PATH_MAX]; /* absolute */
};

/* The folder that the profile will be written to: that of `output`, or the current one. Wrong names are an error. */
int wf_rundir_folder(const char *output, char *folder, size_t bytes, struct wf_error *error);

/* Makes a new directory (job NULL), or makes or joins that of a job. errno tells why not (-1). */
int wf_rundir_open(struct wf_rundir *rundir, const char *folder, const char *job);
void wf_rundir_note(const struct wf_rundir *rundir, const char *name, const char *text);
/* Reads a note; empty if there is none. */
void wf_rundir_read(const struct wf_rundir *rundir, const char *name, char *text, size_t bytes);
void wf_rundir_remove(const struct wf_rundir *rundir);

/* The profile's path: what the user asked for, else the program's name in `folder`. -1: no segment tells one, `output` is as it was. */
int wf_rundir_output(const struct wf_rundir *rundir, const char *folder, char *output, size_t bytes);

/* Calls visit for every entry whose name begins with `prefix` and ends with `suffix`; stops where it returns non-zero, and returns that. */
int wf_rundir_each(const struct wf_rundir *rundir, const char *prefix, const char *suffix, int (*visit)(const char *name, void *context),
                   void *context);

/* Of the entries "...-HOST-PID" and "...-HOST-PID.seg": the process, if it is of this host; else 0. */
pid_t wf_rundir_local_pid(const char *name);

/* The first of those with this prefix and suffix that is alive; 0: none. */
pid_t wf_rundir_alive(const struct wf_rundir *rundir, const char *prefix, const char *suffix);

#endif
