/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/segment.h"

#include "base/quiet.h"
#include "measure/guest/directory.h"

int wf_segment_open(struct wf_segment *segment, const char *name, uint64_t limit_bytes)
{
    limit_bytes = limit_bytes < WF_SEGMENT_MOST_BYTES ? limit_bytes : WF_SEGMENT_MOST_BYTES;
    int why = wf_file_create(&segment->file, &wf_directory_place, name, limit_bytes);
    if (why)
        return why;
    segment->header = (struct wf_segment_header *)segment->file.base;
    segment->header->version = WF_SEGMENT_VERSION;
    segment->header->header_bytes = sizeof *segment->header;
    segment->header->limit_bytes = segment->file.limit_bytes;
    segment->header->address = (uintptr_t)segment->header;
    atomic_store(&segment->header->used_bytes, sizeof *segment->header);
    return 0;
}

static struct wf_chunk *segment_add_chunk(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane,
                                          uint32_t record_bytes, size_t bytes, size_t end_multiple)
{
    struct wf_segment_header *header = segment->header;
    uint64_t used = atomic_load_explicit(&header->used_bytes, memory_order_relaxed);
    bytes = (used + sizeof(struct wf_chunk) + bytes + end_multiple - 1) / end_multiple * end_multiple - used;
    if (wf_file_grow(&segment->file, used + bytes) != 0)
        return NULL;
    struct wf_chunk *chunk = (struct wf_chunk *)((char *)header + used);
    chunk->kind = kind;
    chunk->bytes = (uint32_t)bytes;
    chunk->lane = lane;
    chunk->record_bytes = record_bytes;
    atomic_store_explicit(&header->used_bytes, used + bytes, memory_order_release);
    return chunk;
}

struct wf_chunk *wf_segment_add(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane,
                                uint32_t record_bytes, size_t bytes)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &segment->growing);
    struct wf_chunk *chunk = segment_add_chunk(segment, kind, lane, record_bytes, bytes, WF_SEGMENT_UNIT);
    wf_quiet_unlock(&quiet, &segment->growing);
    return chunk;
}

struct wf_chunk *wf_segment_add_to_page(struct wf_segment *segment, enum wf_chunk_kind kind, uint32_t lane,
                                        uint32_t record_bytes, size_t bytes)
{
    struct wf_quiet quiet;
    wf_quiet_lock(&quiet, &segment->growing);
    struct wf_chunk *chunk = segment_add_chunk(segment, kind, lane, record_bytes, bytes, WF_SEGMENT_PAGE);
    wf_quiet_unlock(&quiet, &segment->growing);
    return chunk;
}
