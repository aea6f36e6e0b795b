/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The run's directory, as a process of the application uses it: a real directory of the user's own into which nobody else can write. No descriptor of it is
 * kept, because an application may close or reuse any: each use opens it, looks whether it is still that, and goes on from the descriptor.
 */
#ifndef WF_DIRECTORY_H
#define WF_DIRECTORY_H

#include "guest/shared.h"

/* A descriptor of the directory; -1 and errno: EPERM if it is not ours alone. */
int wf_directory_open(void) WF_SHARED(directory_open);

/* A file in it, never through a link, closed on exec; a new one for the user alone. -1 and errno. */
int wf_directory_file(const char *name, int flags) WF_SHARED(directory_file);

void wf_directory_remove(const char *name) WF_SHARED(directory_remove);

#endif
