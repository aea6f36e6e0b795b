/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes a profile into a temporary file beside the output, in one transaction. It becomes the output whole at the end,
 * or not at all. Who opens a writer owns it, until finish or abandon. Functions return 0; or -1 with the error set to
 * the cause ("the disk is full"), after which only wf_profile_writer_abandon is of use.
 */
#ifndef WF_COLLECT_PROFILE_WRITER_H
#define WF_COLLECT_PROFILE_WRITER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "collect/critical.h"
#include "collect/merged_events.h"
#include "collect/merged_orders.h"
#include "collect/merged_visits.h"
#include "collect/merged_waits.h"
#include "collect/notes.h"
#include "collect/program.h"
#include "collect/rank.h"
#include "collect/regions.h"
#include "collect/sites.h"
#include "collect/threads.h"
#include "collect/world.h"

struct wf_profile_writer;

int wf_profile_writer_open(const char *output, struct wf_profile_writer **writer, struct wf_error *error);

/* What all ranks share. Entries that a row of the profile refers to are marked as used; the others are left out. */
struct wf_profile_text {
    struct wf_collected_program *program;
    struct wf_sites *sites;
    struct wf_regions *regions;
};

/* One rank: its row, its threads, its events with their records. `first_rank` is the profile's number of its
 * world's rank 0, `origin_ns` the virtual beginning of the run on the common clock. */
int wf_profile_writer_rank(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, int64_t origin_ns,
                           const struct wf_profile_text *text, struct wf_error *error);
int wf_profile_writer_threads(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                              const struct wf_segment_reader *reader, const struct wf_threads *threads,
                              struct wf_error *error);
int wf_profile_writer_events(struct wf_profile_writer *writer, const struct wf_collected_rank *rank, int64_t first_rank,
                             const struct wf_merged_events *merged, const struct wf_merged_waits *waits,
                             const struct wf_merged_orders *orders, const struct wf_profile_text *text,
                             struct wf_error *error);
int wf_profile_writer_visits(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                             const struct wf_merged_visits *visits, const struct wf_profile_text *text,
                             struct wf_error *error);

/* Where the rank was when it ended, if it did not end well and its visits, which these are, tell it. */
int wf_profile_writer_last_region(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                                  const struct wf_segment_reader *reader, const struct wf_merged_visits *visits,
                                  const struct wf_profile_text *text, struct wf_error *error);

/* The regions that were switched off in this segment, whose visits these are; also added up in their entries. */
int wf_profile_writer_off(struct wf_profile_writer *writer, const struct wf_collected_rank *rank,
                          const struct wf_segment_reader *reader, const struct wf_merged_visits *visits,
                          const struct wf_profile_text *text, struct wf_error *error);

/* The settled path of the first world, which has `size` ranks; before the text. */
int wf_profile_writer_path(struct wf_profile_writer *writer, const struct wf_critical *critical, int64_t size,
                           const struct wf_profile_text *text, struct wf_error *error);

/* Static tables, sites, procedures; after the last rank. */
int wf_profile_writer_text(struct wf_profile_writer *writer, const struct wf_profile_text *text,
                           struct wf_error *error);
int wf_profile_writer_notes(struct wf_profile_writer *writer, const struct wf_notes *notes, struct wf_error *error);

/* The run as a whole. `command` is what the user ran; NULL: the first segment tells it. */
int wf_profile_writer_run(struct wf_profile_writer *writer, const char *command, const struct wf_collected_ranks *ranks,
                          const struct wf_worlds *worlds, const struct wf_critical *critical, struct wf_error *error);

/* From the first rank's MPI_Init to the last one's MPI_Finalize, without the pause that all of them shared. In virtual
 * time every rank begins earlier by the delay that it had until then. */
int64_t wf_run_wall_ns(const struct wf_collected_ranks *ranks, bool raw);

/* How long after the beginning of the run its critical path begins. */
int64_t wf_run_path_from_ns(const struct wf_collected_ranks *ranks, const struct wf_critical *critical);

/* Both free the writer, also if they fail. An older profile is replaced. Where `kept` is given, it gets the next free
 * of the names NAME.1.weft, NAME.2.weft, ... instead, which is returned in `kept`; empty: there was none. */
int wf_profile_writer_finish(struct wf_profile_writer *writer, char *kept, size_t bytes, struct wf_error *error);
void wf_profile_writer_abandon(struct wf_profile_writer *writer);

#endif
