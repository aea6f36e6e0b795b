/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path up to where one thread is, as its segment shows it: copied whole while the thread may still be
 * writing, counted up to now, in nanoseconds. Its owner uses its memory again for the next sample.
 */
#ifndef WF_COLLECT_PATH_SAMPLER_H
#define WF_COLLECT_PATH_SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/rank.h"
#include "collect/segment_reader.h"
#include "format/path.h"

/* No value of a state is larger than this, so that sums of a few of them cannot overflow. (Savings are quarters: up to
 * four times as much.) */
#define WF_PATH_LIMIT (INT64_C(1) << 57)

enum wf_sample_result {
    WF_SAMPLE_TAKEN,
    WF_SAMPLE_NONE,    /* the thread has not computed a path */
    WF_SAMPLE_TORN,    /* it was being written at every try; or its process died while writing */
    WF_SAMPLE_DAMAGED, /* it is not a valid state */
    WF_SAMPLE_NO_MEMORY,
};

struct wf_path_sampler {
    struct wf_path_record record;      /* of the last one taken */
    bool stopped;                      /* its values are of an epoch that has ended */
    struct wf_path_snapshot *snapshot; /* its values, in nanoseconds; savings in quarters of one */
    size_t snapshot_capacity;
    struct wf_path *state;
    size_t state_capacity;
};

/* A zeroed struct is an empty one. */
void wf_path_sampler_fini(struct wf_path_sampler *sampler);

/* `record` lies in the loaded segment and belongs to `lane`. `fd` is the segment's file where its process still runs,
 * else -1. */
enum wf_sample_result wf_path_sampler_take(struct wf_path_sampler *sampler, const struct wf_segment_reader *reader,
                                           const struct wf_collected_rank *rank, const struct wf_path_record *record,
                                           uint32_t lane, int fd);

#endif
