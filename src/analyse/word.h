/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A place in the program's text as users name it: FILE:LINE, or FILE. FILE may be the end of a path. A word owns its
 * text.
 */
#ifndef WF_ANALYSE_WORD_H
#define WF_ANALYSE_WORD_H

#include <stdbool.h>
#include <stdint.h>

struct wf_word {
    char *file;
    int64_t line; /* -1: none was given */
};

/* To be freed. */
struct wf_word wf_word_parse(const char *text);
void wf_word_free(struct wf_word *word);

/* Whether `path` is `end` or ends with it at the border of a component. */
bool wf_word_path_ends(const char *path, const char *end);

/* The last component of a path. */
const char *wf_word_base_name(const char *path);

#endif
