/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which users can change a folder. Processes of a run find their directory by its name, so no other user may be able
 * to put a directory of that name in its place: not in the folder, and not in a folder above it.
 */
#ifndef WF_LAUNCH_PRIVATE_H
#define WF_LAUNCH_PRIVATE_H

#include <stddef.h>

#include "base/error.h"

enum wf_access {
    WF_ACCESS_OTHERS, /* other users can remove and rename the folder, its entries, or a folder above it */
    WF_ACCESS_SHARED, /* other users can add names, but not change the user's names (a sticky directory such as /tmp) */
    WF_ACCESS_PRIVATE, /* only the user and root can change names */
};

/* Classifies a folder. The path must be absolute and without links. */
enum wf_access wf_private_look(const char *folder);

/* Stores the user's own folder for runs (weft in $XDG_CACHE_HOME or ~/.cache), and makes it if it does not exist. */
int wf_private_folder(char *folder, size_t bytes, struct wf_error *error);

/* Stores only the name of that folder. */
int wf_private_name(char *folder, size_t bytes);

#endif
