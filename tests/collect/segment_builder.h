/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes segments for tests as a watched process would. The test owns them. All functions end the test program on
 * failure.
 *
 * A fresh one is the whole, good segment of a rank that finalized: a clock in nanoseconds, MPI_Init from
 * 2,000 to 10,000, MPI_Finalize from 1,010,000 to 1,020,000 (so 1,000,000 ns of wall time), no lane yet.
 * Change the header as the test needs.
 */
#ifndef SEGMENT_BUILDER_H
#define SEGMENT_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "format/path.h"
#include "format/segment.h"

struct segment_builder {
    struct wf_segment_header *header; /* and behind it the rest */
    uint32_t site_chunk, com_chunk, visit_chunk,
        wait_chunk, open_chunk, order_chunk; /* offsets of those that take records now; 0: none */
};

/* `limit_bytes` of memory, taken only as far as it is used. */
void segment_builder_init(struct segment_builder *builder, int rank, int size, size_t limit_bytes);
void segment_builder_fini(struct segment_builder *builder);

/* All return the offset of the new record, which segment_builder_at turns into its address; or the address, where
 * records have no offset. */
uint32_t segment_builder_lane(struct segment_builder *builder, uint32_t thread_id, int is_main);
uint32_t segment_builder_module(struct segment_builder *builder, const char *path, const void *build_id,
                                size_t build_id_bytes, uint64_t bias);

/* Closes it now: later records stand in new chunks. */
void segment_builder_close(struct segment_builder *builder, uint32_t module);

uint32_t segment_builder_site(struct segment_builder *builder, uint32_t lane, uint32_t module,
                              uint64_t address, unsigned call);
struct wf_com_record *segment_builder_com(struct segment_builder *builder, uint32_t lane, uint32_t site,
                                          int partner);

/* `address` is the culprit's. */
struct wf_wait_record *segment_builder_wait(struct segment_builder *builder, uint32_t lane, uint32_t site,
                                            int culprit, enum wf_wait_kind kind, uint64_t address);

struct wf_order_record *segment_builder_order(struct segment_builder *builder, uint32_t lane, uint32_t site);

/* `address` is 0 for a region with a name. */
uint32_t segment_builder_region(struct segment_builder *builder, enum wf_region_kind kind, const char *name,
                                const char *file, uint32_t line, uint64_t address);
uint32_t segment_builder_visit(struct segment_builder *builder, uint32_t lane, uint32_t region,
                               uint64_t caller, uint64_t probe);

/* A visit under way, on the lane's shadow stack: the last is the innermost. */
struct wf_open_record *segment_builder_open(struct segment_builder *builder, uint32_t lane, uint32_t visit,
                                            uint64_t start);

/* A thread's path, not started, and the state behind it. */
uint32_t segment_builder_path(struct segment_builder *builder, uint32_t lane, uint32_t capacity,
                              uint32_t places);
struct wf_path *segment_builder_state(const struct segment_builder *builder, uint32_t path);

void *segment_builder_at(const struct segment_builder *builder, uint32_t offset);

/* The number of an MPI function, by its name. */
unsigned segment_builder_call(const char *name);

void segment_builder_write(const struct segment_builder *builder, const char *path);

#endif
