/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The communication records of one segment, lanes added up: one event for each statement, and in it one com for each
 * partner. The collection owns it and uses its memory again for the next segment.
 *
 * Sums are modulo 2^64: a lane may hold the negative part of another's.
 */
#ifndef WF_COLLECT_MERGED_EVENTS_H
#define WF_COLLECT_MERGED_EVENTS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/segment_reader.h"
#include "collect/sites.h"

struct wf_merged_com {
    uint32_t event;
    int32_t partner; /* as in the segment */
    uint64_t num, bytes;
    uint64_t trans_raw_ticks, sync_raw_ticks, trans_virtual_ticks, sync_virtual_ticks;
};

struct wf_merged_event {
    uint32_t site; /* entry in sites */
    uint64_t calls, ticks_raw, ticks_virtual, max_ticks;
    struct wf_idle_ticks idle;   /* parts of ticks_virtual */
    size_t first_com, com_count; /* by partner */
};

struct wf_merged_events {
    struct wf_merged_event *events; /* by site; without empty ones */
    size_t event_count, event_capacity;
    struct wf_merged_com *coms; /* by event */
    size_t com_count, com_capacity;
    size_t dangling;          /* records that belong to no statement */
    uint32_t *event_of_entry; /* + 1; 0: none in this segment */
    size_t entry_capacity;
    uint32_t *event_of_site; /* by the site's number in the segment */
    size_t site_capacity;
};

/* A zeroed struct is an empty one. */
void wf_merged_events_fini(struct wf_merged_events *merged);

/* Replaces what it holds. Returns 0, or -1 without memory. */
int wf_merged_events_read(struct wf_merged_events *merged, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program, const struct wf_sites *sites);

#endif
