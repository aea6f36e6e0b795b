/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The visits of one segment, lanes added up: one event for each region, and in the event of a procedure one call for
 * each statement it was called from. The collection owns it and uses its memory again for the next segment.
 */
#ifndef WF_COLLECT_MERGED_VISITS_H
#define WF_COLLECT_MERGED_VISITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/program.h"
#include "collect/regions.h"
#include "collect/segment_reader.h"

struct wf_visit_sums {
    uint64_t num, ticks_raw, ticks_virtual, self_raw, self_virtual;
    double value; /* of counters */
};

struct wf_merged_call {
    uint32_t entry, call; /* in regions; WF_NO_CALL: not a procedure, or one that came too late to be looked up */
    struct wf_visit_sums sums;
};

struct wf_merged_region {
    uint32_t entry; /* in regions */
    struct wf_visit_sums sums;
    size_t first_call, call_count;
};

struct wf_merged_visits {
    struct wf_merged_region *events; /* by entry */
    size_t event_count, event_capacity;
    struct wf_merged_call *calls; /* by entry and call; a recursive one counts in its event only */
    size_t call_count, call_capacity;
    uint64_t entered; /* visits of all regions but counters */
    size_t dangling;  /* visits to no region */
    struct wf_region_number {
        uint32_t number, entry;
    } * numbers; /* of the segment's regions */
    size_t number_capacity;
};

/* A zeroed struct is an empty one. */
void wf_merged_visits_fini(struct wf_merged_visits *visits);

/* Replaces what it holds. Returns 0, or -1 without memory. */
int wf_merged_visits_read(struct wf_merged_visits *visits, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program, struct wf_regions *regions);

/* The sums of one record. */
struct wf_visit_sums wf_visit_sums_read(const struct wf_visit_record *visit, bool counter);

/* The entry that a visit of the merged segment belongs to; WF_NO_REGION: none. */
uint32_t wf_merged_visits_entry(const struct wf_merged_visits *visits, const struct wf_segment_reader *reader,
                                const struct wf_visit_record *visit);

#endif
