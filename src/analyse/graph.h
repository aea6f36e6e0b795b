/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program graph of [LZ] 6.1: procedures, in them loops, marked regions, call statements and communication
 * statements, in each loop the same; and from each call statement to the procedure it calls. Each node has
 * the figures of every rank. A graph owns its nodes and belongs to the overview it was read with.
 */
#ifndef WF_ANALYSE_GRAPH_H
#define WF_ANALYSE_GRAPH_H

#include "analyse/overview.h"

enum wf_node_kind {
    WF_NODE_PROCEDURE,
    WF_NODE_CYCLE, /* procedures that call each other in a circle: seen from outside, one procedure ([LZ] 6.3) */
    WF_NODE_LOOP,
    WF_NODE_REGION,
    WF_NODE_PHASE,
    WF_NODE_CALL,
    WF_NODE_COMMUNICATION,
};

enum { WF_NO_NODE = -1 };

/* Of one rank, or of what a view shows. */
struct wf_figures {
    int64_t calls;
    int64_t time_ns; /* with everything inside */
    int64_t self_ns; /* without the loops, calls and communication statements inside */
};

struct wf_node {
    enum wf_node_kind kind;
    int64_t id; /* of its row: procedure, cycle or statement; 0 for calls, and for loops without a probe */
    char *name; /* procedure, loop's kind, MPI function, what the user called it; "" for a call */
    char *file; /* "" if it has no place: where the program begins, a cycle, a region marked by name only */
    int64_t line;
    int parent;               /* the procedure, loop or region that it stands in; of a procedure: its cycle */
    int first_child, next;    /* the nodes in it, in no order; the next node of its parent */
    int procedure;            /* itself, or the one it stands in; WF_NO_NODE: not known */
    int callee;               /* of a call: the procedure */
    int target;               /* of a call: the procedure, or the cycle it belongs to */
    size_t call_count;        /* of a procedure or cycle: the statements that call it */
    bool measured;            /* false: it has no record, and its time is the sum of the statements in it */
    bool has_self;            /* self_ns is known */
    bool loose;               /* a region whose content is not known: it overlaps its neighbours */
    bool outside;             /* it starts or ends MPI, and no main with a time is around it: it has no parent */
    bool recursive;           /* calls itself, or each other */
    bool switched_off;        /* during the run: its figures do not cover the whole run */
    struct wf_figures *ranks; /* one for each rank of the profile */
    struct wf_figures shown;  /* since wf_graph_view */
    int64_t max_ns;
    size_t worst; /* index of the rank with max_ns */
};

struct wf_graph {
    const struct wf_overview *overview;
    struct wf_node *nodes;
    size_t count;
    size_t procedures;   /* so many nodes, from the first, are procedures, by id */
    int main;            /* the call where the program begins; WF_NO_NODE: it has no probe */
    bool instrumented;   /* some procedure or loop has a record */
    int64_t *program_ns; /* of each rank: the time of main, or the wall time */
    int64_t shown_ns;    /* since wf_graph_view: of the program */
};

/* Reads the graph and shows the means over the ranks. */
int wf_graph_read(struct wf_graph *graph, const struct wf_overview *overview, struct wf_error *error);
void wf_graph_free(struct wf_graph *graph);

/* Shows one rank, by its index; with WF_NO_NODE, the means of the times and the sums of the counts. */
void wf_graph_view(struct wf_graph *graph, int rank);

/* Sets the index of a rank by its number; WF_NO_NODE for a number below 0. Returns -1 with a sentence if there is no
 * such rank. */
int wf_graph_find_rank(const struct wf_graph *graph, long long number, int *rank, struct wf_error *error);

/* Whether the view has a figure of it. */
bool wf_node_is_known(const struct wf_node *node);

/* Orders nodes by what the view shows, the most expensive first. */
void wf_graph_sort(const struct wf_graph *graph, int *nodes, size_t count);

/* The known nodes in a node, in that order, ended by WF_NO_NODE; to be freed. */
int *wf_graph_content(const struct wf_graph *graph, int outer);

/* Whether `node` stands in `outer`, or is it, within one procedure. */
bool wf_graph_is_within(const struct wf_graph *graph, int node, int outer);

/* The nodes of some kinds (bits: 1 << kind) that a user's NAME or FILE:LINE means, ended by WF_NO_NODE; to be freed.
 * Nodes that stand in another one of them are left out. If there are none: NULL, with a sentence that names the nearest
 * one. */
enum { WF_ALL_KINDS = -1 };
int *wf_graph_find(const struct wf_graph *graph, const char *word, int kinds, struct wf_error *error);

/* "heat.c:214", the file as the compiler was given it; "" without a place. To be freed. */
char *wf_node_place(const struct wf_node *node);

/* What people call it: "relax", "for loop", "region solve". To be freed. */
char *wf_graph_label(const struct wf_graph *graph, int node);

#endif
