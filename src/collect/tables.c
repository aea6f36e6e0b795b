/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bisection.h"
#include "collect/procedure_names.h"

#define MOST_LINES_BELOW 20 /* arguments of a call may stand so far below its beginning */

/* No padding: their bytes are the keys. */
struct table_node_key {
    struct wf_table_place place;
    uint32_t name, loop;
};

static_assert(sizeof(struct table_node_key) == 16 && sizeof(struct wf_table_row) == 40, "keys are compared as bytes");

void wf_tables_fini(struct wf_tables *tables)
{
    free(tables->nodes);
    free(tables->rows);
    free(tables->observed);
    free(tables->dynamic_rows);
    wf_intern_fini(&tables->node_keys);
    wf_intern_fini(&tables->row_keys);
    wf_intern_fini(&tables->dynamic_keys);
    *tables = (struct wf_tables){0};
}

size_t wf_tables_node_count(const struct wf_tables *tables)
{
    return tables->node_keys.count;
}

size_t wf_tables_row_count(const struct wf_tables *tables)
{
    return tables->row_keys.count;
}

size_t wf_tables_dynamic_count(const struct wf_tables *tables)
{
    return tables->dynamic_keys.count;
}

int wf_tables_add_node(struct wf_tables *tables, const struct wf_table_node *node)
{
    struct table_node_key key = {node->place, node->name, node->loop};
    uint32_t number = WF_INTERN_ADD_ITEM(&tables->node_keys, &key, tables->nodes, tables->node_capacity, node);
    return number == WF_INTERN_NONE ? -1 : 0;
}

int wf_tables_add_row(struct wf_tables *tables, const struct wf_table_row *row)
{
    uint32_t number = WF_INTERN_ADD_ITEM(&tables->row_keys, row, tables->rows, tables->row_capacity, row);
    return number == WF_INTERN_NONE ? -1 : 0;
}

int wf_tables_observe(struct wf_tables *tables, struct wf_table_place place)
{
    if (WF_ARRAY_RESERVE(tables->observed, tables->observed_capacity, tables->observed_count + 1) != 0)
        return -1;
    tables->observed[tables->observed_count++] = place;
    return 0;
}

/* ---- which procedure is called ---- */

static int table_place_compare(struct wf_table_place x, struct wf_table_place y)
{
    if (x.file != y.file)
        return x.file < y.file ? -1 : 1;
    return (x.line > y.line) - (x.line < y.line);
}

static int table_place_order(const void *a, const void *b)
{
    return table_place_compare(*(const struct wf_table_place *)a, *(const struct wf_table_place *)b);
}

static int table_row_compare(const void *a, const void *b)
{
    const struct wf_table_row *x = a, *y = b;
    int order = table_place_compare(x->inner, y->inner);
    return order ? order : memcmp(x, y, sizeof *x);
}

static int table_node_compare(const void *a, const void *b)
{
    const struct wf_table_node *x = a, *y = b;
    int order = table_place_compare(x->place, y->place);
    if (order == 0)
        order = x->loop - y->loop;
    return order ? order : (x->name > y->name) - (x->name < y->name);
}

/* Collects the procedures of all units. */
static int tables_collect_names(const struct wf_tables *tables, const struct wf_procedures *procedures,
                                struct wf_procedure_names *names)
{
    for (size_t i = 0; i < wf_tables_node_count(tables); i++) {
        const struct wf_table_node *node = &tables->nodes[i];
        if (!node->loop && wf_procedure_names_add(names, procedures->items[node->procedure].name, node->procedure) != 0)
            return -1;
    }
    return 0;
}

static int tables_name_callees(struct wf_tables *tables, const struct wf_procedures *procedures)
{
    struct wf_procedure_names names = {0};
    int result = tables_collect_names(tables, procedures, &names);
    for (size_t i = 0; i < wf_tables_row_count(tables) && result == 0; i++) {
        struct wf_table_row *row = &tables->rows[i];
        if (row->kind == WF_TABLE_CALL && row->callee == WF_NO_PROCEDURE)
            row->callee = wf_procedure_names_find(&names, row->name);
    }
    wf_procedure_names_fini(&names);
    return result;
}

int wf_tables_settle(struct wf_tables *tables, struct wf_intern *texts, const struct wf_procedures *procedures)
{
    size_t count = wf_tables_row_count(tables);
    if (wf_tables_node_count(tables) == 0)
        return 0;
    tables->pointer = wf_intern_add_text(texts, "*");
    if (tables->pointer == WF_INTERN_NONE || tables_name_callees(tables, procedures) != 0)
        return -1;
    if (count)
        qsort(tables->rows, count, sizeof *tables->rows, table_row_compare);
    qsort(tables->nodes, wf_tables_node_count(tables), sizeof *tables->nodes, table_node_compare);
    if (tables->observed_count)
        qsort(tables->observed, tables->observed_count, sizeof *tables->observed, table_place_order);
    return 0;
}

/* ---- looking for a statement ---- */

/* The first row that does not stand before the place. */
static size_t tables_first_row_at(const struct wf_tables *tables, struct wf_table_place place)
{
    struct wf_bisection b = {.high = wf_tables_row_count(tables)};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, table_place_compare(tables->rows[b.middle].inner, place) < 0);
    return b.low;
}

/* The statement that is looked for. */
struct table_sought {
    enum wf_table_kind kind;
    uint32_t name;
    uint32_t callee; /* of a call */
};

static bool table_row_is_sought(const struct wf_table_row *r, const struct table_sought *sought)
{
    if (r->kind != sought->kind)
        return false;
    if (sought->kind == WF_TABLE_CALL && r->callee != WF_NO_PROCEDURE)
        return r->callee == sought->callee;
    return r->name == sought->name;
}

static struct table_sought table_sought_call(const struct wf_procedures *procedures, uint32_t callee)
{
    return (struct table_sought){.kind = WF_TABLE_CALL, .callee = callee, .name = procedures->items[callee].name};
}

/* The row at exactly this place; the number of rows if there is none. */
static size_t tables_find_row(const struct wf_tables *tables, struct wf_table_place place,
                              const struct table_sought *sought)
{
    size_t count = wf_tables_row_count(tables), i = tables_first_row_at(tables, place);
    for (; i < count && table_place_compare(tables->rows[i].inner, place) == 0; i++)
        if (table_row_is_sought(&tables->rows[i], sought))
            return i;
    return count;
}

/* The last line that arguments of the call at this place may reach: before the next line with a statement in the debug
 * information. */
static uint32_t tables_last_line_below(const struct wf_tables *tables, struct wf_table_place place)
{
    struct wf_bisection b = {.high = tables->observed_count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, table_place_compare(tables->observed[b.middle], place) <= 0);
    uint32_t last = place.line + MOST_LINES_BELOW;
    const struct wf_table_place *next = b.low < tables->observed_count ? &tables->observed[b.low] : NULL;
    return next && next->file == place.file && next->line <= last ? next->line - 1 : last;
}

/* The line of a statement that the compiler puts at the line of another call, because it is an argument of that call:
 * the only one below, in the same procedure, that fits. A call by a pointer fits any callee. */
static uint32_t tables_find_below(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                                  const struct table_sought *sought)
{
    size_t count = wf_tables_row_count(tables);
    uint32_t line = place.line, last = tables_last_line_below(tables, place);
    for (size_t i = tables_first_row_at(tables, place);
         i < count && tables->rows[i].inner.file == place.file && tables->rows[i].inner.line <= last; i++) {
        const struct wf_table_row *row = &tables->rows[i];
        bool by_pointer = row->kind == sought->kind && row->name == tables->pointer;
        if (row->procedure != procedure || !(by_pointer || table_row_is_sought(&tables->rows[i], sought)))
            continue;
        if (line != place.line && line != row->inner.line)
            return place.line;
        line = row->inner.line;
    }
    return line;
}

static uint32_t tables_find_line(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                                 const struct table_sought *sought)
{
    if (tables_find_row(tables, place, sought) < wf_tables_row_count(tables))
        return place.line;
    return tables_find_below(tables, place, procedure, sought);
}

uint32_t wf_tables_call_line(const struct wf_tables *tables, const struct wf_procedures *procedures,
                             struct wf_table_place place, uint32_t procedure, uint32_t callee)
{
    struct table_sought sought = table_sought_call(procedures, callee);
    return tables_find_line(tables, place, procedure, &sought);
}

uint32_t wf_tables_com_line(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                            uint32_t name)
{
    struct table_sought sought = {.kind = WF_TABLE_COM, .name = name};
    return tables_find_line(tables, place, procedure, &sought);
}

/* ---- which procedure ---- */

uint32_t wf_tables_procedure_of_call(const struct wf_tables *tables, const struct wf_procedures *procedures,
                                     struct wf_table_place place, uint32_t callee)
{
    struct table_sought sought = table_sought_call(procedures, callee);
    size_t row = tables_find_row(tables, place, &sought);
    return row < wf_tables_row_count(tables) ? tables->rows[row].procedure : WF_NO_PROCEDURE;
}

/* The first node that stands behind the place. */
static size_t tables_first_node_behind(const struct wf_tables *tables, struct wf_table_place place)
{
    struct wf_bisection b = {.high = wf_tables_node_count(tables)};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, table_place_compare(tables->nodes[b.middle].place, place) <= 0);
    return b.low;
}

uint32_t wf_tables_procedure_of_loop(const struct wf_tables *tables, struct wf_table_place place, uint32_t name)
{
    for (size_t i = tables_first_node_behind(tables, place);
         i > 0 && table_place_compare(tables->nodes[i - 1].place, place) == 0; i--)
        if (tables->nodes[i - 1].loop && tables->nodes[i - 1].name == name)
            return tables->nodes[i - 1].procedure;
    return WF_NO_PROCEDURE;
}

uint32_t wf_tables_procedure_around(const struct wf_tables *tables, struct wf_table_place place)
{
    size_t i = tables_first_node_behind(tables, place);
    return i > 0 && tables->nodes[i - 1].place.file == place.file ? tables->nodes[i - 1].procedure : WF_NO_PROCEDURE;
}

/* ---- calls that happened ---- */

/* Finds what is around the call: the same as around another statement of that line, a call by a pointer before others;
 * else the procedure that debug information tells. */
static bool tables_find_around(const struct wf_tables *tables, const struct wf_procedures *procedures, uint32_t caller,
                               struct wf_table_row *row)
{
    size_t count = wf_tables_row_count(tables), best = count;
    for (size_t i = tables_first_row_at(tables, row->inner);
         i < count && table_place_compare(tables->rows[i].inner, row->inner) == 0; i++) {
        bool by_pointer = tables->rows[i].kind == WF_TABLE_CALL && tables->rows[i].name == tables->pointer;
        if (by_pointer || (best == count && tables->rows[i].kind != WF_TABLE_LOOP))
            best = i;
    }
    if (best < count) {
        row->outer = tables->rows[best].outer;
        row->outer_loop = tables->rows[best].outer_loop;
        row->procedure = tables->rows[best].procedure;
        return true;
    }
    if (caller == WF_NO_PROCEDURE || !procedures->items[caller].instrumented)
        return false;
    row->outer = (struct wf_table_place){procedures->items[caller].file, procedures->items[caller].line};
    row->outer_loop = 0;
    row->procedure = caller;
    return true;
}

int wf_tables_add_call(struct wf_tables *tables, const struct wf_procedures *procedures, struct wf_table_place place,
                       uint32_t caller, uint32_t callee)
{
    struct table_sought sought = table_sought_call(procedures, callee);
    struct wf_table_row row = {.kind = WF_TABLE_CALL, .inner = place, .callee = callee, .dynamic = 1};
    if (wf_tables_node_count(tables) == 0 || tables_find_row(tables, place, &sought) < wf_tables_row_count(tables) ||
        !tables_find_around(tables, procedures, caller, &row))
        return 0;
    row.name = procedures->items[callee].name;
    uint32_t number =
        WF_INTERN_ADD_ITEM(&tables->dynamic_keys, &row, tables->dynamic_rows, tables->dynamic_capacity, &row);
    return number == WF_INTERN_NONE ? -1 : 0;
}
