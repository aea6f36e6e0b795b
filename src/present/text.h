/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Text on a terminal: how wide it is, and how it is made to fit. The locale decides what a character is.
 */
#ifndef WF_TEXT_H
#define WF_TEXT_H

#include <stddef.h>

/* Columns that a clean text takes. */
int wf_text_columns(const char *text);

/* Bytes of the longest start of a clean text that fits into that many columns. */
size_t wf_text_fit(const char *text, int columns);

/* Makes any bytes printable, in place: what cannot be decoded, steers a terminal or cannot be seen (controls, directions of writing, zero width) becomes
 * '?', a line break a blank. Command lines, names and files come from anywhere. Whatever goes to a terminal goes through here. Returns its argument. */
char *wf_text_clean(char *text);

/* A copy of at most `columns` columns: the end, or for a path its front, gives way to the ellipsis. To be
 * freed. */
char *wf_text_cut(const char *text, int columns, const char *ellipsis);
char *wf_text_cut_path(const char *path, int columns, const char *ellipsis);

/* The same for a procedure's name: what stands before a "::" goes first. */
char *wf_text_cut_name(const char *name, int columns, const char *ellipsis);

#endif
