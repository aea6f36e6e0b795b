/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which procedures and loops get a probe: those that the user's patterns choose, by default without leaves. The command
 * owns it; one thread.
 */
#ifndef WF_FILTER_H
#define WF_FILTER_H

#include <stdbool.h>

#include "base/error.h"
#include "instrument/buffer.h"
#include "instrument/source_unit.h"

struct wf_filter {
    bool all;             /* leaves too */
    struct wf_words only; /* patterns for files and procedures; no pattern: everything */
    struct wf_words skip;
};

/* Adds patterns that are separated by commas; NULL adds none. */
void wf_filter_add(struct wf_words *patterns, const char *list);

/* Reads a file with lines "only PATTERN" and "skip PATTERN"; # begins a comment. */
int wf_filter_read(struct wf_filter *filter, const char *path, struct wf_error *error);

void wf_filter_fini(struct wf_filter *filter);

/* Sets probe and reason of all regions that are not skipped yet. */
void wf_filter_apply(const struct wf_filter *filter, struct wf_source_unit *unit);

#endif
