/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rows under headings. Columns are as wide as their widest cell; columns that may be cut shrink until the page holds
 * the table. A table owns its cells, not its columns.
 */
#ifndef WF_TEXT_TABLE_H
#define WF_TEXT_TABLE_H

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

struct wf_text_table {
    struct wf_page *page;
    const struct wf_column *columns;
    int column_count;
    int indent, gap; /* blanks before the first column, and between two */
    int widths[WF_TABLE_COLUMNS];
    struct wf_cell *cells;
    size_t cell_count;
};

/* `columns` must outlive the table. */
void wf_text_table_init(struct wf_text_table *table, struct wf_page *page, const struct wf_column *columns,
                        int column_count, int indent);
void wf_text_table_free(struct wf_text_table *table);

/* Adds a cell; cells come row by row. The text is cleaned. */
void wf_text_table_add(struct wf_text_table *table, enum wf_style style, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Width of the uncut table, including the indent. */
int wf_text_table_wants(const struct wf_text_table *table);

/* Fits the column widths to the page, when all cells are there. wf_text_table_print does it itself. */
void wf_text_table_fit(struct wf_text_table *table);

/* Page columns that the table leaves free, for a bar. */
int wf_text_table_left(const struct wf_text_table *table);

/* Widens the gaps up to `widest`, as long as the table fits the page. */
void wf_text_table_spread(struct wf_text_table *table, int widest);
void wf_text_table_print_headings(struct wf_text_table *table);
void wf_text_table_print_row(struct wf_text_table *table, size_t row);
size_t wf_text_table_rows(const struct wf_text_table *table);

/* Prints the headings, if any, and all rows. */
void wf_text_table_print(struct wf_text_table *table);

#endif
