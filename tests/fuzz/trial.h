/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One command of weft, run in this process, and its output. An error in the output is reported in a sentence; all kinds
 * of damage are judged here.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include <stdbool.h>

enum trial_output {
    TRIAL_TEXT, /* for a terminal */
    TRIAL_ROWS, /* the same, with the figures of the profile */
    TRIAL_JSON,
};

/* Runs the words. Returns the exit status; a wrong output ends the process with a complaint. `sentences`: it may print
 * so many lines on standard error if it fails; below 0: any number, as for a summary. */
int trial_run(enum trial_output output, int sentences, char *const *words);

void trial_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Texts printed for people are printable: UTF-8, without control sequences of a terminal. */
bool trial_is_printable(const char *text);

#endif
