/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A page is a stream with its width, its symbols, and whether colour is wanted. It does not own the stream.
 */
#ifndef WF_PAGE_H
#define WF_PAGE_H

#include <stdbool.h>
#include <stdio.h>

enum wf_style { WF_PLAIN, WF_BOLD, WF_DIM, WF_GOOD, WF_WARN, WF_BAD };

/* The symbols that differ between UTF-8 and ASCII. */
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

/* With width 0, uses the width of the terminal, else $COLUMNS, else 80. The width is kept within the limits above.
 * The locale must be set (setlocale). */
void wf_page_init(struct wf_page *page, FILE *out, long long width);

/* Prints a text in a style, cleaned, without a newline. */
void wf_page_print(struct wf_page *page, enum wf_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Prints an empty line and a bold line. */
void wf_page_heading(struct wf_page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a rule from `indent` to `columns`, at most to the end of the page. */
void wf_page_rule(struct wf_page *page, int indent, int columns);

/* Prints lines broken between words. The first line begins with `first`, the others with as many blanks. */
void wf_page_wrap(struct wf_page *page, enum wf_style style, const char *first, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* The same for a line whose first `indent` columns are already printed. */
void wf_page_wrap_at(struct wf_page *page, enum wf_style style, int indent, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* How many lines they print for a clean text that begins behind so many columns. */
int wf_page_lines(const struct wf_page *page, int indent, const char *text);

#endif
