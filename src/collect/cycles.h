/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which nodes of a graph lie on a common cycle: its strongly connected components. A pure function.
 */
#ifndef WF_COLLECT_CYCLES_H
#define WF_COLLECT_CYCLES_H

#include <stddef.h>
#include <stdint.h>

struct wf_edge {
    uint32_t from, to;
};

/* Sets component[node], of `node_count` nodes, to the lowest node of its component. Sorts the edges. Returns
 * 0, or -1 without memory. */
int wf_cycles_find(struct wf_edge *edges, size_t edge_count, uint32_t node_count, uint32_t *component);

#endif
