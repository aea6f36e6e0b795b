/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Probes as text: plans where they go, and makes the new sources. The user's text keeps its lines and columns for the
 * compiler. The unit owns the insertions, the caller the new text; one thread.
 */
#ifndef WF_REWRITE_H
#define WF_REWRITE_H

#include "instrument/parse.h"
#include "instrument/source_unit.h"

/* Makes the insertions for all probes. Skips, with a reason, regions where the text does not allow a probe. May be
 * called again. */
void wf_rewrite_plan(struct wf_source_unit *unit);

/* Makes the source with its insertions; the main file begins with the prelude and ends with the table. */
void wf_rewrite_source(const struct wf_source *source, const char *prelude, const char *table,
                       struct wf_rewritten *rewritten);

void wf_rewritten_fini(struct wf_rewritten *rewritten);

#endif
