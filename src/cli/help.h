/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is printed from the tables of commands and options: help, man pages and the completion.
 */
#ifndef WF_HELP_H
#define WF_HELP_H

#include <stdio.h>

#include "cli/command.h"

/* Prints the text of --help. */
void wf_help_print(FILE *out, const struct wf_command *command);

/* Prints a man page in roff: weft.1, weft-run.1, ... */
void wf_man_print(FILE *out, const struct wf_command *command);

/* Prints the completion script for bash. */
void wf_completion_print(FILE *out);

/* Iterate over texts of the tables. Both return the position after the item, or NULL at the end. */
struct wf_help_line {
    int left, right; /* bytes; right: -1 if the line has no "#" */
    const char *right_text;
};
const char *wf_help_next_line(const char *lines, struct wf_help_line *line); /* "left   # right" */
const char *wf_help_next_paragraph(const char *text, int *bytes); /* paragraphs are separated by empty lines */

/* Returns the lines of EXIT STATUS. */
const char *wf_help_exit_status(const struct wf_command *command);

#endif
