/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What was under way when a process was last seen: calls that did not return, and regions that were not left. In the
 * copy of its segment they end at that moment, so that all who read the copy find the time they have had so far. It
 * owns nothing.
 *
 * A call gets its time, but does not count as one, because it did not return. Its time is unexplained: what it waited
 * for has not come. A visit of a region counts.
 */
#ifndef WF_COLLECT_UNFINISHED_H
#define WF_COLLECT_UNFINISHED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/segment_reader.h"

/* Whether the lane is in a call, and since when. */
bool wf_unfinished_call(const struct wf_lane_record *lane, uint64_t *since);

/* The number of visits under way, and the last moment that they tell of. */
size_t wf_unfinished_visits(const struct wf_segment_reader *reader, uint64_t *last_sign);

/* The innermost visit of the main thread; NULL: none is under way. */
const struct wf_visit_record *wf_unfinished_innermost(const struct wf_segment_reader *reader);

/* Ends them all in the copy. */
void wf_unfinished_end(struct wf_segment_reader *reader, uint64_t end_ticks);

#endif
