/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which node stands in which. The static tables tell it for programs compiled with weft cc; in others a statement
 * stands in its procedure, and no loop is known.
 */
#include <stdlib.h>
#include <string.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/static_rows.h"
#include "base/bisection.h"

struct nest {
    struct wf_graph *graph;
    int *by_place; /* all nodes that have one */
    size_t count;
    struct wf_static_rows rows;
};

/* ---- nodes by place ---- */

static int nest_compare_places(const char *file, int64_t line, const char *other_file, int64_t other_line)
{
    int files = strcmp(file, other_file);
    return files ? files : (line > other_line) - (line < other_line);
}

static int nest_compare_nodes(const void *left, const void *right, void *nodes)
{
    int i = *(const int *)left, j = *(const int *)right;
    const struct wf_node *a = (const struct wf_node *)nodes + i, *b = (const struct wf_node *)nodes + j;
    int places = nest_compare_places(a->file, a->line, b->file, b->line);
    return places ? places : (i > j) - (i < j);
}

static void nest_index_places(struct nest *nest)
{
    const struct wf_graph *graph = nest->graph;
    free(nest->by_place);
    nest->by_place = wf_memory_array(graph->count, sizeof *nest->by_place);
    nest->count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (*graph->nodes[i].file && graph->nodes[i].line > 0)
            nest->by_place[nest->count++] = (int)i;
    if (nest->count)
        qsort_r(nest->by_place, nest->count, sizeof *nest->by_place, nest_compare_nodes, graph->nodes);
}

/* The first position in by_place that is not before the place. */
static size_t nest_first_at(const struct nest *nest, const char *file, int64_t line)
{
    struct wf_bisection b = {.high = nest->count};
    while (wf_bisection_goes_on(&b)) {
        const struct wf_node *node = &nest->graph->nodes[nest->by_place[b.middle]];
        wf_bisection_step(&b, nest_compare_places(node->file, node->line, file, line) < 0);
    }
    return b.low;
}

/* The node at this position if it has this place, else NULL. */
static struct wf_node *nest_node_at(const struct nest *nest, size_t position, const struct wf_static_place *place)
{
    if (position >= nest->count)
        return NULL;
    struct wf_node *node = &nest->graph->nodes[nest->by_place[position]];
    return nest_compare_places(node->file, node->line, place->file, place->line) == 0 ? node : NULL;
}

/* ---- loops that have no probe ---- */

/* WEFT_REGION is a loop to the compiler: so the tables tell what stands in the region. */
static bool node_can_be_loop(const struct wf_node *node, const char *name)
{
    if (node->kind == WF_NODE_REGION || node->kind == WF_NODE_PHASE)
        return true;
    return node->kind == WF_NODE_LOOP && (!*name || !strcmp(node->name, name));
}

static bool nest_has_loop(const struct nest *nest, const struct wf_static_row *row)
{
    const struct wf_node *node;
    for (size_t i = nest_first_at(nest, row->inner.file, row->inner.line); (node = nest_node_at(nest, i, &row->inner));
         i++)
        if (node_can_be_loop(node, row->name))
            return true;
    return false;
}

/* The index is made again only once, at the end: so a row that comes twice makes two nodes, one of which stays
 * empty. */
static void nest_add_silent_loops(struct nest *nest)
{
    for (size_t i = 0; i < nest->rows.count; i++) {
        const struct wf_static_row *row = &nest->rows.items[i];
        if (row->kind == WF_NODE_LOOP && !nest_has_loop(nest, row))
            wf_graph_add(nest->graph, WF_NODE_LOOP, wf_memory_text(row->name), wf_memory_text(row->inner.file),
                         row->inner.line);
    }
    nest_index_places(nest);
}

/* ---- by the text ---- */

/* The procedure or loop around `node`, according to a row. A macro can put several procedures into one line: then the
 * node's own procedure decides. */
static int nest_find_outer(const struct nest *nest, const struct wf_static_row *row, int node)
{
    int found = WF_NO_NODE, own = nest->graph->nodes[node].procedure;
    const struct wf_node *outer;
    for (size_t i = nest_first_at(nest, row->outer.file, row->outer.line); (outer = nest_node_at(nest, i, &row->outer));
         i++) {
        bool fits = row->in_loop ? node_can_be_loop(outer, "") : outer->kind == WF_NODE_PROCEDURE;
        if (!fits || nest->by_place[i] == node)
            continue;
        if (found == WF_NO_NODE || nest->by_place[i] == own)
            found = nest->by_place[i];
    }
    return found;
}

/* How well a node fits a row: 0 not at all, 1 perhaps, 2 if the row names it. */
static int nest_fitness(const struct wf_graph *graph, const struct wf_static_row *row, const struct wf_node *node)
{
    if (row->kind == WF_NODE_LOOP)
        return node_can_be_loop(node, row->name) ? 2 : 0;
    if (row->kind != node->kind)
        return 0;
    if (node->kind == WF_NODE_COMMUNICATION)
        return !*row->name || !strcmp(row->name, node->name) ? 2 : 0;
    const struct wf_node *callee = &graph->nodes[node->callee];
    bool named = !strcmp(row->name, callee->name) ||
                 nest_compare_places(row->callee.file, row->callee.line, callee->file, callee->line) == 0;
    return named ? 2 : 1; /* a call by a pointer may call any procedure */
}

static void nest_put_row(struct nest *nest, const struct wf_static_row *row, int least_fitness)
{
    struct wf_graph *graph = nest->graph;
    struct wf_node *node;
    for (size_t i = nest_first_at(nest, row->inner.file, row->inner.line); (node = nest_node_at(nest, i, &row->inner));
         i++) {
        if (node->parent != WF_NO_NODE || nest_fitness(graph, row, node) < least_fitness)
            continue;
        wf_graph_put(graph, nest->by_place[i], nest_find_outer(nest, row, nest->by_place[i]));
        if (node->kind == WF_NODE_REGION || node->kind == WF_NODE_PHASE)
            node->loose = false;
    }
}

static void nest_put_rows(struct nest *nest)
{
    for (int least_fitness = 2; least_fitness > 0; least_fitness--)
        for (size_t i = 0; i < nest->rows.count; i++)
            nest_put_row(nest, &nest->rows.items[i], least_fitness);
}

/* ---- the others ---- */

/* Only the first lines of procedures are known: the last one that begins before the node is taken. */
static int nest_procedure_around(const struct nest *nest, const struct wf_node *node)
{
    for (size_t i = nest_first_at(nest, node->file, node->line + 1); i > 0; i--) {
        const struct wf_node *before = &nest->graph->nodes[nest->by_place[i - 1]];
        if (strcmp(before->file, node->file) != 0)
            break;
        if (before->kind == WF_NODE_PROCEDURE)
            return nest->by_place[i - 1];
    }
    return WF_NO_NODE;
}

static void nest_put_others(struct nest *nest)
{
    struct wf_graph *graph = nest->graph;
    for (size_t i = 0; i < graph->count; i++) {
        struct wf_node *node = &graph->nodes[i];
        if (node->kind == WF_NODE_PROCEDURE || node->kind == WF_NODE_CYCLE || node->parent != WF_NO_NODE)
            continue;
        bool has_place = *node->file && node->line > 0;
        int outer = node->procedure != WF_NO_NODE ? node->procedure
                    : has_place                   ? nest_procedure_around(nest, node)
                                                  : WF_NO_NODE;
        wf_graph_put(graph, (int)i, outer);
    }
}

/* ---- calls of procedures that have no probe ---- */

static int nest_find_procedure_at(const struct nest *nest, const struct wf_static_place *place)
{
    const struct wf_node *node;
    for (size_t i = nest_first_at(nest, place->file, place->line); (node = nest_node_at(nest, i, place)); i++)
        if (node->kind == WF_NODE_PROCEDURE)
            return nest->by_place[i];
    return WF_NO_NODE;
}

/* The callee of a row, if it has no record itself but contains statements that have: its caller is known if there is
 * only one. */
static int nest_find_silent_callee(const struct nest *nest, const struct wf_static_row *row)
{
    int callee = row->kind == WF_NODE_CALL ? nest_find_procedure_at(nest, &row->callee) : WF_NO_NODE;
    if (callee == WF_NO_NODE)
        return WF_NO_NODE;
    const struct wf_node *node = &nest->graph->nodes[callee];
    bool silent = !node->measured && node->call_count == 0 && node->parent == WF_NO_NODE;
    return silent && node->first_child != WF_NO_NODE ? callee : WF_NO_NODE;
}

static void nest_add_silent_call(struct nest *nest, const struct wf_static_row *row, int callee)
{
    struct wf_graph *graph = nest->graph;
    int call = wf_graph_add(graph, WF_NODE_CALL, wf_memory_text(""), wf_memory_text(row->inner.file), row->inner.line);
    graph->nodes[call].callee = graph->nodes[call].target = callee;
    wf_graph_put(graph, call, nest_find_outer(nest, row, call));
}

static void nest_add_silent_calls(struct nest *nest)
{
    size_t *callers = wf_memory_array(nest->graph->count, sizeof *callers);
    for (size_t i = 0; i < nest->rows.count; i++) {
        int callee = nest_find_silent_callee(nest, &nest->rows.items[i]);
        if (callee != WF_NO_NODE)
            callers[callee]++;
    }
    for (size_t i = 0; i < nest->rows.count; i++) {
        int callee = nest_find_silent_callee(nest, &nest->rows.items[i]);
        if (callee != WF_NO_NODE && callers[callee] == 1)
            nest_add_silent_call(nest, &nest->rows.items[i], callee);
    }
    for (size_t i = 0; i < nest->graph->count; i++)
        if (nest->graph->nodes[i].kind == WF_NODE_CALL && !nest->graph->nodes[i].measured)
            nest->graph->nodes[nest->graph->nodes[i].target].call_count = 1;
    free(callers);
}

static void nest_mark_recursion(const struct nest *nest)
{
    for (size_t i = 0; i < nest->rows.count; i++) {
        const struct wf_static_row *row = &nest->rows.items[i];
        int callee = row->kind == WF_NODE_CALL ? nest_find_procedure_at(nest, &row->callee) : WF_NO_NODE;
        const struct wf_node *outer;
        size_t at = nest_first_at(nest, row->outer.file, row->outer.line);
        if (callee != WF_NO_NODE && (outer = nest_node_at(nest, at, &row->outer)) && outer->procedure == callee)
            nest->graph->nodes[callee].recursive = true;
    }
}

int wf_graph_nest(struct wf_graph *graph, struct wf_error *error)
{
    struct nest nest = {.graph = graph};
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i].loose = graph->nodes[i].kind == WF_NODE_REGION || graph->nodes[i].kind == WF_NODE_PHASE;
    int result = wf_static_rows_read(&nest.rows, graph->overview->profile, error);
    if (result == 0) {
        nest_index_places(&nest);
        nest_add_silent_loops(&nest);
        nest_put_rows(&nest);
        nest_put_others(&nest);
        nest_add_silent_calls(&nest);
        nest_mark_recursion(&nest);
    }
    wf_static_rows_free(&nest.rows);
    free(nest.by_place);
    return result;
}
