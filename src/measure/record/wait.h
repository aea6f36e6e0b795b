/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A wait: how long a statement waited for one other rank in one way, through one statement of that rank; in one record
 * of the segment. Only the lane's thread touches it.
 */
#ifndef WF_RECORD_WAIT_H
#define WF_RECORD_WAIT_H

#include <stdint.h>

#include "base/shared.h"
#include "measure/clock/roots.h"
#include "measure/record/site.h"

/* No process is this one: the first wait of a site always looks. */
extern struct wf_wait_record wf_wait_none;

/* The record of waiting for `culprit`, which is site->last_wait from now on. NULL: there is no room, or the site has no
 * records. */
struct wf_wait_record *wf_lane_wait(struct wf_lane *lane, struct wf_site *site, int32_t culprit, uint32_t kind,
                                    uint64_t address) WF_SHARED(lane_wait);

/* `wait` has grown by a wait with these roots: what the culprit had itself waited for others is counted for those. */
void wf_lane_count_roots(struct wf_lane *lane, struct wf_site *site, struct wf_wait_record *wait,
                         const struct wf_roots *roots) WF_SHARED(lane_count_roots);

#endif
