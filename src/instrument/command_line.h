/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A compiler's command line, read as its driver reads it: what is compiled, into what, and which of its words libclang
 * and a question to the compiler need, too. Response files (@file) are opened. Texts belong to the struct; one thread.
 */
#ifndef WF_COMMAND_LINE_H
#define WF_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "instrument/buffer.h"

enum wf_language {
    WF_LANGUAGE_NONE,   /* not compiled: objects, libraries, assembler, preprocessed text */
    WF_LANGUAGE_C,      /* C or C++: the compiler decides which */
    WF_LANGUAGE_HEADER, /* a C or C++ header to be precompiled */
    WF_LANGUAGE_OTHER,  /* Fortran, Ada, D, ...: gcc's own instrumentation */
};

struct wf_input {
    size_t word; /* index in words */
    const char *path;
    const char *forced; /* the language of -x, or NULL */
    enum wf_language language;
};

/* A directory of -I or -iquote. */
struct wf_include {
    size_t word;        /* index of its option in words */
    const char *option; /* "-I" or "-iquote" */
    const char *path;
};

struct wf_command_line {
    struct wf_words words;
    size_t compiler_words; /* 1, or more: "ccache gcc" */
    struct wf_input *inputs;
    size_t input_count;
    struct wf_include *includes;
    size_t include_count;
    bool no_object;     /* -E, -M, -fsyntax-only, --version, ...: no object file is made */
    bool compiles_only; /* -c or -S */
    bool untouchable;   /* compiled in a way that probes would disturb */
    bool debug_given;   /* any -g option */
    bool dependencies;  /* -MD or -MMD */
    bool openmp;
    bool has_standard;
    bool inner_include;           /* while reading: the next -Xclang is a file to include */
    const char *output;           /* of -o, or NULL */
    const char *dependency_file;  /* of -MF, or NULL */
    struct wf_words parser_words; /* for libclang, without include directories */
    struct wf_words asked_words;  /* for a question to the compiler */
    struct wf_words defined;      /* names of -D and -U */
};

/* argv: the compiler and its arguments, ended by NULL. */
void wf_command_line_read(struct wf_command_line *line, char *const *argv);
void wf_command_line_fini(struct wf_command_line *line);

/* How many inputs are of this language. */
size_t wf_command_line_count(const struct wf_command_line *line, enum wf_language language);

#endif
