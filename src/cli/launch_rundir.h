/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run directory is a hidden folder beside the future profile, where the processes of one run keep their segments
 * until the profile is made. It also holds what a later `weft collect` needs if no guardian is left:
 *
 *     command                      the user's command, one line
 *     folder                       where the profile goes
 *     output                       the profile's name, if the user gave one
 *     recording                    the recorded order to write
 *     no-profile                   there: no profile is to be made
 *     pid-HOST-PID-START-SPACE     a rank started in the inner order: see base/birth.h
 *     guardian-HOST-SPACE, merge   locks, see launch_guardian.h
 *     path-WORLD-HOST              the registry of the critical path (format/registry.h)
 *     box-WORLD-RANK-HOST          what ranks tell each other (measure/exchange/box.h)
 *     remote-WORLD                 whether they tell other hosts
 *     p-HOST-PID.seg               segments
 *     course-RANK-HOST-PID-N       the order of one process, recorded (format/course.h)
 *     replay-HOST                  how far the processes of a host are in a replay
 *     gone-p-HOST-PID              when such a process died (launch_deaths.h)
 *     stuck-p-HOST-PID             what it waited for in a deadlock (stuck_find.h)
 *
 * It is private to the user (0700), and no other user can replace it (launch_private.h). weft opens it once, follows no
 * link in it, and removes only these names from it.
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
    bool own; /* it belongs to the user */
};

/* Stores the folder for the profile: the folder of `output`, or the current directory. A wrong name is an error. */
int wf_rundir_folder(const char *output, char *folder, size_t bytes, struct wf_error *error);

struct wf_launch_place;

/* Makes the run directory of a run whose profile goes to `folder`. In the inner order, makes or opens the directory
 * of the job. */
int wf_rundir_make(struct wf_rundir *rundir, const char *folder, const struct wf_launch_place *place,
                   struct wf_error *error);

/* Opens an existing run directory. A link is refused. The content of another user's directory is not trusted. */
int wf_rundir_open(struct wf_rundir *rundir, const char *path, struct wf_error *error);
void wf_rundir_close(struct wf_rundir *rundir);

/* Stores a name by which other parts of weft can open the directory, even if its path has changed. */
#define WF_RUNDIR_NAME_BYTES 40
const char *wf_rundir_by_descriptor(const struct wf_rundir *rundir, char name[static WF_RUNDIR_NAME_BYTES]);

/* Calls `visit` with each of the user's open run directories that belong to the current directory. `visit` closes
 * it, or keeps it and returns non-zero. */
int wf_rundir_each_here(int (*visit)(struct wf_rundir *rundir, void *context), void *context);

/* Opens a file of the directory, without following a link or blocking at a pipe. Returns -1 if there is no such
 * regular file. */
int wf_rundir_file(const struct wf_rundir *rundir, const char *name, int flags);
void wf_rundir_note(const struct wf_rundir *rundir, const char *name, const char *text);
/* Reads a note; the text is empty if there is none. */
void wf_rundir_read(const struct wf_rundir *rundir, const char *name, char *text, size_t bytes);
/* Removes the files that weft has made, and the directory if it is then empty. Directories without weft's prefix are
 * left alone, because a user may collect from any directory. */
void wf_rundir_remove(const struct wf_rundir *rundir);

/* Stores the profile's path: the user's choice, or the program's name in `folder`. Returns -1 and leaves `output` as
 * it is if no segment names a program. */
int wf_rundir_output(const struct wf_rundir *rundir, const char *folder, char *output, size_t bytes);

/* Calls `visit` for every entry whose name begins with `prefix` and ends with `suffix`. Stops when it returns
 * non-zero, and returns that value. */
int wf_rundir_each(const struct wf_rundir *rundir, const char *prefix, const char *suffix,
                   int (*visit)(const char *name, void *context), void *context);

#endif
