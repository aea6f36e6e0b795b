/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a compiler says of itself when it is asked with the flags of a command line: where it looks for headers, what language a file
 * is in for it, what it defines. From it come the words that make libclang read the same text.
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
    struct wf_words defines;   /* NAME=VALUE that a wrapper adds */
    struct wf_words files;     /* the programs that gave the answer, and the directories that they missed */
};

/* Starts the question for one input; `folder` is a directory for a file of its own. */
int wf_compiler_ask(struct wf_child *child, const struct wf_command_line *line, const struct wf_input *input, const char *folder,
                    struct wf_error *error);

/* Waits for the answer. -1 if it is none: then it is no compiler of this kind. */
int wf_compiler_hear(struct wf_compiler *compiler, struct wf_child *child, const struct wf_command_line *line, struct wf_error *error);

void wf_compiler_fini(struct wf_compiler *compiler);

/* The words with which libclang parses. */
void wf_compiler_parser_words(const struct wf_compiler *compiler, const struct wf_command_line *line, struct wf_words *words);

/* Whether headers in this directory are the compiler's or the system's, and not the user's. */
bool wf_compiler_is_system(const struct wf_compiler *compiler, const struct wf_command_line *line, const char *path);

#endif
