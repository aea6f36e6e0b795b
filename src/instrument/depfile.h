/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A file of dependencies for make that the compiler wrote (-MD, -MMD). It gets the names of the originals, loses weft's
 * own header, and keeps the compiler's layout. No state.
 */
#ifndef WF_DEPFILE_H
#define WF_DEPFILE_H

#include "instrument/mirror.h"

enum wf_depfile_style { WF_DEPFILE_GCC, WF_DEPFILE_CLANG };

/* Does nothing if there is no such file, or if it names no copy. */
void wf_depfile_fix(const char *path, const struct wf_mirror *mirror, const char *probe_header,
                    enum wf_depfile_style style);

#endif
