/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows under headings. Columns are as wide as their widest cell; those that may be cut shrink until the page
 * holds them. A table owns its cells.
 */
#ifndef WF_TABLE_H
#define WF_TABLE_H

#include <stddef.h>

#include "present/page.h"

enum wf_cut { WF_CUT_NEVER, WF_CUT_END, WF_CUT_PATH, WF_CUT_NAME };

struct wf_column {
    const char *heading; /* "" for none */
    bool right;          /* aligned */
    enum wf_cut cut;
};

struct wf_cell {
    char *text;
    enum wf_style style;
};

enum { WF_TABLE_COLUMNS = 16 };

struct wf_table {
    struct wf_page *page;
    const struct wf_column *columns;
    int column_count;
    int indent, gap; /* blanks before the first column, and between two */
    int widths[WF_TABLE_COLUMNS];
    struct wf_cell *cells;
    size_t cell_count;
};

/* `columns` must outlive the table. */
void wf_table_init(struct wf_table *table, struct wf_page *page, const struct wf_column *columns,
                   int column_count, int indent);
void wf_table_free(struct wf_table *table);

/* Cells come row by row. The text is cleaned. */
void wf_table_add(struct wf_table *table, enum wf_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What the whole table wants, uncut, indent included. */
int wf_table_wants(const struct wf_table *table);

/* Settles the widths; to be called once all cells are there. wf_table_print does it. */
void wf_table_fit(struct wf_table *table);

/* Columns that the page has left, for a bar. */
int wf_table_left(const struct wf_table *table);

/* Widens the gaps, up to `widest`, as long as the page holds the table. */
void wf_table_spread(struct wf_table *table, int widest);
void wf_table_print_headings(struct wf_table *table);
void wf_table_print_row(struct wf_table *table, size_t row);
size_t wf_table_rows(const struct wf_table *table);

/* Headings, if any, and all rows. */
void wf_table_print(struct wf_table *table);

#endif
