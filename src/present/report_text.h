/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a report as text. Each function prints whole lines that fit the page.
 */
#ifndef WF_REPORT_TEXT_H
#define WF_REPORT_TEXT_H

#include "analyse/headline.h"
#include "analyse/overview.h"
#include "analyse/region.h"
#include "present/page.h"

/* Prints the command, the time and place of the run, and what is missing. */
void wf_program_print_head(struct wf_page *page, const struct wf_overview *overview);

/* "rank 1 computes longest, after MPI_Recv at heat.c:34: half of this computing would make ..."; one sentence, to be
 * freed. */
char *wf_headline_text(const struct wf_overview *overview, const struct wf_headline *headline);

/* "waiting 3.00 s, transfer 20.0 ms": the parts of a time in MPI, without those that are 0; "" if transfer is all. To
 * be freed. */
char *wf_parts_text(struct wf_page *page, const struct wf_parts *parts);

/* "waiting 30.0 %, unexplained 12.0 %": the parts of the run that matter; to be freed. */
char *wf_parts_of_run_text(const struct wf_overview *overview);

/* "4 ranks on 2 cores"; "" if the cores are not known. To be freed. */
char *wf_cores_text(const struct wf_overview *overview);

/* "ranks had no core for 12.0 % of the run, 3.0 % while they waited"; to be freed. */
char *wf_no_core_text(const struct wf_overview *overview);

/* Prints for how much of the run ranks had no core, if they lost by it; with `all`, also if they only waited then. */
void wf_no_core_print(struct wf_page *page, const struct wf_overview *overview, const char *first, bool all);

/* Prints in front of a path that what faster regions would save depends on who gets the cores, if that is so. */
void wf_savings_are_doubtful(struct wf_page *page, const struct wf_overview *overview);

/* Prints why the savings of the critical path are not shown, and returns true; or nothing. */
bool wf_savings_are_withheld(struct wf_page *page, const struct wf_overview *overview, const char *prefix);

/* Prints the facts of the run and the efficiency factors. */
void wf_program_print(struct wf_page *page, const struct wf_overview *overview);

/* Prints the first `top` statements in the order of the list. `order` is the name of that order. With `raw`, shows
 * what compensation did to them. */
void wf_statement_list_print(struct wf_page *page, const struct wf_overview *overview, size_t top, const char *order,
                             bool raw);

/* Prints which ranks waited for which: by wait state, then the first `top` statements. Prints nothing if no rank
 * waited. */
void wf_wait_list_print(struct wf_page *page, const struct wf_overview *overview, size_t top);

/* Prints the first `top` culprits of a wait, one sentence each. The sentence begins in this column, after its time. */
void wf_wait_print_culprits(struct wf_page *page, const struct wf_overview *overview, const struct wf_wait *wait,
                            size_t top, int column);

/* Prints whether monitoring has changed the order of receives from any source, at which statements (the first `top`),
 * and what order control did. Prints nothing if the program has no such receives. */
void wf_order_list_print(struct wf_page *page, const struct wf_overview *overview, size_t top);

/* "monitoring changed the order of 12 of 340 receives from any source ..."; "" if that does not matter. To be freed. */
char *wf_order_text(struct wf_page *page, const struct wf_overview *overview);

/* Prints the critical path: its first `top` regions, or with `all` every region, then the regions that are hot but
 * save nothing, the transfers, and the ranks it runs on. */
void wf_critical_path_print(struct wf_page *page, const struct wf_overview *overview, size_t top, bool all);

/* Prints the five regions with the largest shares of the path, and the hot ones. The profile must have a path. Lines
 * begin with `prefix`. */
void wf_critical_path_print_top(struct wf_page *page, const struct wf_overview *overview, const char *prefix);

/* "rank 2 was late for 37 of these 40 barriers, through solve.c:88 (MPI_Recv); 3.1 % own work, 96.9 % passed on". To be
 * freed. */
char *wf_culprit_text(const struct wf_overview *overview, const struct wf_wait *wait, const struct wf_culprit *culprit);

/* "92.1 % of the waiting for rank 3's own work, mostly through heat.c:32 (MPI_Isend)"; "": no rank waited. To be
 * freed. */
char *wf_cause_text(const struct wf_overview *overview);

/* The text after "watching": its cost, and whether that was subtracted. To be freed. */
char *wf_cost_text(struct wf_page *page, const struct wf_overview *overview);

/* Prints what compensation did to the first `top` procedures, loops and regions; nothing if there are none. */
void wf_region_list_print(struct wf_page *page, const struct wf_region_list *regions, size_t top);

/* Prints one statement by partner, at most `top` partners, and the ranks that made it wait. */
int wf_site_print(struct wf_page *page, const struct wf_overview *overview, const struct wf_statement *statement,
                  size_t top, bool raw, struct wf_error *error);

/* Prints the ranks side by side. If there are many and not `all` are wanted, prints quantiles and extremes. */
void wf_rank_list_print(struct wf_page *page, const struct wf_overview *overview, bool all);

/* Prints the same ranks, and what compensation did to their times. */
void wf_rank_list_print_raw(struct wf_page *page, const struct wf_overview *overview, bool all);

/* Prints which ranks did not finish and where they were, and the notes; nothing if all is well. */
void wf_ending_print(struct wf_page *page, const struct wf_overview *overview);

/* How a rank ended: "died in MPI_Recv at heat.c:157"; "" if it finished. To be freed. */
char *wf_ending_text(const struct wf_overview *overview, const struct wf_rank *rank);

#endif
