/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program graph as a tree, one row below the other: what a user walks down from the whole program to one
 * statement. What a procedure does is told once, at its most expensive call. An outline owns its rows and
 * belongs to the graph and the view it was made of.
 */
#ifndef WF_OUTLINE_H
#define WF_OUTLINE_H

#include "analyse/graph.h"

enum wf_row_role {
    WF_ROW_NODE,
    WF_ROW_ALL_CALLS, /* a procedure as a whole, below one of its several calls; or a cycle */
    WF_ROW_REST,      /* what was cut */
};

enum wf_row_see { WF_SEE_NOTHING, WF_SEE_ABOVE, WF_SEE_BELOW };

struct wf_outline_row {
    enum wf_row_role role;
    int node;      /* of the rest: what it is the rest of, or WF_NO_NODE */
    int depth;     /* 0: a root */
    bool last;     /* of those that stand in the same */
    bool has_self; /* self_ns is known and all of this row's */
    int64_t self_ns;
    enum wf_row_see see; /* where the procedure that is called here is told */
    size_t rest;         /* how many were cut, and their time */
    int64_t rest_ns;
};

struct wf_outline {
    struct wf_outline_row *rows;
    size_t count;
    size_t elsewhere; /* the first root that is not main and not known to be called by it; count if there is
                         none */
    size_t cut;       /* how many parts were left out as too small */
};

struct wf_outline_choice {
    const int *roots; /* ended by WF_NO_NODE; NULL: the whole program */
    double least;     /* what is below this share of the program's time on every rank is cut */
    long long depth;  /* how many levels below the roots; -1: all */
};

void wf_outline_make(struct wf_outline *outline, const struct wf_graph *graph,
                     const struct wf_outline_choice *choice);
void wf_outline_free(struct wf_outline *outline);

#endif
