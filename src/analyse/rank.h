/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The processes of a run. A list owns its ranks; it is ordered by rank and not changed after it was read.
 */
#ifndef WF_ANALYSE_RANK_H
#define WF_ANALYSE_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/parts.h"
#include "analyse/profile.h"

struct wf_rank {
    int64_t rank; /* in the profile: ranks of other worlds follow those of world 0 */
    int64_t world, world_rank;
    int64_t pid;
    int64_t started_ns, wall_ns, wall_raw_ns, mpi_ns, mpi_raw_ns, useful_ns, init_ns, finalize_ns, paused_ns;
    int64_t sync_ns, sync_raw_ns; /* waiting for other ranks, a part of mpi_ns */
    struct wf_idle idle;          /* further parts of it; the rest is transfer */
    int64_t transfer_ns;
    int64_t no_core_outside_ns; /* ready without a core outside of MPI, a part of useful_ns */
    int64_t no_core_all_ns;     /* altogether, also while it waited for other ranks */
    int64_t ideal_ns;           /* wall_ns on a network whose transfers take no time */
    int64_t overhead_ns, intrusion_ns;
    int64_t probe_ns, probe_inner_ns, pair_ns, pair_inner_ns, probe_check_expected_ns, probe_check_seen_ns;
    int64_t clock_offset_ns, clock_drift_ppb, clock_error_ns;
    int64_t headers_sent, headers_taken, headers_missing, headers_ambiguous, headers_dropped;
    int64_t events, threads, segment_bytes;
    int64_t dropped_calls, dropped_ns, dropped_requests;
    int64_t complete;
    int64_t end_code;     /* only if it aborted */
    int64_t last_site;    /* id of a statement; 0: none */
    int64_t last_site_ns; /* how long it had been there */
    char *host;
    char *ending; /* 'finalized', 'aborted', 'exited', 'died', 'running' */
    struct wf_rank_region {
        char *type, *name, *file, *procedure; /* "": it was in none that is known */
        int64_t line;
    } region; /* the innermost one that it was in when it ended */
};

struct wf_rank_list {
    struct wf_rank *items;
    size_t count;
    size_t first_world; /* so many, from the first, are of world 0 */
    size_t hosts;       /* different host names among those */
};

/* The integer columns, for reading and for printing; ended by an entry without a name. */
struct wf_rank_field {
    const char *name;
    size_t place;
};
extern const struct wf_rank_field wf_rank_fields[];
int64_t wf_rank_value(const struct wf_rank *rank, const struct wf_rank_field *field);

int wf_rank_list_read(struct wf_rank_list *list, struct wf_profile *profile, struct wf_error *error);
void wf_rank_list_free(struct wf_rank_list *list);

/* The parts of its time in MPI. */
struct wf_parts wf_rank_parts(const struct wf_rank *rank);

/* The index of a rank in the list, or -1. */
int wf_rank_list_find(const struct wf_rank_list *list, int64_t rank);

/* Sums over world 0. */
int64_t wf_rank_list_sum(const struct wf_rank_list *list, size_t place);

/* The rank of world 0 with the largest value; NULL if there is none. */
const struct wf_rank *wf_rank_list_largest(const struct wf_rank_list *list, size_t place);

/* When it was last seen, since the end of the first rank's MPI_Init; if that is too long, as long as can be. */
int64_t wf_rank_end_ns(const struct wf_rank *rank);

bool wf_rank_ended_well(const struct wf_rank *rank);

#endif
