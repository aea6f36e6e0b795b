/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run's directory, as a process of the application uses it: a real directory of the user's own into which no other
 * user can write. No descriptor of it is kept, because an application may close or reuse any: each use opens it, looks
 * whether it is still that, and goes on from the descriptor. Any thread; errno as of the last system call.
 */
#ifndef WF_DIRECTORY_H
#define WF_DIRECTORY_H

#include "base/file.h"
#include "base/shared.h"

/* A descriptor of the directory; -1 and errno: EPERM if it is not ours alone. */
int wf_directory_open(void) WF_SHARED(directory_open);

/* A file in it, never through a link, closed on exec; a new one for the user alone. -1 and errno. */
int wf_directory_file(const char *name, int flags) WF_SHARED(directory_file);

void wf_directory_remove(const char *name) WF_SHARED(directory_remove);

/* The directory as a place for mapped files. */
extern const struct wf_file_place wf_directory_place WF_SHARED(directory_place);

#endif
