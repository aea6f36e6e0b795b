/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compilers' answers, kept in the user's cache directory, because asking takes longer than compiling many a file. An
 * answer is valid for an hour, for the same words, directory and environment, while the programs that gave it are the
 * same files. Where nothing can be kept, the compiler is asked each time. Other processes may use the directory.
 */
#ifndef WF_RECALL_H
#define WF_RECALL_H

#include "instrument/compiler.h"

/* Fills *compiler from a kept answer; false if there is none. */
bool wf_recall(struct wf_compiler *compiler, const struct wf_command_line *line, const struct wf_input *input);
/* Keeps the answer, if that is possible. */
void wf_recall_keep(const struct wf_compiler *compiler, const struct wf_command_line *line,
                    const struct wf_input *input);

#endif
