/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A source file with what its lines cost. A listing owns its texts and belongs to the graph and the view it
 * was made of.
 */
#ifndef WF_ANALYSE_LISTING_H
#define WF_ANALYSE_LISTING_H

#include "analyse/graph.h"

struct wf_listing_line {
    const char *text; /* without its end */
    bool known;       /* a statement that ran stands here */
    int64_t time_ns;  /* with everything inside: of statements, calls, loops and procedures that begin here */
    int64_t calls;    /* of the most expensive of them */
    bool shown;
};

struct wf_listing {
    char *file; /* as the compiler was given it */
    char *path; /* where it was found */
    bool newer; /* than the run: lines may have moved */
    char *content;
    struct wf_listing_line *lines; /* of line 1 first */
    size_t count;
};

/* `word` is the end of a path that the profile knows. The file is sought first under the path that the compiler was
 * given, relative to the current directory, then below `directory` (NULL: nowhere else). Procedures below the share
 * `least` of the program's time are not shown; 0 shows the whole file. */
int wf_listing_read(struct wf_listing *listing, const struct wf_graph *graph, const char *word, const char *directory,
                    double least, struct wf_error *error);
void wf_listing_free(struct wf_listing *listing);

#endif
