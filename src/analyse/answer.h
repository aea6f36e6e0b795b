/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The answer to a question, by rank, and how it is added up. It owns its arrays and belongs to the graph that it was
 * asked of.
 */
#ifndef WF_ANALYSE_ANSWER_H
#define WF_ANALYSE_ANSWER_H

#include "analyse/graph.h"

/* Each array has one value for each rank of the profile. */
struct wf_answer {
    int64_t *time_ns;
    int64_t *calls;             /* NULL: the question is not about counts */
    const char *unit;           /* what is counted; NULL: calls */
    int64_t *part_ns[WF_PARTS]; /* NULL: the question is not about communication; else time_ns is the sum of these */
    int inside;                 /* a node whose content belongs to the answer, or WF_NO_NODE */
    char note[256];             /* what the reader has to know about it, or "" */
};

void wf_answer_free(struct wf_answer *answer);

/* ---- for the questions ---- */

/* Makes room for counts, or for the parts of time in MPI. */
void wf_answer_want_calls(const struct wf_graph *graph, struct wf_answer *answer);
void wf_answer_want_transfers(const struct wf_graph *graph, struct wf_answer *answer);

void wf_answer_add_node(const struct wf_graph *graph, int node, struct wf_answer *answer);

/* Adds the parts of one statement's time; with 0, of all statements but those that start and end MPI,
 * which are no part of the program's communication. */
int wf_answer_add_transfers(const struct wf_graph *graph, int64_t site, struct wf_answer *answer,
                            struct wf_error *error);

/* Adds up how long and how often each rank waited. The SQL gives rows of a rank, its time and its number. */
int wf_answer_add_waits(const struct wf_graph *graph, const char *sql, int64_t value, struct wf_answer *answer,
                        struct wf_error *error);

/* Notes it where the profile cannot tell waiting from transfer, because no message came with a stamp. */
void wf_answer_note_waiting(const struct wf_graph *graph, struct wf_answer *answer);

#endif
