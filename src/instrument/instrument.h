/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One translation unit from its text to its instrumented text: parse, choose, rewrite, verify. One thread.
 */
#ifndef WF_INSTRUMENT_H
#define WF_INSTRUMENT_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"
#include "instrument/compiler.h"
#include "instrument/filter.h"
#include "instrument/parse.h"

struct wf_instrument {
    /* set by the caller, who owns them */
    const char *path;
    const struct wf_command_line *line;
    const struct wf_compiler *compiler;
    const struct wf_filter *filter;
    const char *probe_header;
    bool (*may_change)(const void *context, const char *header); /* NULL: no header may change */
    const void *context;
    const struct wf_words *blamed; /* places "file:line" where the compiler does not accept probes, or NULL */

    /* results, which the struct owns */
    struct wf_source_unit unit;
    struct wf_words words;          /* options of libclang */
    bool without_templates;         /* the user's files have no templates */
    struct wf_rewritten *rewritten; /* the main file, and headers that have probes */
    size_t rewritten_count;
};

/* 0: libclang can be used. -1: it cannot, with the reason. */
int wf_instrument_ready(struct wf_error *error);

/* 0: there is a new text. 1: there is nothing to instrument. -1: it failed, with the reason. */
int wf_instrument_prepare(struct wf_instrument *instrument, struct wf_error *error);

/* 0: the text is right. 1: it was wrong, and is right now with fewer probes. -1: it cannot be made right, with the
 * reason. Parses the new text again; unless `thorough`, only if wf_verify_text cannot tell. */
int wf_instrument_verify(struct wf_instrument *instrument, bool thorough, struct wf_error *error);

/* Prints how many regions have probes, and with `each`, a line for each region without one. */
void wf_instrument_list(const struct wf_instrument *instrument, bool each, FILE *out);

void wf_instrument_fini(struct wf_instrument *instrument);

#endif
