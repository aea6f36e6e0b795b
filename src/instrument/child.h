/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that weft starts and waits for; its output and errors can be caught. One thread.
 */
#ifndef WF_CHILD_H
#define WF_CHILD_H

#include <stdbool.h>
#include <sys/types.h>

#include "instrument/buffer.h"

enum { WF_CHILD_CATCH_OUTPUT = 1, WF_CHILD_CATCH_ERRORS = 2, WF_CHILD_IN_ENGLISH = 4 };

struct wf_child {
    pid_t pid;
    int output, errors; /* reading ends, or -1 */
};

/* Starts words[0], looked up in PATH. 0, or an errno. */
int wf_child_start(struct wf_child *child, const struct wf_words *words, int flags);

/* Reads the caught streams to their end, waits, and returns the exit status as a shell would give it. Either buffer may
 * be NULL. */
int wf_child_wait(struct wf_child *child, struct wf_buffer *output, struct wf_buffer *errors);

/* The exit status that a shell gives for a status of waitpid. */
int wf_child_status(int status);

#endif
