/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The questions of [LZ] 6.4.1 by name, and their answers. One table: a new question is one entry in it.
 */
#ifndef WF_QUESTION_H
#define WF_QUESTION_H

#include "analyse/graph.h"

/* Owns its arrays; each has one value for each rank of the profile. */
struct wf_answer {
    int64_t *time_ns;
    int64_t *calls;   /* NULL: not a question of how often */
    const char *unit; /* what is counted; NULL: calls */
    int64_t
        *transmission_ns; /* NULL: not a question of communication; else time_ns is the sum of these two */
    int64_t *synchronisation_ns;
    int inside;     /* a node whose content belongs to the answer, or WF_NO_NODE */
    char note[256]; /* what is to be known about it, or "" */
};

struct wf_question {
    const char *name;
    const char *argument; /* its name in the help; NULL: it has none */
    const char *help;     /* one sentence */
    /* `argument` is a user's word. Sets a zeroed answer, or the error. */
    int (*ask)(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
               struct wf_error *error);
};

extern const struct wf_question wf_questions[]; /* ended by an entry without a name */

/* NULL with a sentence that names the nearest one. */
const struct wf_question *wf_question_find(const char *name, struct wf_error *error);

/* Returns 0 and an answer to free, or -1. */
int wf_question_ask(const struct wf_question *question, const struct wf_graph *graph, const char *argument,
                    struct wf_answer *answer, struct wf_error *error);
void wf_answer_free(struct wf_answer *answer);

#endif
