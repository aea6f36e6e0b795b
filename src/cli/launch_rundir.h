/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run directory: a hidden folder beside the profile to be, where the processes of one run keep their segments until the profile is
 * made. It also holds what a later `weft collect` needs to know, should nobody be left to do it:
 *
 *     command                      the user's command, one line
 *     folder                       where the profile goes
 *     output                       the profile's name, if the user gave one
 *     pid-HOST-PID-START-SPACE     a rank started in the inner order: see base/birth.h
 *     guardian-HOST-SPACE, merge   locks, see launch_guardian.h
 *     path-WORLD-HOST              the registry of the critical path (format/registry.h)
 *     box-WORLD-RANK-HOST          what ranks tell each other (measure/box.h); remote-WORLD: whether they tell other hosts
 *     p-HOST-PID.seg               segments
 *
 * It is the user's alone (0700), and nobody else can put another one in its place (launch_private.h). weft opens it once, follows no link in it, and removes
 * nothing but these names from it.
 */
#ifndef WF_LAUNCH_RUNDIR_H
#define WF_LAUNCH_RUNDIR_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define WF_RUNDIR_PREFIX ".weft-"

struct wf_rundir {
    char path[PATH_MAX]; /* absolute */
    int fd;
    bool own; /* it is the user's */
};

/* The folder that the profile will be written to: that of `output`, or the current one. Wrong names are an error. */
int wf_rundir_folder(const char *output, char *folder, size_t bytes, struct wf_error *error);

struct wf_launch_place;

/* Makes a directory for a run whose profile goes to `folder`; of a run in the inner order, makes or joins that of the job. */
int wf_rundir_make(struct wf_rundir *rundir, const char *folder, const struct wf_launch_place *place, struct wf_error *error);

/* Opens one that is there. A link is refused; what it holds is not trusted if it is not the user's own. */
int wf_rundir_open(struct wf_rundir *rundir, const char *path, struct wf_error *error);
void wf_rundir_close(struct wf_rundir *rundir);

/* How other parts of weft open it: this name means the opened directory, whatever happens to its name. */
#define WF_RUNDIR_NAME_BYTES 40
const char *wf_rundir_by_descriptor(const struct wf_rundir *rundir, char name[static WF_RUNDIR_NAME_BYTES]);

/* The user's own run directories of the current folder, there or in the user's own folder for runs: visit gets each, open; it closes it, or keeps it and
 * returns non-zero. */
int wf_rundir_each_here(int (*visit)(struct wf_rundir *rundir, void *context), void *context);

/* Opens a file of the directory, without following a link or waiting at a pipe; -1: there is none, or it is not a regular file. */
int wf_rundir_file(const struct wf_rundir *rundir, const char *name, int flags);
void wf_rundir_note(const struct wf_rundir *rundir, const char *name, const char *text);
/* Reads a note; empty if there is none. */
void wf_rundir_read(const struct wf_rundir *rundir, const char *name, char *text, size_t bytes);
/* Removes what weft has made in it, and the directory if nothing else is in there. Not from directories with other names: a user may collect from any. */
void wf_rundir_remove(const struct wf_rundir *rundir);

/* The profile's path: what the user asked for, else the program's name in `folder`. -1: no segment tells one, `output` is as it was. */
int wf_rundir_output(const struct wf_rundir *rundir, const char *folder, char *output, size_t bytes);

/* Calls visit for every entry whose name begins with `prefix` and ends with `suffix`; stops where it returns non-zero, and returns that. */
int wf_rundir_each(const struct wf_rundir *rundir, const char *prefix, const char *suffix, int (*visit)(const char *name, void *context),
                   void *context);

#endif
