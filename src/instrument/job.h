/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One command line of a compiler that is being run with instrumented copies: what driver.c and its parts share. The driver owns it.
 */
#ifndef WF_JOB_H
#define WF_JOB_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "instrument/child.h"
#include "instrument/command_line.h"
#include "instrument/compiler.h"
#include "instrument/driver.h"
#include "instrument/mirror.h"

/* One source of the command line. */
struct wf_step {
    const struct wf_input *input;
    struct wf_compiler compiler;
    bool instrumented;
    bool doubtful;   /* messages are to come from the original */
    char *why_not;   /* what to warn of; NULL: there is nothing in it to instrument */
    size_t root;     /* of the source's directory, in the mirror */
    pid_t worker;    /* parses, writes the copies, then verifies them */
};

struct wf_job {
    const struct wf_driver *settings;
    struct wf_command_line line;
    struct wf_mirror mirror;
    char *probe_header;
    size_t *include_roots; /* one an include directory, in the mirror */
    struct wf_step *steps;
    size_t step_count;
    bool headers;  /* may be instrumented too */
    bool thorough; /* every text is parsed again, whatever it costs */
    struct wf_words blamed; /* places where the compiler did not accept probes */
};

/* ---- running.c: the compiler as a child; signals end it, and the temporary directory goes ---- */

void wf_job_catch_signals(void);
void wf_job_die_if_caught(struct wf_job *job);
bool wf_job_was_caught(void);
int wf_job_start(struct wf_child *child, const struct wf_words *words, int flags); /* 0, or an errno */
int wf_job_finish(struct wf_child *child, struct wf_buffer *messages);             /* its exit status */

/* ---- worker.c: parses one source, writes the copies and verifies them, in a process of its own ---- */

enum wf_worker_answer { WF_WORKER_RIGHT, WF_WORKER_CHANGED, WF_WORKER_WRONG };

/* Starts it and waits until the copies are there: then the step is instrumented. Otherwise why_not may say why, and it has ended. */
void wf_worker_run(struct wf_job *job, struct wf_step *step);

/* Waits for the verification: the copies are right, are right now that they were changed, or are wrong. */
enum wf_worker_answer wf_worker_end(struct wf_step *step);

void wf_step_set_why_not(struct wf_step *step, const char *reason);

/* ---- substitute.c: copies in the place of originals, and back ---- */

/* The compiler's words with the copies. */
void wf_substitute_words(const struct wf_job *job, struct wf_words *words);

/* Names the originals in files of dependencies. */
void wf_substitute_dependencies(const struct wf_job *job);

/* The part of a path in front of its last name; free() it. */
char *wf_path_directory(const char *path);

/* ---- messages.c: what the compiler says of the copies, said of the originals ---- */

/* Whether caught messages have to be asked for colour. */
bool wf_messages_want_colour(const struct wf_command_line *line);

void wf_messages_show(const struct wf_job *job, const struct wf_buffer *messages);

/* Remembers the places that the compiler complained of. */
void wf_messages_blame(struct wf_job *job, const struct wf_buffer *messages);

#endif
