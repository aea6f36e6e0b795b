/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The static tables of a profile: which loop, call or communication statement stands in which procedure or loop of the
 * text. The list owns its rows and their texts. Inside src/analyse only.
 */
#ifndef WF_ANALYSE_STATIC_ROWS_H
#define WF_ANALYSE_STATIC_ROWS_H

#include "analyse/graph.h"

struct wf_static_place {
    char *file;
    int64_t line;
};

/* A row of the static tables. */
struct wf_static_row {
    bool in_loop;           /* `outer` is a loop, not a procedure */
    enum wf_node_kind kind; /* of what stands in it: loop, call or communication */
    struct wf_static_place outer, inner;
    struct wf_static_place callee; /* of a call, if its text is known */
    char *name;                    /* "" if the tables do not say */
};

struct wf_static_rows {
    struct wf_static_row *items;
    size_t count;
};

/* `rows` are zeroed; they are to be freed also after an error. */
int wf_static_rows_read(struct wf_static_rows *rows, struct wf_profile *profile, struct wf_error *error);
void wf_static_rows_free(struct wf_static_rows *rows);

#endif
