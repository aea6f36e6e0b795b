/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorded order of a run (format/course.h): the courses that its processes have left in the run directory are
 * joined in one file, and such a file is checked before it is replayed. In a process of weft's own, in one thread.
 */
#ifndef WF_COLLECT_RECORDING_H
#define WF_COLLECT_RECORDING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "format/course.h"

struct wf_recording_options {
    const char *directory; /* of the run */
    const char *output;    /* the recording; an older one of the same name is replaced at the end, in one step */
    bool keep_older;       /* the older one gets another name instead */
};

struct wf_recording_result {
    uint64_t events, bytes;
    uint64_t unknown; /* receives whose source is not known */
    uint32_t ranks, missing;
    uint32_t cut;    /* ranks whose course is not complete, because the file could not grow */
    char kept[4096]; /* the name that an older recording got; empty: there was none */
};

/* Returns 0, or -1 with the error set and no file changed. */
int wf_recording_join(const struct wf_recording_options *options, struct wf_recording_result *result,
                      struct wf_error *error);

/* Reads and checks a recording. The rows, one for each rank, are the caller's to free. Returns 0, or -1 with the error
 * set. */
int wf_recording_check(const char *path, struct wf_recording_header *header, struct wf_recording_rank **rows,
                       struct wf_error *error);

#endif
