/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program graph as a tree of rows, from the whole program down to one statement. The content of a procedure is
 * shown once, at its most expensive call. An outline owns its rows and belongs to the graph and the view it was made
 * of.
 */
#ifndef WF_ANALYSE_OUTLINE_H
#define WF_ANALYSE_OUTLINE_H

#include "analyse/graph.h"

enum wf_row_role {
    WF_ROW_NODE,
    WF_ROW_ALL_CALLS, /* a procedure as a whole, below one of its several calls; or a cycle */
    WF_ROW_REST,      /* what was too small to be shown */
};

enum wf_row_see { WF_SEE_NOTHING, WF_SEE_ABOVE, WF_SEE_BELOW };

struct wf_outline_row {
    enum wf_row_role role;
    int node;      /* of the rest: the node whose rest it is, or WF_NO_NODE */
    int depth;     /* 0: a root */
    bool last;     /* among the rows of one parent */
    bool has_self; /* self_ns is known, and belongs to this row alone */
    int64_t self_ns;
    enum wf_row_see see; /* where the content of the procedure called here is shown */
    size_t rest;         /* how many nodes were too small, and their time */
    int64_t rest_ns;
};

struct wf_outline {
    struct wf_outline_row *rows;
    size_t count;
    size_t elsewhere; /* the first root that main is not known to call; count if there is none */
    size_t cut;       /* how many nodes were left out as too small */
};

struct wf_outline_choice {
    const int *roots; /* ended by WF_NO_NODE; NULL: the whole program */
    double least;     /* nodes below this share of the program's time on every rank are left out */
    long long depth;  /* how many levels below the roots; -1: all */
};

void wf_outline_make(struct wf_outline *outline, const struct wf_graph *graph, const struct wf_outline_choice *choice);
void wf_outline_free(struct wf_outline *outline);

#endif
