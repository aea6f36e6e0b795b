/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One command of weft, run in this process, and what it printed. What is wrong with that is told in a sentence: the judgement of all kinds of damage.
 */
#ifndef TRIAL_H
#define TRIAL_H

#include <stdbool.h>

enum trial_output {
    TRIAL_TEXT, /* for a terminal */
    TRIAL_ROWS, /* the same, with figures as they are in the profile */
    TRIAL_JSON,
};

/* Runs the words. Returns the exit status; anything that is not as it has to be ends the process with a complaint. `sentences`: so many lines it may
 * print on standard error where it fails; below 0: any number, as of a summary. */
int trial_run(enum trial_output output, int sentences, char *const *words);

void trial_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));

/* Texts printed for people are printable: UTF-8, and nothing that steers a terminal. */
bool trial_is_printable(const char *text);

#endif
