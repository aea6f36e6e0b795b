/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A source file with its times beside the lines.
 */
#ifndef WF_SOURCE_TEXT_H
#define WF_SOURCE_TEXT_H

#include "analyse/listing.h"
#include "present/page.h"

/* `rank` as in wf_graph_view. */
void wf_listing_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_listing *listing, int rank);

#endif
