/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program against the truth: it is run without probes, and with them under the virtual clock. Begin, end and waiting
 * time of every action must be the same: to the nanosecond where latencies are known, within the latency's own error
 * where they are estimated. The ideal clock must end where a third run ends, in which only computing takes time.
 */
#ifndef SIM_CHECK_H
#define SIM_CHECK_H

#include "clocks.h"
#include "random.h"

struct sim_mistake {
    const char *what;        /* NULL: none */
    uint32_t process, index; /* the first wrong action */
    uint64_t expected, got, allowed;
};

/* How much a check has shown: how many actions waited only with or only without probes, how many had the largest error
 * allowed, where one is allowed, and how many waited for a process that waited itself. */
struct sim_shown {
    uint64_t differ, reached, chains;
};

/* Adds to *shown. */
struct sim_mistake sim_check(const struct sim_program *program, const struct sim_network *network,
                             const struct sim_probes *probes, bool estimated, struct sim_shown *shown);

/* Makes a smallest program that is still wrong: without any one of its units it would be right. Frees the program that
 * it is given. */
struct sim_program *sim_shrink(struct sim_program *program, const struct sim_network *network,
                               const struct sim_probes *probes, bool estimated);

/* Probes that cost up to max_ns or twice that, outside the clock's readings on either side, and a quarter of it between
 * them; some actions have none. A process is watched with a density of its own, 1 to 4, and if some are unwatched, 0
 * to 4. */
struct sim_probe_costs {
    uint64_t seed;
    uint32_t max_ns;
    bool some_unwatched;
};
struct sim_probes sim_random_probes(const struct sim_probe_costs *costs);
struct sim_network sim_random_network(struct sim_random *random, bool jitter);

#endif
