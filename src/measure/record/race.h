/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A race: how often a statement took a message of one rank from any source, and could have taken one of another rank;
 * in one record of the segment. Only the lane's thread touches it. The statement may be another lane's.
 */
#ifndef WF_RECORD_RACE_H
#define WF_RECORD_RACE_H

#include <stdint.h>

#include "base/shared.h"
#include "measure/record/lane.h"

/* The record of these two ranks at the statement whose record is at `site` in the segment. NULL: there is no room. */
struct wf_race_record *wf_lane_race(struct wf_lane *lane, uint32_t site, int32_t took, int32_t other)
    WF_SHARED(lane_race);

#endif
