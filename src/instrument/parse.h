/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From libclang's tree to a wf_source_unit. Parsing a rewritten text gives the unit of the original again if the text
 * is right: insertions are left out, and places are those of the original. One thread.
 */
#ifndef WF_PARSE_H
#define WF_PARSE_H

#include "base/error.h"
#include "instrument/command_line.h"
#include "instrument/compiler.h"
#include "instrument/source_unit.h"

/* A stretch of inserted text in a rewritten source. */
struct wf_rewritten_span {
    size_t begin, length; /* in the new text */
    size_t at;            /* in the original */
    size_t before;        /* bytes inserted before it */
};

/* A source with its insertions. */
struct wf_rewritten {
    const char *name; /* of the source */
    struct wf_buffer text;
    struct wf_rewritten_span *spans;
    size_t span_count;
};

struct wf_parse {
    bool without_templates; /* bodies of templates are not parsed, which saves a fifth of the time in C++ */
    const char *path;
    const struct wf_words *words; /* options of libclang */
    const struct wf_compiler *compiler;
    const struct wf_command_line *line;
    const struct wf_rewritten *rewritten; /* NULL: files are read as they are */
    size_t rewritten_count;
    bool preprocessed; /* of the rewritten unit: see wf_source_unit */
};

/* An error of libclang, and its place if that is in the user's text. */
struct wf_complaint {
    char *message;
    int source; /* index, or WF_NONE */
    size_t at;  /* in the original */
};

/* Fills *unit. 1: libclang finds errors: *complaint is the first, and the unit has what libclang understood. -1:
 * libclang failed. */
int wf_parse_unit(const struct wf_parse *parse, struct wf_source_unit *unit, struct wf_complaint *complaint,
                  struct wf_error *error);

/* Frees the unit and libclang's tree. */
void wf_parse_forget(struct wf_source_unit *unit);

/* The source of that name, or WF_NONE. */
int wf_parse_find_source(const struct wf_source_unit *unit, const char *name);

#endif
