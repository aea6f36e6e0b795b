/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path off line: it writes down every event of a run, makes a graph of them, and finds the longest path by
 * looking at every arc. It does so once for the path itself, which is then walked back for the shares, and again for
 * each region and each speed-up, with the region's arcs shortened. It is slow, and meant to be obviously right.
 *
 *     each action is three nodes: its begin, when everything it depends on has come, its end
 *     each node has an arc from the node before it in its process, and the middle one an arc from the begin of each
 *     part, as long as it travels
 */
#ifndef SIM_TWIN_H
#define SIM_TWIN_H

#include "follow.h"

struct sim_twin;

/* NULL: deadlock. */
struct sim_twin *sim_twin_new(const struct sim_program *program, const struct sim_network *network,
                              const struct sim_follow *follow);
void sim_twin_free(struct sim_twin *twin);
void sim_twin_solve(struct sim_twin *twin, const struct sim_cut *cut, struct sim_answer *answer);
uint32_t sim_twin_nodes(const struct sim_twin *twin);

#endif
