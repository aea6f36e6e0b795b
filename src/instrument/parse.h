/* SPDX-License-Identifier: BSD-3-Clause
 *
 * libclang's tree -> wf_unit. Parsing the result of rewriting gives the unit of the original again, if all is well: what was inserted is
 * left out, and places are those of the original.
 */
#ifndef WF_PARSE_H
#define WF_PARSE_H

#include "base/error.h"
#include "instrument/command_line.h"
#include "instrument/compiler.h"
#include "instrument/unit.h"

/* A stretch of inserted text in a rewritten source. */
struct wf_span {
    size_t begin, length; /* in the new text */
    size_t at;            /* in the original */
    size_t before;        /* bytes inserted in front of it */
};

/* A source with its insertions done. */
struct wf_rewritten {
    const char *name; /* the source's */
    struct wf_buffer text;
    struct wf_span *spans;
    size_t span_count;
};

struct wf_parse {
    bool without_templates; /* bodies of templates are not looked at, which saves a fifth of the time in C++ */
    const char *path;
    const struct wf_words *words; /* for libclang */
    const struct wf_compiler *compiler;
    const struct wf_command_line *line;
    const struct wf_rewritten *rewritten; /* NULL: files are read as they are */
    size_t rewritten_count;
    bool preprocessed; /* what was rewritten: see wf_unit */
};

/* What the parser says is wrong, and where if that is in the user's text. */
struct wf_complaint {
    char *message;
    int source; /* index, or WF_NONE */
    size_t at;  /* in the original */
};

/* Fills *unit. 1: libclang read it but finds errors: *complaint is the first, and the unit holds what it understood. -1: it could not. */
int wf_parse_unit(const struct wf_parse *parse, struct wf_unit *unit, struct wf_complaint *complaint, struct wf_error *error);

/* Ends the unit and libclang's tree behind it. */
void wf_parse_forget(struct wf_unit *unit);

/* The source of that name, or WF_NONE. */
int wf_parse_find_source(const struct wf_unit *unit, const char *name);

#endif
