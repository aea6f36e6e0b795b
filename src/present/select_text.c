/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/select_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/json.h"
#include "present/text.h"

/* ---- columns ---- */

/* All cells, row by row, beginning with the column names. Nothing is cut to the page's width. */
struct select_grid {
    int columns;
    char **cells;
    size_t count;
    int *widths;
    bool *text; /* columns that contain text are aligned to the left */
};

static void select_text_add_cell(struct select_grid *grid, char *cell, bool text)
{
    int column = (int)(grid->count % (size_t)grid->columns), width = wf_text_columns(wf_text_clean(cell));
    grid->cells = wf_memory_grow(grid->cells, grid->count, sizeof *grid->cells);
    grid->cells[grid->count++] = cell;
    grid->widths[column] = width > grid->widths[column] ? width : grid->widths[column];
    grid->text[column] |= text;
}

static void select_text_print_row(FILE *out, const struct select_grid *grid, char *const *cells)
{
    int blanks = 0;
    for (int i = 0; i < grid->columns; i++) {
        int rest = grid->widths[i] - wf_text_columns(cells[i]);
        if (*cells[i]) {
            fprintf(out, "%*s%s", blanks + (grid->text[i] ? 0 : rest), "", cells[i]);
            blanks = grid->text[i] ? rest : 0;
        } else {
            blanks += grid->widths[i];
        }
        blanks += 2;
    }
    fputc('\n', out);
}

static int select_text_read_grid(struct select_grid *grid, struct wf_select *select, struct wf_error *error)
{
    int result;
    for (int i = 0; i < grid->columns; i++)
        select_text_add_cell(grid, wf_memory_text(wf_select_name(select, i)), false);
    while ((result = wf_select_next(select, error)) == 1)
        for (int i = 0; i < grid->columns; i++)
            select_text_add_cell(grid, wf_select_text(select, i), wf_select_type(select, i) == WF_VALUE_TEXT);
    return result;
}

int wf_select_print(FILE *out, struct wf_select *select, struct wf_error *error)
{
    struct select_grid grid = {.columns = select->columns};
    grid.widths = wf_memory_array((size_t)grid.columns, sizeof *grid.widths);
    grid.text = wf_memory_array((size_t)grid.columns, sizeof *grid.text);
    int result = select_text_read_grid(&grid, select, error);
    for (size_t i = 0; result == 0 && i < grid.count; i += (size_t)grid.columns)
        select_text_print_row(out, &grid, grid.cells + i);
    for (size_t i = 0; i < grid.count; i++)
        free(grid.cells[i]);
    free(grid.cells);
    free(grid.widths);
    free(grid.text);
    return result;
}

/* ---- CSV ---- */

static void select_text_write_quoted(FILE *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
}

/* Writes a field quoted as in RFC 4180. Each line of it is cleaned, because it may go to a terminal; JSON keeps the
 * bytes. */
static void select_text_write_field(FILE *out, char *text, bool last)
{
    const char *quote = strpbrk(text, ",\"\r\n") ? "\"" : "";
    fputs(quote, out);
    for (char *line; (line = strsep(&text, "\n"));) {
        select_text_write_quoted(out, wf_text_clean(line));
        if (text)
            fputc('\n', out);
    }
    fputs(quote, out);
    fputs(last ? "\n" : ",", out);
}

int wf_select_write_csv(FILE *out, struct wf_select *select, struct wf_error *error)
{
    int result, columns = select->columns;
    for (int i = 0; i < columns; i++) {
        char *name = wf_memory_text(wf_select_name(select, i));
        select_text_write_field(out, name, i + 1 == columns);
        free(name);
    }
    while ((result = wf_select_next(select, error)) == 1)
        for (int i = 0; i < columns; i++) {
            char *text = wf_select_text(select, i);
            select_text_write_field(out, text, i + 1 == columns);
            free(text);
        }
    return result;
}

/* ---- JSON ---- */

static json_t *select_text_value_json(const struct wf_select *select, int column)
{
    switch (wf_select_type(select, column)) {
    case WF_VALUE_NULL:
        return json_null();
    case WF_VALUE_INTEGER:
        return json_integer(wf_select_integer(select, column));
    case WF_VALUE_REAL: {
        json_t *real = json_real(wf_select_real(select, column));
        return real ? real : json_null(); /* JSON has no infinity */
    }
    default:
        break;
    }
    char *text = wf_select_text(select, column);
    json_t *string = wf_json_text(text);
    free(text);
    return string;
}

int wf_select_write_json(FILE *out, struct wf_select *select, struct wf_error *error)
{
    const char *separator = "[\n";
    int result;
    while ((result = wf_select_next(select, error)) == 1) {
        json_t *object = json_object();
        for (int i = 0; i < select->columns; i++)
            json_object_set_new(object, wf_select_name(select, i), select_text_value_json(select, i));
        fputs(separator, out);
        json_dumpf(object, out, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(15));
        json_decref(object);
        separator = ",\n";
    }
    if (result == 0)
        fputs(*separator == '[' ? "[]\n" : "\n]\n", out);
    return result;
}
