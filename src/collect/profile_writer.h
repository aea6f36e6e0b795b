/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a profile: into a temporary file beside the output, in one transaction; it becomes the output whole,
 * at the very end, or not at all. Functions return 0; or -1 with the error set to the cause ("the disk is
 * full"), after which only wf_profile_writer_abandon is of use.
 */
#ifndef WF_COLLECT_PROFILE_WRITER_H
#define WF_COLLECT_PROFILE_WRITER_H

#include <stdint.h>

#include "base/error.h"
#include "collect/critical.h"
#include "collect/merge.h"
#include "collect/notes.h"
#include "collect/program.h"
#include "collect/rank.h"
#include "collect/regions.h"
#include "collect/sites.h"
#include "collect/threads.h"
#include "collect/visits.h"
#include "collect/waits.h"

struct wf_profile_writer;

int wf_profile_writer_open(const char *output, struct wf_profile_writer **writer, struct wf_error *error);

/* What all ranks share. What something in the profile refers to is marked as used, and the rest left out. */
struct wf_profile_text {
    struct wf_program *program;
    struct wf_sites *sites;
    struct wf_regions *regions;
};

/* One rank: its row, its threads, its events with their records. `first_rank` is the profile's number of its
 * world's rank 0, `origin_ns` the beginning of the run on the common clock. */
int wf_profile_writer_rank(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t origin_ns,
                           const struct wf_profile_text *text, struct wf_error *error);
int wf_profile_writer_threads(struct wf_profile_writer *writer, const struct wf_rank *rank,
                              const struct wf_segment_reader *reader, const struct wf_threads *threads,
                              struct wf_error *error);
int wf_profile_writer_events(struct wf_profile_writer *writer, const struct wf_rank *rank, int64_t first_rank,
                             const struct wf_merge *merge, const struct wf_waits *waits,
                             const struct wf_profile_text *text, struct wf_error *error);
int wf_profile_writer_visits(struct wf_profile_writer *writer, const struct wf_rank *rank,
                             const struct wf_visits *visits, const struct wf_profile_text *text,
                             struct wf_error *error);

/* The regions that were switched off in this segment, whose visits these are; also added up in their entries.
 */
int wf_profile_writer_off(struct wf_profile_writer *writer, const struct wf_rank *rank,
                          const struct wf_segment_reader *reader, const struct wf_visits *visits,
                          const struct wf_profile_text *text, struct wf_error *error);

/* The settled path of the first world, which has so many ranks; before the text. */
int wf_profile_writer_path(struct wf_profile_writer *writer, const struct wf_critical *critical, int64_t size,
                           const struct wf_profile_text *text, struct wf_error *error);

/* Static tables, sites, procedures; after the last rank. */
int wf_profile_writer_text(struct wf_profile_writer *writer, const struct wf_profile_text *text,
                           struct wf_error *error);
int wf_profile_writer_notes(struct wf_profile_writer *writer, const struct wf_notes *notes,
                            struct wf_error *error);
int wf_profile_writer_run_number(struct wf_profile_writer *writer, const char *key, int64_t value,
                                 struct wf_error *error);
int wf_profile_writer_run_text(struct wf_profile_writer *writer, const char *key, const char *value,
                               struct wf_error *error);

/* Both free the writer, whatever they return. An older profile is replaced; or, where `kept` is given, it gets the next free of the names NAME.1.weft,
 * NAME.2.weft, ..., which is left there; empty: there was none. */
int wf_profile_writer_finish(struct wf_profile_writer *writer, char *kept, size_t bytes, struct wf_error *error);
void wf_profile_writer_abandon(struct wf_profile_writer *writer);

#endif
