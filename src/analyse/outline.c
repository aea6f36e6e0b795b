/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/outline.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/sum.h"

enum { AT_ROOT = -2 }; /* in the place of a home */

struct maker {
    struct wf_outline *outline;
    const struct wf_graph *graph;
    const struct wf_outline_choice *choice;
    int *roots;
    size_t root_count;
    bool *reached;
    int *homes; /* of each procedure: the call it is told at */
    bool *told; /* reached by way of the homes */
    int *rows;  /* of each node: its row, or -1 */
};

static const struct wf_node *node_of(const struct maker *maker, int index)
{
    return &maker->graph->nodes[index];
}

/* ---- roots ---- */

static void reach(struct maker *maker, int index)
{
    const struct wf_node *node = node_of(maker, index);
    if (maker->reached[index])
        return;
    maker->reached[index] = true;
    for (int i = node->first_child; i != WF_NO_NODE; i = node_of(maker, i)->next)
        reach(maker, i);
    if (node->target != WF_NO_NODE)
        reach(maker, node->target);
}

static void add_root(struct maker *maker, int node)
{
    maker->roots = wf_memory_grow(maker->roots, maker->root_count, sizeof *maker->roots);
    maker->roots[maker->root_count++] = node;
    reach(maker, node);
}

/* Whether nothing leads to it; `at_last`: whatever was not reached from those. */
static bool is_root(const struct maker *maker, int index, bool at_last)
{
    const struct wf_node *node = node_of(maker, index);
    bool is_called = node->call_count > 0;
    return node->parent == WF_NO_NODE && !node->outside && wf_node_is_known(node) && !maker->reached[index] &&
           (at_last || !is_called);
}

static void add_roots(struct maker *maker, bool at_last)
{
    const struct wf_graph *graph = maker->graph;
    int *candidates = wf_memory_array(graph->count, sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (is_root(maker, (int)i, at_last))
            candidates[count++] = (int)i;
    wf_graph_sort(graph, candidates, count);
    for (size_t i = 0; i < count; i++)
        if (!maker->reached[candidates[i]])
            add_root(maker, candidates[i]);
    free(candidates);
}

/* To everyone outside, a procedure of a cycle is the cycle. */
static int cycle_of(const struct wf_graph *graph, int node)
{
    const struct wf_node *n = &graph->nodes[node];
    return n->kind == WF_NODE_PROCEDURE && n->parent != WF_NO_NODE ? n->parent : node;
}

static void choose_roots(struct maker *maker)
{
    for (const int *root = maker->choice->roots; root && *root != WF_NO_NODE; root++)
        if (!maker->reached[cycle_of(maker->graph, *root)])
            add_root(maker, cycle_of(maker->graph, *root));
    if (maker->choice->roots)
        return;
    if (maker->graph->main != WF_NO_NODE)
        add_root(maker, maker->graph->main);
    size_t first = maker->root_count;
    add_roots(maker, false);
    add_roots(maker, true);
    if (maker->root_count > first)
        wf_graph_sort(maker->graph, maker->roots + first, maker->root_count - first);
}

/* ---- homes ---- */

static void choose_homes(struct maker *maker)
{
    for (size_t i = 0; i < maker->graph->count; i++)
        maker->homes[i] = WF_NO_NODE;
    for (size_t i = 0; i < maker->root_count; i++)
        maker->homes[maker->roots[i]] = AT_ROOT;
    for (size_t i = 0; i < maker->graph->count; i++) {
        const struct wf_node *call = node_of(maker, (int)i);
        if (call->target == WF_NO_NODE || !maker->reached[i] || !wf_node_is_known(call))
            continue;
        int *home = &maker->homes[call->target];
        if (*home == WF_NO_NODE ||
            (*home != AT_ROOT && node_of(maker, *home)->shown.time_ns < call->shown.time_ns))
            *home = (int)i;
    }
}

/* Marks what is told from here on. */
static void tell(struct maker *maker, int index)
{
    const struct wf_node *node = node_of(maker, index);
    if (maker->told[index])
        return;
    maker->told[index] = true;
    for (int i = node->first_child; i != WF_NO_NODE; i = node_of(maker, i)->next)
        tell(maker, i);
    if (node->target != WF_NO_NODE && maker->homes[node->target] == index)
        tell(maker, node->target);
}

/* The most expensive call, in what is told, of something that is not; or WF_NO_NODE. */
static int find_untold(const struct maker *maker)
{
    int best = WF_NO_NODE;
    for (size_t i = 0; i < maker->graph->count; i++) {
        const struct wf_node *call = node_of(maker, (int)i);
        if (call->target == WF_NO_NODE || !maker->told[i] || maker->told[call->target] ||
            !wf_node_is_known(call))
            continue;
        if (best == WF_NO_NODE || call->shown.time_ns > node_of(maker, best)->shown.time_ns)
            best = (int)i;
    }
    return best;
}

/* Procedures that call each other, and are no cycle, could each have their home in the other. */
static void untangle_homes(struct maker *maker)
{
    for (size_t i = 0; i < maker->root_count; i++)
        tell(maker, maker->roots[i]);
    for (int call; (call = find_untold(maker)) != WF_NO_NODE;) {
        maker->homes[node_of(maker, call)->target] = call;
        tell(maker, node_of(maker, call)->target);
    }
}

/* ---- rows ---- */

static struct wf_outline_row *add_row(struct maker *maker, enum wf_row_role role, int node, int depth)
{
    struct wf_outline *outline = maker->outline;
    outline->rows = wf_memory_grow(outline->rows, outline->count, sizeof *outline->rows);
    outline->rows[outline->count] = (struct wf_outline_row){.role = role, .node = node, .depth = depth};
    return &outline->rows[outline->count++];
}

static bool is_small(const struct maker *maker, const struct wf_node *node)
{
    return (double)node->max_ns < maker->choice->least * (double)maker->graph->shown_ns;
}

static bool is_too_deep(const struct maker *maker, int depth)
{
    return maker->choice->depth >= 0 && depth > maker->choice->depth;
}

static void add_node(struct maker *maker, int index, int depth);

/* Those that matter, and one row for the rest. They come in order. */
static void add_nodes(struct maker *maker, const int *nodes, size_t count, int outer, int depth)
{
    struct wf_outline_row rest = {0};
    if (is_too_deep(maker, depth))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct wf_node *node = node_of(maker, nodes[i]);
        if (is_small(maker, node)) {
            rest.rest++;
            wf_sum_add(&rest.rest_ns, node->shown.time_ns);
        } else {
            add_node(maker, nodes[i], depth);
        }
    }
    maker->outline->cut += rest.rest;
    if (rest.rest) {
        struct wf_outline_row *row = add_row(maker, WF_ROW_REST, outer, depth);
        row->rest = rest.rest;
        row->rest_ns = rest.rest_ns;
    }
}

static bool has_content(const struct maker *maker, const struct wf_node *node)
{
    for (int i = node->first_child; i != WF_NO_NODE; i = node_of(maker, i)->next)
        if (wf_node_is_known(node_of(maker, i)))
            return true;
    return false;
}

static void add_content(struct maker *maker, int index, int depth)
{
    int *nodes = wf_graph_content(maker->graph, index);
    size_t count = 0;
    while (nodes[count] != WF_NO_NODE)
        count++;
    add_nodes(maker, nodes, count, index, depth);
    free(nodes);
}

static void set_self(struct wf_outline_row *row, bool known, int64_t self_ns)
{
    row->has_self = known;
    row->self_ns = self_ns;
}

/* The figures of a procedure that is called from several places are those of all calls: they get a row of
 * their own, below the call that they are told at. */
static void add_callee(struct maker *maker, int index, int depth, size_t call_row)
{
    const struct wf_node *call = node_of(maker, index), *target = node_of(maker, call->target);
    if (!has_content(maker, target)) {
        set_self(&maker->outline->rows[call_row], target->measured, call->shown.time_ns);
        return;
    }
    if (maker->homes[call->target] != index)
        return;
    if (target->call_count > 1 || target->kind == WF_NODE_CYCLE) {
        depth++;
        if (is_too_deep(maker, depth))
            return;
        struct wf_outline_row *row = add_row(maker, WF_ROW_ALL_CALLS, call->target, depth);
        set_self(row, target->has_self, target->shown.self_ns);
    } else {
        set_self(&maker->outline->rows[call_row], target->has_self, target->shown.self_ns);
    }
    add_content(maker, call->target, depth + 1);
}

static void add_node(struct maker *maker, int index, int depth)
{
    const struct wf_node *node = node_of(maker, index);
    size_t at = maker->outline->count;
    struct wf_outline_row *row = add_row(maker, WF_ROW_NODE, index, depth);
    set_self(row, node->has_self, node->shown.self_ns);
    maker->rows[index] = (int)at;
    if (node->target != WF_NO_NODE)
        add_callee(maker, index, depth, at);
    else
        add_content(maker, index, depth + 1);
}

/* ---- what follows from the rows ---- */

static void mark_last(struct wf_outline *outline)
{
    for (size_t i = 0; i < outline->count; i++) {
        size_t next = i + 1;
        while (next < outline->count && outline->rows[next].depth > outline->rows[i].depth)
            next++;
        outline->rows[i].last = next == outline->count || outline->rows[next].depth < outline->rows[i].depth;
    }
}

/* Whether something is told below a row. */
static bool is_opened(const struct wf_outline *outline, size_t row)
{
    return row + 1 < outline->count && outline->rows[row + 1].depth > outline->rows[row].depth;
}

static void point_home(struct maker *maker)
{
    for (size_t i = 0; i < maker->outline->count; i++) {
        struct wf_outline_row *row = &maker->outline->rows[i];
        if (row->role != WF_ROW_NODE || node_of(maker, row->node)->kind != WF_NODE_CALL)
            continue;
        int target = node_of(maker, row->node)->target, home = maker->homes[target];
        int at = home == AT_ROOT ? maker->rows[target] : maker->rows[home];
        if (home != row->node && at >= 0 && is_opened(maker->outline, (size_t)at))
            row->see = (size_t)at < i ? WF_SEE_ABOVE : WF_SEE_BELOW;
    }
}

static void make_rows(struct maker *maker)
{
    const struct wf_graph *graph = maker->graph;
    size_t first = !maker->choice->roots && graph->main != WF_NO_NODE; /* main itself is never cut */
    if (maker->choice->roots || first)
        for (size_t i = 0; i < (first ? 1 : maker->root_count); i++)
            add_node(maker, maker->roots[i], 0);
    maker->outline->elsewhere = maker->outline->count;
    if (!maker->choice->roots && maker->root_count > first)
        add_nodes(maker, maker->roots + first, maker->root_count - first, WF_NO_NODE, 0);
    mark_last(maker->outline);
    point_home(maker);
}

void wf_outline_make(struct wf_outline *outline, const struct wf_graph *graph,
                     const struct wf_outline_choice *choice)
{
    struct maker maker = {
        .outline = outline,
        .graph = graph,
        .choice = choice,
        .reached = wf_memory_array(graph->count, sizeof *maker.reached),
        .homes = wf_memory_array(graph->count, sizeof *maker.homes),
        .told = wf_memory_array(graph->count, sizeof *maker.told),
        .rows = wf_memory_array(graph->count, sizeof *maker.rows),
    };
    *outline = (struct wf_outline){0};
    for (size_t i = 0; i < graph->count; i++)
        maker.rows[i] = -1;
    choose_roots(&maker);
    choose_homes(&maker);
    untangle_homes(&maker);
    make_rows(&maker);
    free(maker.roots);
    free(maker.reached);
    free(maker.homes);
    free(maker.told);
    free(maker.rows);
}

void wf_outline_free(struct wf_outline *outline)
{
    free(outline->rows);
    *outline = (struct wf_outline){0};
}
