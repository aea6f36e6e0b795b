/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What compilers said of themselves, kept in the user's cache directory: to ask again for every file of a build costs more than many files do. An
 * answer is good for the same words, directory and environment, as long as the programs that gave it are the same files, and for an hour. Where
 * nothing can be kept, compilers are asked each time.
 */
#ifndef WF_RECALL_H
#define WF_RECALL_H

#include "instrument/compiler.h"

bool wf_recall(struct wf_compiler *compiler, const struct wf_command_line *line, const struct wf_input *input);
void wf_recall_keep(const struct wf_compiler *compiler, const struct wf_command_line *line, const struct wf_input *input);

#endif
