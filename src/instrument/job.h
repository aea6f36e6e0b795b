/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A compiler's command line that runs with instrumented copies: what driver.c and its parts share. The driver owns it;
 * each worker process has a copy. One thread in each.
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
    bool doubtful; /* messages have to come from the original */
    char *why_not; /* the warning; NULL: nothing to instrument */
    size_t root;   /* index of the source's directory in the mirror */
    pid_t worker;  /* the process that parses, writes the copies and verifies them */
};

struct wf_job {
    const struct wf_driver *settings;
    struct wf_command_line line;
    struct wf_mirror mirror;
    char *probe_header;
    size_t *include_roots; /* for each include directory, its index in the mirror */
    struct wf_step *steps;
    size_t step_count;
    bool headers;           /* headers may be instrumented, too */
    bool thorough;          /* every new text is parsed again */
    struct wf_words blamed; /* places where the compiler did not accept probes */
};

/* ---- job.c: the compiler as a child; a signal ends it and removes the temporary directory ---- */

void wf_job_catch_signals(void);
void wf_job_die_if_caught(struct wf_job *job);
bool wf_job_was_caught(void);
int wf_job_start(struct wf_child *child, const struct wf_words *words, int flags); /* 0, or an errno */
int wf_job_finish(struct wf_child *child, struct wf_buffer *messages);             /* its exit status */

/* ---- worker.c: a process that parses one source, writes the copies and verifies them ---- */

enum wf_worker_answer { WF_WORKER_RIGHT, WF_WORKER_CHANGED, WF_WORKER_WRONG };

/* Starts the worker and waits for the copies; then the step is instrumented. Otherwise the worker has ended, and
 * why_not may have the reason. */
void wf_worker_run(struct wf_job *job, struct wf_step *step);

/* Waits for the verification. The copies are right as they were, right after a change, or wrong. */
enum wf_worker_answer wf_worker_end(struct wf_step *step);

void wf_step_set_why_not(struct wf_step *step, const char *reason);

/* ---- substitute.c: copies in place of originals, and back ---- */

/* The compiler's command line with the copies. */
void wf_substitute_words(const struct wf_job *job, struct wf_words *words);

/* Writes the originals' names into the files of dependencies. */
void wf_substitute_dependencies(const struct wf_job *job);

/* The path without its last name; free() it. */
char *wf_path_directory(const char *path);

/* ---- messages.c: the compiler's messages, with the originals' names ---- */

/* Whether the compiler has to be asked for colour, because it would see a pipe. */
bool wf_messages_want_colour(const struct wf_command_line *line);

void wf_messages_show(const struct wf_job *job, const struct wf_buffer *messages);

/* Notes the places that the compiler complained of. */
void wf_messages_blame(struct wf_job *job, const struct wf_buffer *messages);

#endif
