/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer's side of the segment: creates the file and adds chunks to it. Owned by the process; adding is safe from
 * any thread.
 */
#ifndef WF_MEASURE_SEGMENT_H
#define WF_MEASURE_SEGMENT_H

#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "format/segment.h"
#include "base/file.h"

/* No larger: lanes find records by a 32-bit number of words. */
#define WF_SEGMENT_MOST_BYTES ((uint64_t)WF_SEGMENT_WORD << 32)

struct wf_segment {
    struct wf_segment_header *header; /* the file's base; NULL: not open */
    struct wf_file file;
    struct wf_lock growing;
};

/* As wf_file_create, with a limit of WF_SEGMENT_MOST_BYTES at the most. */
int wf_segment_open(struct wf_segment *segment, const char *name, uint64_t limit_bytes);

/* A new, empty chunk of at least `bytes` for records of one kind, or NULL if it does not fit. */
struct wf_chunk *wf_segment_add(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane,
                                uint32_t record_bytes, size_t bytes);

/* The same, ending where a page of memory ends. */
struct wf_chunk *wf_segment_add_to_page(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane,
                                        uint32_t record_bytes, size_t bytes);

static inline uint32_t wf_segment_offset(const struct wf_segment *segment, const void *record)
{
    return (uint32_t)(((const char *)record - (const char *)segment->header) / WF_SEGMENT_UNIT);
}

static inline void *wf_segment_at(const struct wf_segment *segment, uint32_t offset)
{
    return (char *)segment->header + (size_t)offset * WF_SEGMENT_UNIT;
}

#endif
