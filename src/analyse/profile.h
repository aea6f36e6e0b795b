/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A profile opened for reading. It is never changed: SQLite opens it read-only and immutable. Who opens it owns it; one
 * thread at a time.
 */
#ifndef WF_ANALYSE_PROFILE_H
#define WF_ANALYSE_PROFILE_H

#include "base/error.h"

struct wf_profile;

/* Returns 0 and a profile to wf_profile_close, or -1 with a sentence about what is wrong with the file. */
int wf_profile_open(const char *path, struct wf_profile **profile, struct wf_error *error);
void wf_profile_close(struct wf_profile *profile);

const char *wf_profile_path(const struct wf_profile *profile);

/* The newest *.weft in a directory, to be freed; NULL if it holds none. */
char *wf_profile_newest(const char *directory);

/* Sets the sentence for a profile whose content cannot be right; returns -1. */
int wf_profile_damaged(const struct wf_profile *profile, struct wf_error *error, const char *what);

#endif
