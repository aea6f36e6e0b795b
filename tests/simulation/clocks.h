/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library does with its virtual clock, on simulated calls: every process has a wf_virtual, every message
 * carries a wf_stamp, every call that depends on others is settled. Beside it, an observer writes down only the times:
 * in a run without probes they are the truth.
 */
#ifndef SIM_CLOCKS_H
#define SIM_CLOCKS_H

#include "engine.h"
#include "measure/clock/virtual.h"

/* One action, on the clock that was used. */
struct sim_record {
    uint64_t begin, end, sync;
    int32_t who;                 /* the process whose entry came last; -1: it depends on no entry */
    uint64_t ideal;              /* at its end */
    uint64_t roots, passed; /* root causes of sync, all together and those that `who` only passed on (sim_watched) */
    uint64_t begin_off, end_off; /* how far begin and end may be off, because latencies are estimated */
};

/* The caller frees records and finish (sim_records_free). */
struct sim_records {
    struct sim_record *actions; /* by sim_place */
    uint64_t *finish;           /* by process: after its last probe */
    uint64_t *finish_ideal, *finish_off;
    uint64_t *waited; /* by process: sum of sync */
    uint64_t *roots;  /* by process and root: the part of it that this root's work has caused (sim_watched) */
    bool finished;    /* else: deadlock */
    uint32_t differ;  /* actions that waited in the watched run or without it, but not in both */
    uint32_t raw;     /* actions whose real waiting time came out wrong */
};

void sim_records_free(struct sim_records *records);

/* The program's own times, without probes. */
struct sim_records sim_truth(const struct sim_program *program, const struct sim_network *network);

/* The times according to a clock, from a watched run. estimated: latencies are not known but learnt from the run
 * (wf_latency), and those of collectives count as 0. */
struct sim_records sim_watched(const struct sim_program *program, const struct sim_network *network,
                               const struct sim_probes *probes, enum wf_clock_model model, bool estimated);

#endif
