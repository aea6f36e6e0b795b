/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A quick search in a source and the user's headers before anything is parsed. It may be wrong: conditions are not
 * evaluated. No state.
 */
#ifndef WF_PRESCAN_H
#define WF_PRESCAN_H

#include <stdbool.h>

#include "instrument/command_line.h"

/* Whether the word is in the text of the source or of the user's headers. */
bool wf_prescan_finds(const struct wf_command_line *line, const char *path, const char *word);

#endif
