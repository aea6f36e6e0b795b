/* SPDX-License-Identifier: BSD-3-Clause */
#include "collect/tables.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "collect/array.h"

#define MOST_LINES_BELOW 20 /* that the arguments of a call may stand below its beginning */

/* No padding: their bytes are the keys. */
struct node_key {
    struct wf_table_place place;
    uint32_t name, loop;
};

static_assert(sizeof(struct node_key) == 16 && sizeof(struct wf_table_row) == 40,
              "keys are compared as bytes");

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
    struct node_key key = {node->place, node->name, node->loop};
    size_t before = tables->node_keys.count;
    void *nodes = wf_array_reserve(tables->nodes, &tables->node_capacity, before + 1, sizeof *tables->nodes);
    if (!nodes)
        return -1;
    tables->nodes = nodes;
    uint32_t number = wf_intern_add(&tables->node_keys, &key, sizeof key);
    if (number == before)
        tables->nodes[number] = *node;
    return number == WF_INTERN_NONE ? -1 : 0;
}

static int keep_row(struct wf_intern *keys, struct wf_table_row **rows, size_t *capacity,
                    const struct wf_table_row *row)
{
    size_t before = keys->count;
    void *larger = wf_array_reserve(*rows, capacity, before + 1, sizeof **rows);
    if (!larger)
        return -1;
    *rows = larger;
    uint32_t number = wf_intern_add(keys, row, sizeof *row);
    if (number == before)
        (*rows)[number] = *row;
    return number == WF_INTERN_NONE ? -1 : 0;
}

int wf_tables_add_row(struct wf_tables *tables, const struct wf_table_row *row)
{
    return keep_row(&tables->row_keys, &tables->rows, &tables->row_capacity, row);
}

int wf_tables_observe(struct wf_tables *tables, struct wf_table_place place)
{
    void *observed = wf_array_reserve(tables->observed, &tables->observed_capacity,
                                      tables->observed_count + 1, sizeof *tables->observed);
    if (!observed)
        return -1;
    tables->observed = observed;
    tables->observed[tables->observed_count++] = place;
    return 0;
}

/* ---- who is called ---- */

static int compare_places(struct wf_table_place x, struct wf_table_place y)
{
    if (x.file != y.file)
        return x.file < y.file ? -1 : 1;
    return (x.line > y.line) - (x.line < y.line);
}

static int order_places(const void *a, const void *b)
{
    return compare_places(*(const struct wf_table_place *)a, *(const struct wf_table_place *)b);
}

static int compare_rows(const void *a, const void *b)
{
    const struct wf_table_row *x = a, *y = b;
    int order = compare_places(x->inner, y->inner);
    return order ? order : memcmp(x, y, sizeof *x);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct wf_table_node *x = a, *y = b;
    int order = compare_places(x->place, y->place);
    if (order == 0)
        order = x->loop - y->loop;
    return order ? order : (x->name > y->name) - (x->name < y->name);
}

/* The procedures of all units by their names. */
struct names {
    struct wf_intern texts;
    uint32_t *procedures; /* WF_NO_PROCEDURE: several have this name */
};

static int names_init(struct names *names, const struct wf_tables *tables,
                      const struct wf_procedures *procedures)
{
    size_t count = wf_tables_node_count(tables);
    *names = (struct names){.procedures = malloc((count + 1) * sizeof *names->procedures)};
    if (!names->procedures)
        return -1;
    for (size_t i = 0; i < count; i++) {
        const struct wf_table_node *node = &tables->nodes[i];
        if (node->loop)
            continue;
        uint32_t name = procedures->items[node->procedure].name;
        size_t before = names->texts.count;
        uint32_t number = wf_intern_add(&names->texts, &name, sizeof name);
        if (number == WF_INTERN_NONE)
            return -1;
        bool only = number == before || names->procedures[number] == node->procedure;
        names->procedures[number] = only ? node->procedure : WF_NO_PROCEDURE;
    }
    return 0;
}

static void names_fini(struct names *names)
{
    free(names->procedures);
    wf_intern_fini(&names->texts);
}

static int name_callees(struct wf_tables *tables, const struct wf_procedures *procedures)
{
    struct names names;
    int result = names_init(&names, tables, procedures);
    for (size_t i = 0; i < wf_tables_row_count(tables) && result == 0; i++) {
        struct wf_table_row *row = &tables->rows[i];
        if (row->kind != WF_TABLE_CALL || row->callee != WF_NO_PROCEDURE)
            continue;
        uint32_t number = wf_intern_find(&names.texts, &row->name, sizeof row->name);
        if (number != WF_INTERN_NONE)
            row->callee = names.procedures[number];
    }
    names_fini(&names);
    return result;
}

int wf_tables_settle(struct wf_tables *tables, struct wf_intern *texts,
                     const struct wf_procedures *procedures)
{
    size_t count = wf_tables_row_count(tables);
    if (wf_tables_node_count(tables) == 0)
        return 0;
    tables->pointer = wf_intern_add_text(texts, "*");
    if (tables->pointer == WF_INTERN_NONE || name_callees(tables, procedures) != 0)
        return -1;
    if (count)
        qsort(tables->rows, count, sizeof *tables->rows, compare_rows);
    qsort(tables->nodes, wf_tables_node_count(tables), sizeof *tables->nodes, compare_nodes);
    if (tables->observed_count)
        qsort(tables->observed, tables->observed_count, sizeof *tables->observed, order_places);
    return 0;
}

/* ---- looking for a statement ---- */

/* The first row that does not stand before the place. */
static size_t first_row_at(const struct wf_tables *tables, struct wf_table_place place)
{
    size_t low = 0, high = wf_tables_row_count(tables);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(tables->rows[middle].inner, place) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* What a statement is looked for by. */
struct sought {
    enum wf_table_kind kind;
    uint32_t name;
    uint32_t callee; /* of a call */
};

static bool is_sought(const struct wf_table_row *r, const struct sought *sought)
{
    if (r->kind != sought->kind)
        return false;
    if (sought->kind == WF_TABLE_CALL && r->callee != WF_NO_PROCEDURE)
        return r->callee == sought->callee;
    return r->name == sought->name;
}

static struct sought call_of(const struct wf_procedures *procedures, uint32_t callee)
{
    return (struct sought){.kind = WF_TABLE_CALL, .callee = callee, .name = procedures->items[callee].name};
}

/* The row at exactly this place; the number of rows if there is none. */
static size_t find_row(const struct wf_tables *tables, struct wf_table_place place,
                       const struct sought *sought)
{
    size_t count = wf_tables_row_count(tables), i = first_row_at(tables, place);
    for (; i < count && compare_places(tables->rows[i].inner, place) == 0; i++)
        if (is_sought(&tables->rows[i], sought))
            return i;
    return count;
}

/* Up to which line arguments of the call at this place may reach: not to where debug information has a
 * statement again. */
static uint32_t last_line_below(const struct wf_tables *tables, struct wf_table_place place)
{
    size_t low = 0, high = tables->observed_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(tables->observed[middle], place) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t last = place.line + MOST_LINES_BELOW;
    if (low < tables->observed_count && tables->observed[low].file == place.file &&
        tables->observed[low].line <= last)
        last = tables->observed[low].line - 1;
    return last;
}

/* A statement that the compiler puts at the line of another call, because it is an argument of it: the only
 * one below, in the same procedure, that it can be. A call by a pointer may be of anything. */
static uint32_t find_below(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                           const struct sought *sought)
{
    size_t count = wf_tables_row_count(tables);
    uint32_t line = place.line, last = last_line_below(tables, place);
    for (size_t i = first_row_at(tables, place);
         i < count && tables->rows[i].inner.file == place.file && tables->rows[i].inner.line <= last; i++) {
        const struct wf_table_row *row = &tables->rows[i];
        bool by_pointer = row->kind == sought->kind && row->name == tables->pointer;
        if (row->procedure != procedure || !(by_pointer || is_sought(&tables->rows[i], sought)))
            continue;
        if (line != place.line && line != row->inner.line)
            return place.line;
        line = row->inner.line;
    }
    return line;
}

static uint32_t find_line(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                          const struct sought *sought)
{
    if (find_row(tables, place, sought) < wf_tables_row_count(tables))
        return place.line;
    return find_below(tables, place, procedure, sought);
}

uint32_t wf_tables_call_line(const struct wf_tables *tables, const struct wf_procedures *procedures,
                             struct wf_table_place place, uint32_t procedure, uint32_t callee)
{
    struct sought sought = call_of(procedures, callee);
    return find_line(tables, place, procedure, &sought);
}

uint32_t wf_tables_com_line(const struct wf_tables *tables, struct wf_table_place place, uint32_t procedure,
                            uint32_t name)
{
    struct sought sought = {.kind = WF_TABLE_COM, .name = name};
    return find_line(tables, place, procedure, &sought);
}

/* ---- which procedure ---- */

uint32_t wf_tables_procedure_of_call(const struct wf_tables *tables, const struct wf_procedures *procedures,
                                     struct wf_table_place place, uint32_t callee)
{
    struct sought sought = call_of(procedures, callee);
    size_t row = find_row(tables, place, &sought);
    return row < wf_tables_row_count(tables) ? tables->rows[row].procedure : WF_NO_PROCEDURE;
}

/* The first node that stands behind the place. */
static size_t first_node_behind(const struct wf_tables *tables, struct wf_table_place place)
{
    size_t low = 0, high = wf_tables_node_count(tables);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(tables->nodes[middle].place, place) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t wf_tables_procedure_of_loop(const struct wf_tables *tables, struct wf_table_place place,
                                     uint32_t name)
{
    for (size_t i = first_node_behind(tables, place);
         i > 0 && compare_places(tables->nodes[i - 1].place, place) == 0; i--)
        if (tables->nodes[i - 1].loop && tables->nodes[i - 1].name == name)
            return tables->nodes[i - 1].procedure;
    return WF_NO_PROCEDURE;
}

uint32_t wf_tables_procedure_around(const struct wf_tables *tables, struct wf_table_place place)
{
    size_t i = first_node_behind(tables, place);
    return i > 0 && tables->nodes[i - 1].place.file == place.file ? tables->nodes[i - 1].procedure
                                                                  : WF_NO_PROCEDURE;
}

/* ---- calls that happened ---- */

/* What stands around the call: what the text has around anything else on that line, a call by a pointer
 * before all; else the procedure that debug information says. */
static bool find_around(const struct wf_tables *tables, const struct wf_procedures *procedures,
                        uint32_t caller, struct wf_table_row *row)
{
    size_t count = wf_tables_row_count(tables), best = count;
    for (size_t i = first_row_at(tables, row->inner);
         i < count && compare_places(tables->rows[i].inner, row->inner) == 0; i++) {
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

int wf_tables_add_call(struct wf_tables *tables, const struct wf_procedures *procedures,
                       struct wf_table_place place, uint32_t caller, uint32_t callee)
{
    struct sought sought = call_of(procedures, callee);
    struct wf_table_row row = {.kind = WF_TABLE_CALL, .inner = place, .callee = callee, .dynamic = 1};
    if (wf_tables_node_count(tables) == 0 || find_row(tables, place, &sought) < wf_tables_row_count(tables) ||
        !find_around(tables, procedures, caller, &row))
        return 0;
    row.name = procedures->items[callee].name;
    return keep_row(&tables->dynamic_keys, &tables->dynamic_rows, &tables->dynamic_capacity, &row);
}
