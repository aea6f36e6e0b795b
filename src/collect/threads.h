/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads of one segment that called MPI or visited regions, and the sums of each at each statement. The collection
 * owns them and uses their memory again for the next segment.
 */
#ifndef WF_COLLECT_THREADS_H
#define WF_COLLECT_THREADS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/merged_visits.h"
#include "collect/program.h"
#include "collect/segment_reader.h"
#include "collect/sites.h"

#define WF_NO_THREAD UINT32_MAX

struct wf_thread_sums {
    uint32_t thread;
    uint32_t entry; /* in sites; or, behind those, in regions */
    uint64_t calls, ticks_raw, ticks_virtual;
};

struct wf_threads {
    uint32_t *of_lane; /* by the lane's number in the segment; WF_NO_THREAD: it did nothing */
    size_t lane_capacity;
    uint32_t count;
    struct wf_thread_sums *sums; /* by thread and entry; only where there are several threads */
    size_t sum_count, sum_capacity;
};

/* A zeroed struct is an empty one. */
void wf_threads_fini(struct wf_threads *threads);

/* Replaces what it holds; the visits are those of this segment. Returns 0, or -1 without memory. */
int wf_threads_find(struct wf_threads *threads, const struct wf_segment_reader *reader,
                    const struct wf_collected_program *program, const struct wf_sites *sites,
                    const struct wf_merged_visits *visits, const struct wf_regions *regions);

#endif
