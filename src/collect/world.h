/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The MPI_COMM_WORLDs of one run. The one that began first is number 0, and its ranks are the profile's; the ranks of
 * the others (spawned processes, a second program in the run) follow. The collection owns them.
 */
#ifndef WF_COLLECT_WORLD_H
#define WF_COLLECT_WORLD_H

#include <stddef.h>
#include <stdint.h>

#include "collect/rank.h"

struct wf_world {
    int32_t size;
    int64_t first;  /* its rank 0 in the profile */
    size_t present; /* watched processes */
};

struct wf_worlds {
    struct wf_world *items;
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_worlds_fini(struct wf_worlds *worlds);

/* Gives every rank its world and its number, and sorts the ranks by it. Returns 0, or -1 without memory. */
int wf_worlds_assign(struct wf_worlds *worlds, struct wf_collected_ranks *ranks);

#endif
