/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program from the top down, as text. Each prints whole lines that fit the page.
 */
#ifndef WF_TREE_TEXT_H
#define WF_TREE_TEXT_H

#include "analyse/thread.h"
#include "present/page.h"

/* What the figures are of, as words: "mean over 4 ranks", "rank 3". `rank` is its index, or WF_NO_NODE. To be
 * freed. */
char *wf_tree_subject(const struct wf_graph *graph, int rank);

/* The heading, from where the chosen roots are called, the tree, and what was left out. `rank` as in
 * wf_graph_view. */
void wf_tree_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_outline *outline,
                   int rank, const struct wf_outline_choice *choice);

/* The threads one below the other, of all ranks or of one; changes what the graph shows. */
void wf_tree_print_threads(struct wf_page *page, struct wf_graph *graph, const struct wf_thread_list *threads,
                           int rank, const struct wf_outline_choice *choice);

#endif
