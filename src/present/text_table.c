/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/text_table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/text.h"

enum { NARROWEST = 8 }; /* a column is never cut below this */

void wf_text_table_init(struct wf_text_table *table, struct wf_page *page, const struct wf_column *columns,
                        int column_count, int indent)
{
    *table = (struct wf_text_table){
        .page = page, .columns = columns, .column_count = column_count, .indent = indent, .gap = 2};
    for (int i = 0; i < column_count; i++)
        table->widths[i] = wf_text_columns(columns[i].heading);
}

void wf_text_table_free(struct wf_text_table *table)
{
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i].text);
    free(table->cells);
    table->cells = NULL;
    table->cell_count = 0;
}

void wf_text_table_add(struct wf_text_table *table, enum wf_style style, const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = wf_memory_text("");
    va_end(arguments);
    wf_text_clean(text);
    int column = (int)(table->cell_count % (size_t)table->column_count), columns = wf_text_columns(text);
    if (columns > table->widths[column])
        table->widths[column] = columns;
    table->cells = wf_memory_grow(table->cells, table->cell_count, sizeof *table->cells);
    table->cells[table->cell_count++] = (struct wf_cell){text, style};
}

int wf_text_table_wants(const struct wf_text_table *table)
{
    int wants = table->indent + table->gap * (table->column_count - 1);
    for (int i = 0; i < table->column_count; i++)
        wants += table->widths[i];
    return wants;
}

static int table_widest_to_cut(const struct wf_text_table *table)
{
    int widest = -1;
    for (int i = 0; i < table->column_count; i++)
        if (table->columns[i].cut != WF_CUT_NEVER && (widest < 0 || table->widths[i] > table->widths[widest]))
            widest = i;
    return widest;
}

static char *table_cut_cell(const struct wf_text_table *table, int column, const char *text)
{
    static char *(*const cuts[])(const char *, int, const char *) = {[WF_CUT_NEVER] = wf_text_cut,
                                                                     [WF_CUT_END] = wf_text_cut,
                                                                     [WF_CUT_PATH] = wf_text_cut_path,
                                                                     [WF_CUT_NAME] = wf_text_cut_name};
    return cuts[table->columns[column].cut](text, table->widths[column], table->page->glyphs->ellipsis);
}

/* Cutting at the border of a path component often leaves unused columns, which other table columns can have. */
static void table_give_back(struct wf_text_table *table, int column)
{
    int used = wf_text_columns(table->columns[column].heading);
    for (size_t i = (size_t)column; i < table->cell_count; i += (size_t)table->column_count) {
        char *text = table_cut_cell(table, column, table->cells[i].text);
        int columns = wf_text_columns(text);
        used = columns > used ? columns : used;
        free(text);
    }
    table->widths[column] = used;
}

void wf_text_table_fit(struct wf_text_table *table)
{
    int wanted[WF_TABLE_COLUMNS], widest = table_widest_to_cut(table);
    memcpy(wanted, table->widths, sizeof wanted);
    if (widest < 0 && wf_text_table_left(table) < 0)
        table->gap = 1;
    if (widest < 0 || wf_text_table_left(table) >= 0)
        return;
    for (; table->widths[widest] > NARROWEST && wf_text_table_left(table) < 0; widest = table_widest_to_cut(table))
        table->widths[widest]--;
    for (int i = 0; i < table->column_count; i++)
        if (table->columns[i].cut != WF_CUT_NEVER)
            table_give_back(table, i);
    for (int i = 0; i < table->column_count; i++)
        while (table->widths[i] < wanted[i] && wf_text_table_left(table) > 0)
            table->widths[i]++;
}

int wf_text_table_left(const struct wf_text_table *table)
{
    return table->page->width - wf_text_table_wants(table);
}

void wf_text_table_spread(struct wf_text_table *table, int widest)
{
    while (table->gap < widest && wf_text_table_wants(table) + table->column_count - 1 <= table->page->width)
        table->gap++;
}

static bool table_is_empty_from(const struct wf_cell *cells, int column, int count)
{
    for (; column < count; column++)
        if (*cells[column].text)
            return false;
    return true;
}

static void table_print_cells(struct wf_text_table *table, const struct wf_cell *cells)
{
    struct wf_page *page = table->page;
    int blanks = table->indent;
    for (int i = 0; i < table->column_count && !table_is_empty_from(cells, i, table->column_count); i++) {
        char *text = table_cut_cell(table, i, cells[i].text);
        int rest = table->widths[i] - wf_text_columns(text);
        fprintf(page->out, "%*s", blanks + (table->columns[i].right ? rest : 0), "");
        wf_page_print(page, cells[i].style, "%s", text);
        blanks = table->gap + (table->columns[i].right ? 0 : rest);
        free(text);
    }
    fputc('\n', page->out);
}

void wf_text_table_print_headings(struct wf_text_table *table)
{
    struct wf_cell headings[WF_TABLE_COLUMNS];
    bool any = false;
    for (int i = 0; i < table->column_count; i++) {
        headings[i] = (struct wf_cell){(char *)table->columns[i].heading, WF_DIM};
        any |= *table->columns[i].heading != 0;
    }
    if (any)
        table_print_cells(table, headings);
}

size_t wf_text_table_rows(const struct wf_text_table *table)
{
    return table->cell_count / (size_t)table->column_count;
}

void wf_text_table_print_row(struct wf_text_table *table, size_t row)
{
    table_print_cells(table, table->cells + row * (size_t)table->column_count);
}

void wf_text_table_print(struct wf_text_table *table)
{
    wf_text_table_fit(table);
    wf_text_table_print_headings(table);
    for (size_t row = 0; row < wf_text_table_rows(table); row++)
        wf_text_table_print_row(table, row);
}
