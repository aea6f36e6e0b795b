/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library makes of every call by its rules: on the virtual clock, how long it waited, for whom, and what it
 * did besides; and which calls it depended on. It is told no more than MPI's own rules imply. What a library does along
 * a tree, at a fence, and for accesses to a window is found by arrivals: the one who came last before the call's end.
 *
 * With each result comes how far it may be off: by nothing where the rules know everything.
 */
#ifndef SIM_RULED_H
#define SIM_RULED_H

#include "clocks.h"
#include "follow.h"

struct sim_rules {
    bool told;           /* of all that calls depend on: arrivals are not needed */
    uint64_t arrival_ns; /* an arrival sooner after the begin is not looked for */
    uint64_t after_ns;   /* an arrival explains an end so soon after it, or sooner than it was waited for */
    struct sim_probes probes;
};

/* The time in one call: with the transfer, which is the rest, the five parts of it. */
struct sim_time {
    uint64_t sync;
    struct wf_idle_ticks idle;
};

struct sim_ruled {
    uint64_t begin, end, ideal; /* virtual; ideal: at its end */
    struct sim_time time;
    int32_t who;
    uint64_t roots;                                             /* its root causes, all together */
    uint64_t begin_off, end_off, ideal_off, sync_off, idle_off; /* how far these may be off */
};

struct sim_ruling {
    struct sim_ruled *actions; /* by sim_place; the caller frees it */
    uint64_t *roots; /* by process and root: for how long it waited for this root's work; the caller frees it */
    bool finished;
    uint32_t overfull; /* calls whose parts are more than the call */
    uint32_t wrong;    /* arrivals that were not found, or earlier ones than those that were waited for */
    uint64_t by_arrival, other_culprits; /* waits that were found by arrival; where it was another one that was waited
                                            for */
};

/* The observer, which may be NULL, sees a run on the virtual clock: each call depends on what the rules say, for as
 * long as they say. finish: of each process, on the virtual clock. */
struct sim_ruling sim_ruled_run(const struct sim_program *program, const struct sim_network *network,
                                const struct sim_rules *rules, const struct sim_observer *observer, uint64_t *finish);

/* The same of a run without probes, by definition; in a free network the end is the ideal one. */
struct sim_ruling sim_true_times(const struct sim_program *program, const struct sim_network *network);

/* By the rules, if there are some. */
bool sim_followed_run(const struct sim_program *program, const struct sim_network *network,
                      const struct sim_probes *probes, const struct sim_follow *follow,
                      const struct sim_observer *observer, uint64_t *finish);

#endif
