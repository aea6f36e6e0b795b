/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program from the top, as text. Each function prints whole lines that fit the page.
 */
#ifndef WF_TREE_TEXT_H
#define WF_TREE_TEXT_H

#include "analyse/thread.h"
#include "present/page.h"

/* Describes the ranks of the figures: "mean over 4 ranks", "rank 3". `rank` is an index, or WF_NO_NODE. To be freed. */
char *wf_tree_subject(const struct wf_graph *graph, int rank);

/* Prints the heading, the callers of the chosen roots, the tree, and a note about omitted parts. `rank` is as in
 * wf_graph_view. */
void wf_tree_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_outline *outline, int rank,
                   const struct wf_outline_choice *choice);

/* Prints the threads of all ranks or of one rank, one below the other. Changes the graph's view. */
void wf_tree_print_threads(struct wf_page *page, struct wf_graph *graph, const struct wf_thread_list *threads, int rank,
                           const struct wf_outline_choice *choice);

#endif
