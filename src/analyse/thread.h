/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The threads of a run, each with its figures. Only processes with several threads have separate figures; in the others
 * the rank's figures are those of the thread. A list owns its threads and belongs to the graph it was read with.
 */
#ifndef WF_ANALYSE_THREAD_H
#define WF_ANALYSE_THREAD_H

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

/* Shows one thread. Calls have no figures then, because they are counted by rank. */
void wf_thread_view(struct wf_graph *graph, const struct wf_thread *thread);

/* The outline of a thread's view: below each procedure the loops, regions and communication statements in its text. */
void wf_thread_outline(struct wf_outline *outline, const struct wf_graph *graph,
                       const struct wf_outline_choice *choice);

#endif
