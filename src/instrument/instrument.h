/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One translation unit from its text to its instrumented text: parse, choose, rewrite, verify.
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
    /* set by the caller, who keeps them */
    const char *path;
    const struct wf_command_line *line;
    const struct wf_compiler *compiler;
    const struct wf_filter *filter;
    const char *probe_header;
    bool (*may_change)(const void *context, const char *header); /* NULL: no header */
    const void *context;
    const struct wf_words *blamed; /* places "file:line" whose procedures the compiler does not accept with probes; or NULL */

    /* results, the struct's own */
    struct wf_unit unit;
    struct wf_words words;          /* libclang's */
    bool without_templates;         /* the user has none */
    struct wf_rewritten *rewritten; /* the main file, and headers that have probes */
    size_t rewritten_count;
};

/* 0: libclang is there. -1: why not. */
int wf_instrument_ready(struct wf_error *error);

/* 0: there is a new text. 1: there is nothing to instrument. -1: it cannot be done, and why. */
int wf_instrument_prepare(struct wf_instrument *instrument, struct wf_error *error);

/* 0: the text is right. 1: it was not; it has now fewer probes and is right. -1: it cannot be made right, and why.
 * Unless it is to be thorough, a text that shows by itself that it is right is not parsed again. */
int wf_instrument_verify(struct wf_instrument *instrument, bool thorough, struct wf_error *error);

/* How much has probes, and with `each`, what was skipped and why. */
void wf_instrument_list(const struct wf_instrument *instrument, bool each, FILE *out);

void wf_instrument_fini(struct wf_instrument *instrument);

#endif
