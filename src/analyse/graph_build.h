/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a graph is made; inside src/analyse only. First the nodes are read (graph_read.c), then each is put into the node
 * around it (graph_nest.c), then missing times are summed up (graph_sum.c).
 */
#ifndef WF_ANALYSE_GRAPH_BUILD_H
#define WF_ANALYSE_GRAPH_BUILD_H

#include "analyse/graph.h"
#include "analyse/query.h"

/* Adds a node and returns its index. The graph owns the texts from now on. */
int wf_graph_add(struct wf_graph *graph, enum wf_node_kind kind, char *name, char *file, int64_t line);

/* Puts `node` into `outer`, unless it stands somewhere already or would stand in itself. */
void wf_graph_put(struct wf_graph *graph, int node, int outer);

/* The procedure whose id is in a column; WF_NO_NODE: there is none. */
int wf_graph_find_procedure(const struct wf_graph *graph, struct wf_query *query, int column);

int wf_graph_read_nodes(struct wf_graph *graph, struct wf_error *error);
int wf_graph_nest(struct wf_graph *graph, struct wf_error *error);
void wf_graph_sum_up(struct wf_graph *graph);

#endif
