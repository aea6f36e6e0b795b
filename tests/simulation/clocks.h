/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library does with measure/virtual.h, on simulated calls: every process has a wf_virtual, every message carries a wf_stamp, every call
 * that depends on others is settled. And, beside it, an observer that only writes down when everything was: run without probes, it is the truth.
 */
#ifndef SIM_CLOCKS_H
#define SIM_CLOCKS_H

#include "engine.h"
#include "measure/virtual.h"

/* One action, on the clock that was kept. */
struct sim_record {
    uint64_t begin, end, sync;
    int32_t who;                 /* whose entry came last, -1 where it depends on nobody's */
    uint64_t ideal;              /* at its end */
    uint64_t begin_off, end_off; /* how far begin and end may be off, because latencies are estimated */
};

/* Records and finish are the caller's to free (sim_records_free). */
struct sim_records {
    struct sim_record *actions; /* by sim_place */
    uint64_t *finish;           /* by process: after its last probe */
    uint64_t *finish_ideal, *finish_off;
    uint64_t *waited; /* by process: sum of sync */
    bool finished;    /* else: deadlock */
    uint32_t differ;  /* actions that waited in the watched run or without it, but not in both */
    uint32_t raw;     /* actions whose real waiting time was not what it really was */
};

void sim_records_free(struct sim_records *records);

/* The program's own times, without probes. */
struct sim_records sim_truth(const struct sim_program *program, const struct sim_network *network);

/* The times that a clock says they were, from a watched run. estimated: latencies are not known but learnt from the run (wf_latency), and those of
 * collectives taken as 0. */
struct sim_records sim_watched(const struct sim_program *program, const struct sim_network *network, const struct sim_probes *probes,
                               enum wf_clock_model model, bool estimated);

#endif
