/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a compiler answers when it is asked with the flags of a command line: where it looks for headers, which language
 * a file is in, which macros it defines. From this come the options with which libclang reads the same text. It belongs
 * to a step of the driver; one thread.
 */
#ifndef WF_COMPILER_H
#define WF_COMPILER_H

#include <stdbool.h>

#include "base/error.h"
#include "instrument/child.h"
#include "instrument/command_line.h"

struct wf_compiler {
    bool clang, cplusplus;
    int major;                 /* its version */
    char *target;              /* "x86_64-linux-gnu" */
    char *standard;            /* __cplusplus or __STDC_VERSION__ */
    char *openmp;              /* _OPENMP, or NULL */
    struct wf_words quoted;    /* directories for #include "x", in order */
    struct wf_words bracketed; /* directories for #include <x>, in order */
    struct wf_words defines;   /* NAME=VALUE that a wrapper defines */
    struct wf_words files;     /* the programs that gave the answer, and the directories that they did not find */
};

/* Starts the question for one input; it puts an empty file into `folder`. */
int wf_compiler_ask(struct wf_child *child, const struct wf_command_line *line, const struct wf_input *input,
                    const char *folder, struct wf_error *error);

/* Waits for the answer. -1 if there is none: the program is no compiler like gcc or clang. */
int wf_compiler_hear(struct wf_compiler *compiler, struct wf_child *child, const struct wf_command_line *line,
                     struct wf_error *error);

void wf_compiler_fini(struct wf_compiler *compiler);

/* The options with which libclang parses. */
void wf_compiler_parser_words(const struct wf_compiler *compiler, const struct wf_command_line *line,
                              struct wf_words *words);

/* Whether the header is the compiler's or the system's, and not the user's. */
bool wf_compiler_is_system(const struct wf_compiler *compiler, const struct wf_command_line *line, const char *path);

#endif
