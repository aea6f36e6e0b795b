/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One sentence about what went wrong and what to do, handed up to the command that prints it. The caller owns it.
 */
#ifndef WF_ERROR_H
#define WF_ERROR_H

struct wf_error {
    char text[1024];
};

/* Sets the sentence (no newline at its end) and returns -1, so that a function can `return wf_error_set(...)`. */
int wf_error_set(struct wf_error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
