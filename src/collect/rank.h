/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One watched process, distilled from its segment: everything the profile says about it but its statements.
 */
#ifndef WF_COLLECT_RANK_H
#define WF_COLLECT_RANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/address_space.h"
#include "collect/program.h"
#include "collect/segment_reader.h"
#include "collect/sites.h"
#include "collect/timebase.h"

enum wf_ending {
    WF_ENDING_FINALIZED,
    WF_ENDING_ABORTED,
    WF_ENDING_EXITED,
    WF_ENDING_DIED,
    WF_ENDING_RUNNING,
};

/* What its lanes say, in ticks. */
struct wf_rank_lanes {
    unsigned threads;             /* that called MPI */
    unsigned threads_with_events; /* and came back from it */
    uint64_t events, mpi_ticks, mpi_virtual_ticks, sync_ticks, sync_raw_ticks;
    uint64_t overhead_ticks;
    uint64_t intrusion_ticks, lag_ticks; /* of the main thread, at the end of its last call */
    uint64_t last_sign_ticks;            /* the last time any of them was seen */
    uint32_t current_site;               /* of the main thread: offset in the segment; 0: in no call */
    struct wf_header_counts headers;
};

/* Virtual, unless the name says raw. */
struct wf_rank_times {
    int64_t init_ns, finalize_ns; /* these two are raw: nothing in them is compensated */
    int64_t wall_ns, wall_raw_ns, paused_ns, mpi_ns, mpi_raw_ns, useful_ns;
    int64_t begin_intrusion_ns; /* how much of the intrusion had come together when MPI_Init ended */
    int64_t sync_ns, sync_raw_ns, ideal_ns;
    int64_t overhead_ns, dropped_ns;
};

struct wf_rank {
    char *file;                       /* its segment in the run's directory */
    struct wf_segment_header *header; /* a copy; its texts end with a 0 */
    uint64_t used_bytes;
    bool damaged;     /* its segment is cut short */
    bool has_virtual; /* else raw times stand for virtual ones */
    bool without_mpi; /* it never initialised MPI: it is rank 0 of a world of its own */
    size_t regions;   /* that instrumented code has met */
    uint64_t visits;  /* of them */
    struct wf_timebase timebase;
    struct wf_address_space space;
    struct wf_rank_lanes lanes;
    uint32_t last_site; /* number for wf_sites_entry of the call it is in, unless it ended well; WF_NO_SITE:
                           in none */
    enum wf_ending ending;

    /* Known once all are: */
    struct wf_host_clock host_clock; /* its host's CLOCK_MONOTONIC to the clock common to all */
    struct wf_rank_times times;
    unsigned world; /* number of its MPI_COMM_WORLD in this run */
    int64_t rank;   /* in the profile */
};

struct wf_ranks {
    struct wf_rank *items;
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_ranks_fini(struct wf_ranks *ranks);

/* Adds what the loaded segment says, its statements to the sites. Returns 0, or -1 without memory. */
int wf_ranks_add(struct wf_ranks *ranks, const struct wf_segment_reader *reader, const char *file,
                 struct wf_program *program, struct wf_sites *sites);

/* With all of them there: gives everybody a clock, brings the clocks together, converts the times. */
int wf_ranks_settle_times(struct wf_ranks *ranks);

int64_t wf_rank_begin_ns(const struct wf_rank *rank);         /* end of MPI_Init on the common clock, raw */
int64_t wf_rank_virtual_begin_ns(const struct wf_rank *rank); /* the same in virtual time */
/* A moment of the process's virtual time on the common clock. */
int64_t wf_rank_virtual_moment_ns(const struct wf_rank *rank, uint64_t virtual_ticks);
int64_t wf_rank_ticks_ns(const struct wf_rank *rank, uint64_t ticks);

/* A sum of ticks that has a virtual and a raw value, and the virtual one in nanoseconds. */
int64_t wf_rank_virtual_ns(const struct wf_rank *rank, uint64_t virtual_ticks, uint64_t raw_ticks);

const char *wf_rank_ending(const struct wf_rank *rank);
uint64_t wf_rank_dropped_calls(const struct wf_rank *rank);
bool wf_rank_complete(const struct wf_rank *rank);

#endif
