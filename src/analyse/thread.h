/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads of a run, each with what it did. Only processes with several threads have figures apart; of the others, the rank's
 * are the thread's. A list owns its threads and belongs to the graph it was read with.
 */
#ifndef WF_THREAD_H
#define WF_THREAD_H

#include "analyse/outline.h"

struct wf_thread_event {
    int node;
    int64_t calls, time_ns;
};

struct wf_thread {
    size_t rank; /* index */
    int64_t number, tid;
    bool is_main;
    struct wf_thread_event *events;
    size_t count;
};

struct wf_thread_list {
    struct wf_thread *items; /* by rank and number */
    size_t count;
};

int wf_thread_list_read(struct wf_thread_list *list, const struct wf_graph *graph, struct wf_error *error);
void wf_thread_list_free(struct wf_thread_list *list);

/* Shows one thread. Of calls nothing is known: they are counted by rank. */
void wf_thread_view(struct wf_graph *graph, const struct wf_thread *thread);

/* What the view of a thread has, below each procedure the loops, regions and communication statements in its text. */
void wf_thread_outline(struct wf_outline *outline, const struct wf_graph *graph,
                       const struct wf_outline_choice *choice);

#endif
