/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path of the first world, from the samples of all its threads, and what its slots stand for.
 *
 * Processes of one host give a region the same number; those of another host may give it another. So samples are merged
 * host by host, and the hosts' paths are brought to one numbering when all are there. (Merging takes maxima and minima,
 * so its order does not matter.) In a sample a region has a slot, or it is in the list, or neither, and that may have
 * changed between two samples: in the host's path, each region that has a number has a slot of its own. Only samples of
 * the newest epoch count. The collection owns it.
 */
#ifndef WF_COLLECT_CRITICAL_H
#define WF_COLLECT_CRITICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "collect/merged_events.h"
#include "collect/merged_visits.h"
#include "collect/notes.h"
#include "collect/path_sampler.h"
#include "collect/regions.h"
#include "collect/sites.h"

enum wf_critical_kind {
    WF_CRITICAL_OTHER,
    WF_CRITICAL_TRANSFER,
    WF_CRITICAL_PROCEDURE,
    WF_CRITICAL_LOOP,
    WF_CRITICAL_REGION,
    WF_CRITICAL_STATEMENT,
    WF_CRITICAL_STRETCH,
    WF_CRITICAL_BEGINNING, /* the stretch before the first statement */
    WF_CRITICAL_UNKNOWN,   /* no segment tells which region it is */
};

/* A slot of the resulting path. */
struct wf_critical_row {
    enum wf_critical_kind kind;
    uint32_t name, file, line; /* name and file: texts of the program; WF_INTERN_NONE: it has none */
    uint32_t procedure;
    bool followed;                     /* its savings are known */
    size_t regions;                    /* how many it stands for */
    size_t first_member, member_count; /* in members */
};

/* A region of a row. */
struct wf_critical_member {
    uint32_t row;
    enum wf_critical_kind kind;
    uint32_t entry;    /* in sites, of statements and stretches; else in regions */
    uint32_t identity; /* the same for all that are one region */
};

/* The slot of a region in the path of a host: its number behind the slots that are no region's. No padding: its bytes
 * are a key. */
struct wf_critical_slot {
    uint32_t host, slot, kind, entry; /* as in a member */
};

struct wf_critical_host {
    struct wf_path *path; /* of its samples, in nanoseconds, with a slot for each region; NULL: none yet */
    uint64_t *keys;       /* by slot: what it stands for on all hosts; 0: not known */
    size_t key_count, key_capacity;
    uint32_t map; /* the newest one of its samples, and the longest of these; */
    int64_t length;
    bool *followed; /* in which its savings are known: by slot */
    size_t followed_count, followed_capacity;
};

struct wf_critical {
    uint32_t epoch; /* the newest one seen; 0: none */
    enum wf_path_weight_of weight;
    bool stopped;               /* it was stopped before the run ended */
    int64_t first_ns, last_ns;  /* when the first and the last thread began it, on the common clock, in virtual time */
    bool some_listed;           /* there are regions that have, or had, no slot */
    int64_t beginning_ns;       /* the longest computing before a thread's first call */
    int64_t longest_ns, end_ns; /* the longest sample, and the moment at which it was taken */
    uint64_t parts, lost;
    size_t torn;       /* threads that could not be read */
    int64_t torn_rank; /* the first one's */
    size_t dangling;   /* damaged states in the last segment */

    struct wf_path_sampler sampler;
    struct wf_intern host_names; /* numbers as in hosts */
    struct wf_critical_host *hosts;
    size_t host_capacity;
    struct wf_intern slots;            /* of wf_critical_slot */
    struct wf_path_snapshot *numbered; /* the last sample, with a slot for each region */
    size_t numbered_capacity;
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

/* Adds a segment of the first world, with what was merged of it; `file` is its path. Returns 0, or -1 without
 * memory. */
int wf_critical_add(struct wf_critical *critical, const struct wf_segment_reader *reader,
                    const struct wf_collected_rank *rank, const char *file, const struct wf_collected_program *program,
                    const struct wf_sites *sites, const struct wf_regions *regions,
                    const struct wf_merged_events *merged, const struct wf_merged_visits *visits);

/* Makes the rows, with all segments added. Without any path there are none. Returns 0, or -1 without memory. */
int wf_critical_settle(struct wf_critical *critical, struct wf_collected_program *program, struct wf_sites *sites,
                       struct wf_regions *regions);

int64_t wf_critical_length_ns(const struct wf_critical *critical);

/* When it began, on the common clock, in virtual time. */
int64_t wf_critical_begin_ns(const struct wf_critical *critical);

/* from_ns: when the path begins in the run; wall_ns: how long the run took. */
void wf_critical_note(const struct wf_critical *critical, struct wf_notes *notes, int64_t from_ns, int64_t wall_ns);

#endif
