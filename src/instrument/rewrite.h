/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Probes as text: where they are put into the sources, and the sources with them. Everything the user wrote keeps its line and its
 * column for the compiler.
 */
#ifndef WF_REWRITE_H
#define WF_REWRITE_H

#include "instrument/parse.h"
#include "instrument/unit.h"

/* Makes the insertions for all probes; leaves out, with a reason, what the text does not allow. May be called again. */
void wf_rewrite_plan(struct wf_unit *unit);

/* The source with its insertions; the main file also begins with the prelude and ends with the table. */
void wf_rewrite_source(const struct wf_source *source, const char *prelude, const char *table, struct wf_rewritten *rewritten);

void wf_rewritten_fini(struct wf_rewritten *rewritten);

#endif
