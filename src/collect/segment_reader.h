/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The reader's side of the segment: one at a time, whole, into memory that is used again for the next one. The
 * collection owns it; one thread at a time.
 *
 * It reads a copy and maps nothing: its process may still write, and the file may be cut off or lie on a disk that
 * fails. A copy is checked once and can neither change nor raise SIGBUS after the check. Every record that comes out of
 * here lies inside the file, and every offset is looked up, never followed. A record that a dying process left half
 * done ends the walk early (damaged). Only a file that cannot be understood at all is refused.
 */
#ifndef WF_COLLECT_SEGMENT_READER_H
#define WF_COLLECT_SEGMENT_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "collect/mappings.h"
#include "format/segment.h"

#define WF_SEGMENT_KINDS (WF_CHUNK_ORDER + 1)

/* A checked chunk of a known kind: `count` whole records that lie inside the file. */
struct wf_segment_view {
    size_t start; /* of its first record, in bytes */
    uint32_t kind;
    uint32_t lane; /* offset of its owner's record, as the file says: perhaps of none */
    uint32_t count;
    size_t record_bytes;
    size_t first; /* number of its first record among all of its kind */
};

struct wf_segment_reader {
    unsigned char *bytes;
    size_t used_bytes; /* of it are the segment's */
    size_t capacity;
    struct wf_segment_view *views; /* by start */
    size_t view_count, view_capacity;
    struct wf_mappings modules;      /* each named by where its record begins in bytes */
    size_t counts[WF_SEGMENT_KINDS]; /* records of each kind */
    bool damaged;                    /* it is cut short, or ends in bytes that are no chunk */
};

/* A zeroed struct is an empty one. */
void wf_segment_reader_fini(struct wf_segment_reader *reader);

/* Returns 0; or -1, where the error says why this file is refused, without naming it ("it is cut short"). */
int wf_segment_reader_load(struct wf_segment_reader *reader, const char *path, struct wf_error *error);

const struct wf_segment_header *wf_segment_reader_header(const struct wf_segment_reader *reader);

/* The records of one kind, in the order of the file. */
struct wf_segment_records {
    const struct wf_segment_reader *reader;
    uint32_t kind;
    size_t view;
    uint32_t record;
    uint32_t lane; /* of the record that came last */
};

struct wf_segment_records wf_segment_reader_records(const struct wf_segment_reader *reader, enum wf_chunk_kind kind);
const void *wf_segment_records_next(struct wf_segment_records *records); /* NULL: no more */

/* The number of the record of this kind at this offset, in the order of the file; -1: none begins there. */
long wf_segment_reader_find(const struct wf_segment_reader *reader, enum wf_chunk_kind kind, uint32_t offset);

/* They return NULL if no such record begins at the offset. Texts of modules and regions end inside the file, as do the
 * states behind path records. */
const struct wf_lane_record *wf_segment_reader_lane(const struct wf_segment_reader *reader, uint32_t offset);
const struct wf_site_record *wf_segment_reader_site(const struct wf_segment_reader *reader, uint32_t offset);
const struct wf_module_record *wf_segment_reader_module(const struct wf_segment_reader *reader, uint32_t offset);

const struct wf_region_record *wf_segment_reader_region(const struct wf_segment_reader *reader, uint32_t offset);

/* Where the chunk of a record begins, in bytes. */
size_t wf_segment_reader_chunk(const struct wf_segment_reader *reader, const void *record);

/* The module of an address of the process, as a record in this chunk names it; NULL: none. */
const struct wf_module_record *wf_segment_reader_module_at(const struct wf_segment_reader *reader, size_t chunk,
                                                           uint64_t address);

const char *wf_segment_region_name(const struct wf_region_record *region);
const char *wf_segment_region_file(const struct wf_region_record *region);

/* Whether any record has virtual time. Where none has, as in a process that ended early, raw times stand for virtual
 * ones. */
bool wf_segment_reader_has_virtual(const struct wf_segment_reader *reader);

#endif
