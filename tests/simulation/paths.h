/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the library does with format/path.h, on simulated calls: every process has a wf_path beside its virtual clock,
 * and every entry carries a snapshot.
 */
#ifndef SIM_PATHS_H
#define SIM_PATHS_H

#include "follow.h"

struct sim_paths {
    bool finished;       /* else: deadlock */
    uint32_t not_virtual; /* ends of calls where the path was not as long as the virtual time since the start (longer,
                             if some were idle); only without start and stop */
    uint32_t not_whole;   /* snapshots whose own shares, or places, did not add up to the path's length; or with savings
                             above the share */
};

struct sim_paths sim_paths_run(const struct sim_program *program, const struct sim_network *network,
                               const struct sim_probes *probes, const struct sim_follow *follow,
                               const struct sim_cut *cut, struct sim_answer *answer);

#endif
