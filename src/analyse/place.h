/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Places in the program's text as users name them: FILE:LINE, FILE, or MODULE+0xOFFSET where there is no debug
 * information. Pure functions.
 */
#ifndef WF_ANALYSE_PLACE_H
#define WF_ANALYSE_PLACE_H

#include "analyse/statement.h"

/* The statement's place as text, with the path as the compiler was given it; to be freed. */
char *wf_place_text(const struct wf_statement *statement);

/* Indices of the statements that a user's word means, ended by -1; to be freed. FILE may be the end of a path. If there
 * are none: NULL, with a sentence that names the nearest places. */
int *wf_place_find(const struct wf_statement_list *list, const char *word, struct wf_error *error);

#endif
