/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The questions of [LZ] 6.4.1 by name. One constant table: a new question is one entry in it.
 */
#ifndef WF_ANALYSE_QUESTION_H
#define WF_ANALYSE_QUESTION_H

#include "analyse/answer.h"

struct wf_question {
    const char *name;
    const char *argument; /* its name in the help; NULL: it has none */
    const char *help;     /* one sentence */
    /* `argument` is a user's word. Sets a zeroed answer, or the error. */
    int (*ask)(const struct wf_graph *graph, const char *argument, struct wf_answer *answer, struct wf_error *error);
};

extern const struct wf_question wf_questions[]; /* ended by an entry without a name */

/* The question of this name; or NULL, with a sentence that names the nearest one. */
const struct wf_question *wf_question_find(const char *name, struct wf_error *error);

/* Returns 0 and an answer to free, or -1. */
int wf_question_ask(const struct wf_question *question, const struct wf_graph *graph, const char *argument,
                    struct wf_answer *answer, struct wf_error *error);

#endif
