/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parts of a report as text. Each prints whole lines that fit the page.
 */
#ifndef WF_REPORT_TEXT_H
#define WF_REPORT_TEXT_H

#include "analyse/overview.h"
#include "present/page.h"

/* What ran when and where, and what is missing. */
void wf_program_print_head(struct wf_page *page, const struct wf_overview *overview);

/* How much of it was MPI, and the efficiency factors. */
void wf_program_print(struct wf_page *page, const struct wf_overview *overview);

/* The statements in the order of the list, the first `top` of them. `order` is the name of that order. */
void wf_statement_list_print(struct wf_page *page, const struct wf_overview *overview, size_t top,
                             const char *order);

/* One statement by partner, the first `top` pairs. */
int wf_site_print(struct wf_page *page, const struct wf_overview *overview,
                  const struct wf_statement *statement, size_t top, struct wf_error *error);

/* The ranks side by side; if there are many and not `all` are wanted, their quantiles and extremes. */
void wf_rank_list_print(struct wf_page *page, const struct wf_overview *overview, bool all);

/* Which ranks did not end well and where they were, and the notes; nothing if all is well. */
void wf_ending_print(struct wf_page *page, const struct wf_overview *overview);

/* How one rank ended: "died in MPI_Recv at heat.c:157"; "" if it ended well. To be freed. */
char *wf_ending_text(const struct wf_overview *overview, const struct wf_rank *rank);

#endif
