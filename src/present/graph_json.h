/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program graph as JSON: its nodes by kind, and the edges between them.
 */
#ifndef WF_GRAPH_JSON_H
#define WF_GRAPH_JSON_H

#include <stdio.h>

#include "analyse/graph.h"

/* Writes members of a JSON object, separated by commas, one at a time. The graph's view must be that of all ranks. */
void wf_graph_write_json(FILE *out, const struct wf_graph *graph);

#endif
