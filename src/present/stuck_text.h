/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A deadlock in words and as JSON: for standard error during a run, for weft stuck, and for the report.
 */
#ifndef WF_STUCK_TEXT_H
#define WF_STUCK_TEXT_H

#include <jansson.h>
#include <stdbool.h>

#include "analyse/stuck.h"
#include "present/page.h"

/* Prints who waits for whom: the cycle in its order, then the other ranks that are stuck. The first line begins with
 * `first`, the others with `next`. all: also when there are many. Nothing if no rank is stuck. */
void wf_stuck_print(struct wf_page *page, const struct wf_stuck *stuck, enum wf_style style, const char *first,
                    const char *next, bool all);

/* One line about a rank, stuck or not: "rank 0: MPI_Recv at ring.c:12 for 1.3 s, waits for a message from rank 1". */
void wf_stuck_print_rank(struct wf_page *page, const struct wf_stuck_rank *rank, enum wf_style style,
                         const char *first);

/* To be freed with json_decref. */
json_t *wf_stuck_json(const struct wf_stuck *stuck);

#endif
