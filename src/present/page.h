/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where text goes: a stream with its width, its characters and whether colour is welcome. Not owned: the
 * stream.
 */
#ifndef WF_PAGE_H
#define WF_PAGE_H

#include <stdbool.h>
#include <stdio.h>

enum wf_style { WF_PLAIN, WF_BOLD, WF_DIM, WF_GOOD, WF_WARN, WF_BAD };

/* The signs that differ between a UTF-8 terminal and any other. */
struct wf_glyphs {
    const char *dot, *ellipsis, *rule, *times, *micro, *dash;
    const char *to, *from, *with;               /* between a rank and its partner */
    const char *branch, *corner, *trunk, *peak; /* of a tree */
    const char *useful, *mpi;                   /* the two halves of a rank's bar */
    const char *track;                          /* the empty part of a bar */
    const char *eighths[9];                     /* a cell of a bar, filled from 0 to 8 eighths */
    const char *levels[9];                      /* a cell of a sketch: 0, and eight heights */
};

struct wf_page {
    FILE *out;
    int width;
    bool colour;
    const struct wf_glyphs *glyphs;
};

enum { WF_PAGE_NARROWEST = 72, WF_PAGE_WIDEST = 1000 };

/* Width 0: that of the terminal, else of $COLUMNS, else 80; between the limits above in any case. The locale
 * must be set (setlocale). */
void wf_page_init(struct wf_page *page, FILE *out, long long width);

/* Text in a style, cleaned, without a newline. */
void wf_page_print(struct wf_page *page, enum wf_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A bold line behind an empty one. */
void wf_page_heading(struct wf_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line across the page, up to `columns` of it. */
void wf_page_rule(struct wf_page *page, int indent, int columns);

/* Whole lines: broken between words, the first behind `first`, the others behind as many blanks. */
void wf_page_wrap(struct wf_page *page, enum wf_style style, const char *first, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a line whose first `indent` columns are printed already. */
void wf_page_wrap_at(struct wf_page *page, enum wf_style style, int indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
