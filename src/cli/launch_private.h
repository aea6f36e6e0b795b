/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whom a folder lets in. Processes of a run find their directory by its name, so nobody else may be able to put something of theirs under that name: not
 * in the folder, and not in one of those above it.
 */
#ifndef WF_LAUNCH_PRIVATE_H
#define WF_LAUNCH_PRIVATE_H

#include <stddef.h>

#include "base/error.h"

enum wf_access {
    WF_ACCESS_OTHERS,  /* others can remove and rename what is there, or on the way */
    WF_ACCESS_SHARED,  /* others can add names, but not touch those of the user (a sticky directory, as /tmp is) */
    WF_ACCESS_PRIVATE, /* only the user and root can change names */
};

/* The path is absolute, without links in it. */
enum wf_access wf_private_look(const char *folder);

/* The user's own folder for runs: weft in $XDG_CACHE_HOME or ~/.cache. It is made if it is not there. */
int wf_private_folder(char *folder, size_t bytes, struct wf_error *error);

/* The same, if it is there; only its name. */
int wf_private_name(char *folder, size_t bytes);

#endif
