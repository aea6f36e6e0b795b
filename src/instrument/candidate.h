/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Procedures and loops as candidates for a probe: those that cannot have one are skipped, with the reason. Whether a
 * probe is worth its cost is decided later, for the whole unit (leaf.h). One thread.
 */
#ifndef WF_CANDIDATE_H
#define WF_CANDIDATE_H

#include "instrument/parser.h"

/* The region's places and name are set. */
void wf_candidate_judge_procedure(struct wf_parser *parser, CXCursor cursor, struct wf_source_region *region);

/* Also finds out whether the loop is tiny. */
void wf_candidate_judge_loop(struct wf_parser *parser, CXCursor cursor, struct wf_source_region *region);

/* The reason why callers of this function get no probe: it returns twice, or looks at its caller's frame. Else NULL. */
const char *wf_candidate_disturbed_by(const char *callee);

#endif
