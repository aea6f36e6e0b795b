/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a report as text. Each prints whole lines that fit the page.
 */
#ifndef WF_REPORT_TEXT_H
#define WF_REPORT_TEXT_H

#include "analyse/overview.h"
#include "analyse/region.h"
#include "present/page.h"

/* What ran when and where, and what is missing. */
void wf_program_print_head(struct wf_page *page, const struct wf_overview *overview);

/* How much of it was MPI, and the efficiency factors. */
void wf_program_print(struct wf_page *page, const struct wf_overview *overview);

/* The statements in the order of the list, the first `top` of them. `order` is the name of that order. With
 * `raw`: what compensation did to them. */
void wf_statement_list_print(struct wf_page *page, const struct wf_overview *overview, size_t top,
                             const char *order, bool raw);

/* Who waited for whom, where and through what: by state, then the first `top` statements. Nothing if nobody
 * waited. */
void wf_wait_list_print(struct wf_page *page, const struct wf_overview *overview, size_t top);

/* The first `top` culprits of one wait, a sentence each, which begins in this column; in front of it, its
 * time. */
void wf_wait_print_culprits(struct wf_page *page, const struct wf_overview *overview,
                            const struct wf_wait *wait, size_t top, int column);

/* The critical path: the first `top` regions on it, or `all`, also those that are not; then what is hot
 * without being worth anything, its transfers, and where it runs. */
void wf_critical_path_print(struct wf_page *page, const struct wf_overview *overview, size_t top, bool all);

/* In short: the five regions with most of it, and what is hot. The profile has a path. Lines begin with
 * `prefix`. */
void wf_critical_path_print_top(struct wf_page *page, const struct wf_overview *overview, const char *prefix);

/* "rank 2 was late for 37 of these 40 barriers, through solve.c:88 (MPI_Recv)". To be freed. */
char *wf_culprit_text(const struct wf_overview *overview, const struct wf_wait *wait,
                      const struct wf_culprit *culprit);

/* Behind "watching": what it cost, and whether that was taken out. To be freed. */
char *wf_cost_text(struct wf_page *page, const struct wf_overview *overview);

/* What compensation did to procedures, loops and regions, the first `top` of them; nothing if there are none.
 */
void wf_region_list_print(struct wf_page *page, const struct wf_region_list *regions, size_t top);

/* One statement by partner, the first `top` pairs, and who made it wait. */
int wf_site_print(struct wf_page *page, const struct wf_overview *overview,
                  const struct wf_statement *statement, size_t top, bool raw, struct wf_error *error);

/* The ranks side by side; if there are many and not `all` are wanted, their quantiles and extremes. */
void wf_rank_list_print(struct wf_page *page, const struct wf_overview *overview, bool all);

/* The same ranks, and what compensation did to their times. */
void wf_rank_list_print_raw(struct wf_page *page, const struct wf_overview *overview, bool all);

/* Which ranks did not end well and where they were, and the notes; nothing if all is well. */
void wf_ending_print(struct wf_page *page, const struct wf_overview *overview);

/* How one rank ended: "died in MPI_Recv at heat.c:157"; "" if it ended well. To be freed. */
char *wf_ending_text(const struct wf_overview *overview, const struct wf_rank *rank);

#endif
