/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A quick look at a source and the headers that it includes with quotes, before anything is parsed. It may be wrong: conditions are not evaluated.
 */
#ifndef WF_PRESCAN_H
#define WF_PRESCAN_H

#include <stdbool.h>

#include "instrument/command_line.h"

/* Whether this word seems to be in the text of the source or of the user's headers. */
bool wf_prescan_finds(const struct wf_command_line *line, const char *path, const char *word);

#endif
