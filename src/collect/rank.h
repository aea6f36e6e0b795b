/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One watched process as its segment tells it: all that the profile has about the process itself, without its
 * statements. The list owns its ranks.
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
    unsigned threads; /* that called MPI */
    uint64_t events, overhead_ticks;
    uint64_t intrusion_ticks;     /* of the main thread, at the end of its last call */
    uint64_t last_sign_ticks;     /* the last time that any of them was seen */
    uint32_t current_site;        /* of the main thread: offset in the segment; 0: in no call */
    uint64_t current_since_ticks; /* when it entered that call */
    struct wf_header_counts headers;
    /* Of the thread that stands for the rank: */
    uint64_t mpi_ticks, mpi_virtual_ticks, sync_ticks, sync_raw_ticks;
    struct wf_idle_ticks idle;  /* parts of mpi_virtual_ticks */
    uint64_t no_core_ticks;     /* outside of calls */
    uint64_t no_core_all_ticks; /* also while it waited for others */
    uint64_t lag_ticks;         /* at the end of its last call */
    bool open_call;             /* it is in a call, */
    uint64_t open_since_ticks;  /* since then */
};

/* Virtual, unless the name says raw. */
struct wf_rank_times {
    int64_t init_ns, finalize_ns; /* these two are raw: nothing in them is compensated */
    int64_t wall_ns, wall_raw_ns, paused_ns, mpi_ns, mpi_raw_ns, useful_ns;
    int64_t begin_intrusion_ns; /* the intrusion until the end of MPI_Init */
    int64_t sync_ns, sync_raw_ns, ideal_ns;
    int64_t polling_ns, no_core_ns, unexplained_ns; /* parts of mpi_ns */
    int64_t no_core_outside_ns;                     /* a part of useful_ns */
    int64_t no_core_all_ns;                         /* also while it waited for others */
    int64_t overhead_ns, dropped_ns;
    int64_t last_site_ns; /* in last_site, until it was last seen */
};

struct wf_collected_rank {
    char *file;                       /* its segment in the run's directory */
    struct wf_segment_header *header; /* a copy; its texts end with a 0 */
    uint64_t used_bytes;
    bool damaged;     /* its segment is damaged or cut short */
    bool has_virtual; /* false: raw times stand for virtual ones */
    bool without_mpi; /* it never initialised MPI: it is rank 0 of a world of its own */
    size_t regions;   /* how many instrumented code has met */
    uint64_t visits;  /* of regions */
    struct wf_timebase timebase;
    struct wf_address_space space;
    struct wf_rank_lanes lanes;
    uint32_t last_site; /* number for wf_sites_entry of the call in which it is or ended; WF_NO_SITE: none */
    enum wf_ending ending;
    bool alive;      /* now */
    int64_t gone_ns; /* when it was found to be gone, on its host's CLOCK_MONOTONIC; 0: not known */

    /* Known once all ranks are: */
    struct wf_host_clock host_clock; /* from its host's CLOCK_MONOTONIC to the common clock */
    uint64_t seen_ticks; /* the last moment of its life that is known: what is under way then is as long as that */
    struct wf_rank_times times;
    unsigned world; /* number of its MPI_COMM_WORLD in this run */
    int64_t rank;   /* in the profile */
};

struct wf_collected_ranks {
    struct wf_collected_rank *items;
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_collected_ranks_fini(struct wf_collected_ranks *ranks);

/* Adds the process of the loaded segment, and its statements to the sites. Returns 0, or -1 without memory. */
int wf_collected_ranks_add(struct wf_collected_ranks *ranks, const struct wf_segment_reader *reader, const char *file,
                           struct wf_collected_program *program, struct wf_sites *sites);

/* With all ranks added: finds a clock for each, aligns the clocks of the hosts, converts the times. Returns 0, or -1
 * without memory. */
int wf_collected_ranks_settle_times(struct wf_collected_ranks *ranks);

int64_t wf_collected_rank_begin_ns(const struct wf_collected_rank *rank); /* end of MPI_Init on the common clock, raw */
int64_t wf_collected_rank_virtual_begin_ns(const struct wf_collected_rank *rank); /* the same in virtual time */
/* A moment of the process's virtual time on the common clock. */
int64_t wf_collected_rank_virtual_moment_ns(const struct wf_collected_rank *rank, uint64_t virtual_ticks);
int64_t wf_collected_rank_ticks_ns(const struct wf_collected_rank *rank, uint64_t ticks);

/* The virtual value, in nanoseconds, of a sum of ticks that has a virtual and a raw one. */
int64_t wf_collected_rank_virtual_ns(const struct wf_collected_rank *rank, uint64_t virtual_ticks, uint64_t raw_ticks);

const char *wf_collected_rank_ending(const struct wf_collected_rank *rank);
uint64_t wf_collected_rank_dropped_calls(const struct wf_collected_rank *rank);
bool wf_collected_rank_complete(const struct wf_collected_rank *rank);

#endif
