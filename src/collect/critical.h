/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of the first world, from the samples of all its threads, and what its slots stand for.
 *
 * Processes of one host give a region the same slot; those of another host may give it another. So samples
 * are merged host by host, and the hosts' paths are brought to one numbering when all are there. (To merge is
 * to take maxima and minima: in which order does not matter.) Only what is of the newest epoch counts.
 */
#ifndef WF_COLLECT_CRITICAL_H
#define WF_COLLECT_CRITICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/intern.h"
#include "collect/merge.h"
#include "collect/notes.h"
#include "collect/path_sampler.h"
#include "collect/regions.h"
#include "collect/sites.h"
#include "collect/visits.h"

enum wf_critical_kind {
    WF_CRITICAL_OTHER,
    WF_CRITICAL_TRANSFER,
    WF_CRITICAL_PROCEDURE,
    WF_CRITICAL_LOOP,
    WF_CRITICAL_REGION,
    WF_CRITICAL_STATEMENT,
    WF_CRITICAL_STRETCH,
    WF_CRITICAL_BUCKET,
};

/* A slot of the result. */
struct wf_critical_row {
    enum wf_critical_kind kind;
    uint32_t name, file, line; /* texts of the program; WF_INTERN_NONE: it has none */
    uint32_t procedure;
    size_t regions;                    /* that it stands for */
    size_t first_member, member_count; /* in members */
};

/* A region of a row. */
struct wf_critical_member {
    uint32_t row;
    enum wf_critical_kind kind;
    uint32_t entry;    /* in sites, of statements and stretches; else in regions */
    uint32_t identity; /* the same for all that are one region */
};

/* A region has a slot on a host. No padding: its bytes are a key. */
struct wf_critical_slot {
    uint32_t host, slot, kind, entry; /* as in a member */
};

struct wf_critical_host {
    struct wf_path *path; /* of its samples, in nanoseconds; NULL: none yet */
    uint64_t *keys;       /* of its slots: what they stand for on all hosts */
    size_t key_count, key_capacity;
};

struct wf_critical {
    uint32_t epoch; /* the newest that was seen; 0: none */
    enum wf_path_weight_of weight;
    bool stopped;     /* it was stopped before the run ended */
    int64_t first_ns, last_ns; /* when the first and the last thread began with it, on the common clock, in
                                  virtual time */
    int64_t longest_ns, end_ns; /* the longest of all samples, and the moment that it is of */
    uint64_t parts, lost;
    size_t torn;       /* threads that could not be read */
    int64_t torn_rank; /* the first one's */
    size_t dangling;   /* states in the last segment that cannot be */

    struct wf_path_sampler sampler;
    struct wf_intern host_names; /* numbers as in hosts */
    struct wf_critical_host *hosts;
    size_t host_capacity;
    struct wf_intern slots;       /* of wf_critical_slot, in this epoch */
    int64_t *site_ns, *region_ns; /* own time over all ranks, by entry */

    /* Since wf_critical_settle: */
    struct wf_path *path; /* a slot for each row */
    struct wf_critical_row *rows;
    size_t row_count;
    struct wf_critical_member *members; /* by row */
    size_t member_count;
};

/* A zeroed struct is an empty one. */
void wf_critical_fini(struct wf_critical *critical);

/* A segment of the first world, with what was merged of it; `file` is its path. Returns 0, or -1 without
 * memory. */
int wf_critical_add(struct wf_critical *critical, const struct wf_segment_reader *reader,
                    const struct wf_rank *rank, const char *file, const struct wf_program *program,
                    const struct wf_sites *sites, const struct wf_regions *regions,
                    const struct wf_merge *merge, const struct wf_visits *visits);

/* With all segments added. Without any path, there are no rows. Returns 0, or -1 without memory. */
int wf_critical_settle(struct wf_critical *critical, struct wf_program *program, struct wf_sites *sites,
                       struct wf_regions *regions);

int64_t wf_critical_length_ns(const struct wf_critical *critical);

/* When it began, on the common clock, in virtual time. */
int64_t wf_critical_begin_ns(const struct wf_critical *critical);

/* from_ns, wall_ns: when the path begins in the run, and how long that took. */
void wf_critical_note(const struct wf_critical *critical, struct wf_notes *notes, int64_t from_ns,
                      int64_t wall_ns);

#endif
