/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The races between messages in one segment: one entry for each statement and pair of senders, lanes added up. The
 * collection owns it and uses its memory again for the next segment.
 */
#ifndef WF_COLLECT_MERGED_RACES_H
#define WF_COLLECT_MERGED_RACES_H

#include <stddef.h>
#include <stdint.h>

#include "collect/sites.h"
#include "collect/world.h"

struct wf_merged_race {
    uint32_t site;       /* entry in sites */
    int64_t took, other; /* ranks in the profile; WF_PARTNER_NONE: that is forgotten */
    uint64_t num, unknown;
};

struct wf_merged_races {
    struct wf_merged_race *items; /* by site */
    size_t count, capacity;
    size_t dangling; /* records of no statement */
};

/* A zeroed struct is an empty one. */
void wf_merged_races_fini(struct wf_merged_races *races);

/* Replaces what it holds; the world is the segment's. Returns 0, or -1 without memory. */
int wf_merged_races_read(struct wf_merged_races *races, const struct wf_segment_reader *reader,
                         const struct wf_world *world, const struct wf_collected_program *program,
                         const struct wf_sites *sites);

#endif
