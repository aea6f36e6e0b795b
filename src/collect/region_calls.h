/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From a visit to the call statement it came from: the part of regions.h that deals with calls. It works on the regions
 * and owns nothing.
 */
#ifndef WF_COLLECT_REGION_CALLS_H
#define WF_COLLECT_REGION_CALLS_H

#include "collect/regions.h"

/* Adds a visit to the region of this number. Returns 0, or -1 without memory. */
int wf_region_calls_add(struct wf_regions *regions, struct wf_collected_program *program,
                        const struct wf_segment_reader *reader, uint32_t number, const struct wf_visit_record *visit);

/* With the entries made: finds the call statements, which procedures are recursive, and the calls that the text does
 * not tell. Returns 0, or -1 without memory. */
int wf_region_calls_settle(struct wf_regions *regions, struct wf_collected_program *program);

#endif
