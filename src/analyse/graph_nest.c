/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What stands in what. The static tables say it for programs compiled with weft cc; else a statement stands
 * in its procedure, and no loop is known.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/word.h"

struct place {
    char *file;
    int64_t line;
};

/* A row of the static tables. */
struct row {
    bool in_loop;           /* `outer` is a loop, not a procedure */
    enum wf_node_kind kind; /* of what stands in it: loop, call or communication */
    struct place outer, inner;
    struct place callee; /* of a call, if its text is known */
    char *name;          /* "" if the tables do not say */
};

struct rows {
    struct row *items;
    size_t count;
};

struct nest {
    struct wf_graph *graph;
    int *by_place; /* all nodes that have one */
    size_t count;
    struct rows rows;
};

/* ---- the rows ---- */

static struct place parse_place(struct wf_query *query, int column)
{
    char *text = wf_query_text(query, column);
    struct wf_word word = wf_word_parse(text);
    free(text);
    return (struct place){word.file, word.line};
}

static bool parse_kind(const char *kind, struct row *row)
{
    static const struct {
        const char *name;
        bool in_loop;
        enum wf_node_kind kind;
    } kinds[] = {{"pl", false, WF_NODE_LOOP},           {"pcom", false, WF_NODE_COMMUNICATION},
                 {"pc", false, WF_NODE_CALL},           {"ll", true, WF_NODE_LOOP},
                 {"lcom", true, WF_NODE_COMMUNICATION}, {"lc", true, WF_NODE_CALL}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, kind) != 0)
            continue;
        row->in_loop = kinds[i].in_loop;
        row->kind = kinds[i].kind;
        return true;
    }
    return false;
}

static void add_row(struct rows *rows, struct wf_query *query)
{
    struct row row = {0};
    char *kind = wf_query_text(query, 0);
    if (parse_kind(kind, &row)) {
        row.outer = parse_place(query, 1);
        row.inner = parse_place(query, 2);
        row.callee = parse_place(query, 3);
        row.name = wf_query_text(query, 4);
        rows->items = wf_memory_grow(rows->items, rows->count, sizeof *rows->items);
        rows->items[rows->count++] = row;
    }
    free(kind);
}

static int read_rows(struct rows *rows, struct wf_profile *profile, struct wf_error *error)
{
    struct wf_query query;
    int result =
        wf_query_open(&query, profile, "SELECT kind, outer, inner, callee, name FROM weft_static", error);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1) {
        add_row(rows, &query);
        result = 0;
    }
    wf_query_close(&query);
    return result;
}

static void free_rows(struct rows *rows)
{
    for (size_t i = 0; i < rows->count; i++) {
        free(rows->items[i].outer.file);
        free(rows->items[i].inner.file);
        free(rows->items[i].callee.file);
        free(rows->items[i].name);
    }
    free(rows->items);
}

/* ---- nodes by place ---- */

static int compare_places(const char *file, int64_t line, const char *other_file, int64_t other_line)
{
    int files = strcmp(file, other_file);
    return files ? files : (line > other_line) - (line < other_line);
}

static int compare_nodes(const void *left, const void *right, void *nodes)
{
    int i = *(const int *)left, j = *(const int *)right;
    const struct wf_node *a = (const struct wf_node *)nodes + i, *b = (const struct wf_node *)nodes + j;
    int places = compare_places(a->file, a->line, b->file, b->line);
    return places ? places : (i > j) - (i < j);
}

static void index_places(struct nest *nest)
{
    const struct wf_graph *graph = nest->graph;
    free(nest->by_place);
    nest->by_place = wf_memory_array(graph->count, sizeof *nest->by_place);
    nest->count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (*graph->nodes[i].file && graph->nodes[i].line > 0)
            nest->by_place[nest->count++] = (int)i;
    if (nest->count)
        qsort_r(nest->by_place, nest->count, sizeof *nest->by_place, compare_nodes, graph->nodes);
}

/* The first position in by_place that is not before the place. */
static size_t first_at(const struct nest *nest, const char *file, int64_t line)
{
    size_t from = 0, to = nest->count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        const struct wf_node *node = &nest->graph->nodes[nest->by_place[middle]];
        if (compare_places(node->file, node->line, file, line) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* The node at this position if it still has that place, else NULL. */
static struct wf_node *node_at(const struct nest *nest, size_t position, const struct place *place)
{
    if (position >= nest->count)
        return NULL;
    struct wf_node *node = &nest->graph->nodes[nest->by_place[position]];
    return compare_places(node->file, node->line, place->file, place->line) == 0 ? node : NULL;
}

/* ---- loops that have no probe ---- */

/* WEFT_REGION is a loop to the compiler: the region stands for it, and so what stands in the region is known.
 */
static bool can_be_loop(const struct wf_node *node, const char *name)
{
    if (node->kind == WF_NODE_REGION || node->kind == WF_NODE_PHASE)
        return true;
    return node->kind == WF_NODE_LOOP && (!*name || !strcmp(node->name, name));
}

static bool has_loop(const struct nest *nest, const struct row *row)
{
    const struct wf_node *node;
    for (size_t i = first_at(nest, row->inner.file, row->inner.line); (node = node_at(nest, i, &row->inner));
         i++)
        if (can_be_loop(node, row->name))
            return true;
    return false;
}

/* Indexing anew for each loop would be slow: a row that comes twice makes two nodes, and one stays empty. */
static void add_silent_loops(struct nest *nest)
{
    for (size_t i = 0; i < nest->rows.count; i++) {
        const struct row *row = &nest->rows.items[i];
        if (row->kind == WF_NODE_LOOP && !has_loop(nest, row))
            wf_graph_add(nest->graph, WF_NODE_LOOP, wf_memory_text(row->name),
                         wf_memory_text(row->inner.file), row->inner.line);
    }
    index_places(nest);
}

/* ---- putting them where the text has them ---- */

/* The procedure or loop that a row says `node` stands in. A macro can put several procedures into one line:
 * then what the node knows of its own procedure decides. */
static int find_outer(const struct nest *nest, const struct row *row, int node)
{
    int found = WF_NO_NODE, own = nest->graph->nodes[node].procedure;
    const struct wf_node *outer;
    for (size_t i = first_at(nest, row->outer.file, row->outer.line); (outer = node_at(nest, i, &row->outer));
         i++) {
        bool fits = row->in_loop ? can_be_loop(outer, "") : outer->kind == WF_NODE_PROCEDURE;
        if (!fits || nest->by_place[i] == node)
            continue;
        if (found == WF_NO_NODE || nest->by_place[i] == own)
            found = nest->by_place[i];
    }
    return found;
}

/* How well a node is what a row speaks of: 0 not at all, 2 if the row names it. */
static int fitness(const struct wf_graph *graph, const struct row *row, const struct wf_node *node)
{
    if (row->kind == WF_NODE_LOOP)
        return can_be_loop(node, row->name) ? 2 : 0;
    if (row->kind != node->kind)
        return 0;
    if (node->kind == WF_NODE_COMMUNICATION)
        return !*row->name || !strcmp(row->name, node->name) ? 2 : 0;
    const struct wf_node *callee = &graph->nodes[node->callee];
    bool named = !strcmp(row->name, callee->name) ||
                 compare_places(row->callee.file, row->callee.line, callee->file, callee->line) == 0;
    return named ? 2 : 1; /* a call by a pointer calls anybody */
}

static void put_row(struct nest *nest, const struct row *row, int least_fitness)
{
    struct wf_graph *graph = nest->graph;
    struct wf_node *node;
    for (size_t i = first_at(nest, row->inner.file, row->inner.line); (node = node_at(nest, i, &row->inner));
         i++) {
        if (node->parent != WF_NO_NODE || fitness(graph, row, node) < least_fitness)
            continue;
        wf_graph_put(graph, nest->by_place[i], find_outer(nest, row, nest->by_place[i]));
        if (node->kind == WF_NODE_REGION || node->kind == WF_NODE_PHASE)
            node->loose = false;
    }
}

static void put_rows(struct nest *nest)
{
    for (int least_fitness = 2; least_fitness > 0; least_fitness--)
        for (size_t i = 0; i < nest->rows.count; i++)
            put_row(nest, &nest->rows.items[i], least_fitness);
}

/* ---- the others ---- */

/* Only a procedure's first line is known, so the one that begins last before the line is taken. */
static int procedure_around(const struct nest *nest, const struct wf_node *node)
{
    for (size_t i = first_at(nest, node->file, node->line + 1); i > 0; i--) {
        const struct wf_node *before = &nest->graph->nodes[nest->by_place[i - 1]];
        if (strcmp(before->file, node->file) != 0)
            break;
        if (before->kind == WF_NODE_PROCEDURE)
            return nest->by_place[i - 1];
    }
    return WF_NO_NODE;
}

static void put_others(struct nest *nest)
{
    struct wf_graph *graph = nest->graph;
    for (size_t i = 0; i < graph->count; i++) {
        struct wf_node *node = &graph->nodes[i];
        if (node->kind == WF_NODE_PROCEDURE || node->kind == WF_NODE_CYCLE || node->parent != WF_NO_NODE)
            continue;
        bool has_place = *node->file && node->line > 0;
        int outer = node->procedure != WF_NO_NODE ? node->procedure
                    : has_place                   ? procedure_around(nest, node)
                                                  : WF_NO_NODE;
        wf_graph_put(graph, (int)i, outer);
    }
}

/* ---- calls of procedures that have no probe ---- */

static int find_procedure_at(const struct nest *nest, const struct place *place)
{
    const struct wf_node *node;
    for (size_t i = first_at(nest, place->file, place->line); (node = node_at(nest, i, place)); i++)
        if (node->kind == WF_NODE_PROCEDURE)
            return nest->by_place[i];
    return WF_NO_NODE;
}

/* The callee of a row that nothing was recorded of, although something in it was: its caller is known if it
 * is the only one. */
static int find_silent_callee(const struct nest *nest, const struct row *row)
{
    int callee = row->kind == WF_NODE_CALL ? find_procedure_at(nest, &row->callee) : WF_NO_NODE;
    if (callee == WF_NO_NODE)
        return WF_NO_NODE;
    const struct wf_node *node = &nest->graph->nodes[callee];
    bool silent = !node->measured && node->call_count == 0 && node->parent == WF_NO_NODE;
    return silent && node->first_child != WF_NO_NODE ? callee : WF_NO_NODE;
}

static void add_silent_call(struct nest *nest, const struct row *row, int callee)
{
    struct wf_graph *graph = nest->graph;
    int call = wf_graph_add(graph, WF_NODE_CALL, wf_memory_text(""), wf_memory_text(row->inner.file),
                            row->inner.line);
    graph->nodes[call].callee = graph->nodes[call].target = callee;
    wf_graph_put(graph, call, find_outer(nest, row, call));
}

static void add_silent_calls(struct nest *nest)
{
    size_t *callers = wf_memory_array(nest->graph->count, sizeof *callers);
    for (size_t i = 0; i < nest->rows.count; i++) {
        int callee = find_silent_callee(nest, &nest->rows.items[i]);
        if (callee != WF_NO_NODE)
            callers[callee]++;
    }
    for (size_t i = 0; i < nest->rows.count; i++) {
        int callee = find_silent_callee(nest, &nest->rows.items[i]);
        if (callee != WF_NO_NODE && callers[callee] == 1)
            add_silent_call(nest, &nest->rows.items[i], callee);
    }
    for (size_t i = 0; i < nest->graph->count; i++)
        if (nest->graph->nodes[i].kind == WF_NODE_CALL && !nest->graph->nodes[i].measured)
            nest->graph->nodes[nest->graph->nodes[i].target].call_count = 1;
    free(callers);
}

static void mark_recursion(const struct nest *nest)
{
    for (size_t i = 0; i < nest->rows.count; i++) {
        const struct row *row = &nest->rows.items[i];
        int callee = row->kind == WF_NODE_CALL ? find_procedure_at(nest, &row->callee) : WF_NO_NODE;
        const struct wf_node *outer;
        size_t at = first_at(nest, row->outer.file, row->outer.line);
        if (callee != WF_NO_NODE && (outer = node_at(nest, at, &row->outer)) && outer->procedure == callee)
            nest->graph->nodes[callee].recursive = true;
    }
}

int wf_graph_nest(struct wf_graph *graph, struct wf_error *error)
{
    struct nest nest = {.graph = graph};
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i].loose =
            graph->nodes[i].kind == WF_NODE_REGION || graph->nodes[i].kind == WF_NODE_PHASE;
    int result = read_rows(&nest.rows, graph->overview->profile, error);
    if (result == 0) {
        index_places(&nest);
        add_silent_loops(&nest);
        put_rows(&nest);
        put_others(&nest);
        add_silent_calls(&nest);
        mark_recursion(&nest);
    }
    free_rows(&nest.rows);
    free(nest.by_place);
    return result;
}
