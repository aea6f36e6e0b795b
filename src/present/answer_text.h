/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The answer to a question: a value with its unit for users, nanoseconds for scripts, or JSON with everything that is
 * known.
 */
#ifndef WF_ANSWER_TEXT_H
#define WF_ANSWER_TEXT_H

#include "analyse/question.h"
#include "present/page.h"

/* The question, its argument, and the index of the rank. WF_NO_NODE asks for the mean of the times and the sum of
 * the counts. */
struct wf_asked {
    const struct wf_question *question;
    const char *argument; /* or NULL */
    int rank;
};

void wf_answer_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_asked *asked,
                     const struct wf_answer *answer);
void wf_answer_write_ns(FILE *out, const struct wf_graph *graph, const struct wf_asked *asked,
                        const struct wf_answer *answer);
void wf_answer_write_json(FILE *out, const struct wf_graph *graph, const struct wf_asked *asked,
                          const struct wf_answer *answer);

#endif
