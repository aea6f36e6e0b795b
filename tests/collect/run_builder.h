/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A run for tests: a directory with segments, and the profile made of it. The test owns it.
 */
#ifndef RUN_BUILDER_H
#define RUN_BUILDER_H

#include <sqlite3.h>

#include "collect/collect.h"
#include "scratch.h"
#include "segment_builder.h"

struct run {
    struct scratch scratch;
    const char *command; /* for the collector; NULL at first */
    struct wf_collect_result result;
    sqlite3 *profile;
    int next_file;
};

void run_init(struct run *run);
void run_fini(struct run *run);

/* The same as fixtures of cmocka: *state is the run. */
int run_setup(void **state);
int run_teardown(void **state);

/* A rank with a main thread and one module at a bias of its own; finish it with run_add. */
struct run_rank {
    struct segment_builder builder;
    struct wf_segment_header *header;
    uint32_t lane, module;
    uint64_t bias;
};

struct run_rank run_rank(int rank, int size);
void run_add(struct run *run, struct run_rank *rank); /* writes its segment and frees it */

/* A statement at this address of the module, with so many calls and ticks, on a lane. */
uint32_t run_site(struct run_rank *rank, uint32_t lane, uint64_t offset, const char *call, uint64_t calls,
                  uint64_t ticks);
struct wf_com_record *run_com(struct run_rank *rank, uint32_t lane, uint32_t site, int partner, uint64_t num,
                              uint64_t bytes, uint64_t ticks);

/* A region, and a visit to it, on a lane: `caller` and `probe` are addresses of the module (0: none). */
uint32_t run_region(struct run_rank *rank, enum wf_region_kind kind, const char *name, const char *file,
                    uint32_t line);
struct wf_visit_record *run_visit(struct run_rank *rank, uint32_t lane, uint32_t region, uint64_t caller,
                                  uint64_t probe, uint64_t num, uint64_t ticks, uint64_t self);
struct wf_lane_record *run_lane(struct run_rank *rank, uint32_t lane);

/* Collects, expects success, and opens the profile; a second time, it is made and opened again. */
void run_collect(struct run *run);

/* The profile's answers. */
long long run_number(struct run *run, const char *sql);
const char *run_text(struct run *run, const char *sql);

/* All rows of one column, separated by blanks, against what is expected. */
void run_expect_rows(struct run *run, const char *sql, const char *expected);
void run_expect_note(struct run *run, const char *text); /* fails with all notes if none contains it */

#endif
