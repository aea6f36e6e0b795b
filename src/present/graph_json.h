/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program graph for machines: its nodes by kind, and the edges between them.
 */
#ifndef WF_GRAPH_JSON_H
#define WF_GRAPH_JSON_H

#include <stdio.h>

#include "analyse/graph.h"

/* Members of an object, separated by commas; written one by one. The view must be that of all ranks. */
void wf_graph_write_json(FILE *out, const struct wf_graph *graph);

#endif
