/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The whole report as JSON. Statements are written one by one, so that memory does not grow with their number.
 */
#ifndef WF_REPORT_JSON_H
#define WF_REPORT_JSON_H

#include <stdio.h>

#include "analyse/graph.h"

/* `chosen` holds the indices of the statements to show, ended by -1, or is NULL for all. `graph` may be NULL to
 * leave it out. Returns -1 with the error set if the profile is damaged; the output is then not valid JSON. */
int wf_report_write_json(FILE *out, const struct wf_overview *overview, const int *chosen, const struct wf_graph *graph,
                         struct wf_error *error);

#endif
