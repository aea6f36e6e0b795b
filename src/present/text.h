/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The width of text on a terminal, and how text is made to fit. The locale decides what a character is.
 */
#ifndef WF_TEXT_H
#define WF_TEXT_H

#include <stddef.h>

/* Width of a clean text in columns. */
int wf_text_columns(const char *text);

/* Bytes of the longest prefix of a clean text that fits into `columns`. */
size_t wf_text_fit(const char *text, int columns);

/* Makes any bytes printable, in place. Undecodable bytes, control characters and invisible or direction-changing
 * characters become '?', a line break becomes a blank. Command lines, names and files may contain anything, so every
 * text for a terminal passes through here. Returns its argument. */
char *wf_text_clean(char *text);

/* Returns a copy of at most `columns` columns. The end of a text, or the front of a path, is replaced by the
 * ellipsis. The caller frees it. */
char *wf_text_cut(const char *text, int columns, const char *ellipsis);
char *wf_text_cut_path(const char *path, int columns, const char *ellipsis);

/* The same for a procedure's name: the scope before a "::" is cut first. */
char *wf_text_cut_name(const char *name, int columns, const char *ellipsis);

#endif
