/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/outline.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/sum.h"

enum { AT_ROOT = -2 }; /* a home: the procedure is a root itself */

struct outline_maker {
    struct wf_outline *outline;
    const struct wf_graph *graph;
    const struct wf_outline_choice *choice;
    int *roots;
    size_t root_count;
    bool *reached;
    int *homes; /* of each procedure: the call below which it is shown */
    bool *told; /* reached from the roots through the homes */
    int *rows;  /* of each node: its row, or -1 */
};

static const struct wf_node *outline_node(const struct outline_maker *maker, int index)
{
    return &maker->graph->nodes[index];
}

/* ---- roots ---- */

static void outline_reach(struct outline_maker *maker, int index)
{
    const struct wf_node *node = outline_node(maker, index);
    if (maker->reached[index])
        return;
    maker->reached[index] = true;
    for (int i = node->first_child; i != WF_NO_NODE; i = outline_node(maker, i)->next)
        outline_reach(maker, i);
    if (node->target != WF_NO_NODE)
        outline_reach(maker, node->target);
}

static void outline_add_root(struct outline_maker *maker, int node)
{
    maker->roots = wf_memory_grow(maker->roots, maker->root_count, sizeof *maker->roots);
    maker->roots[maker->root_count++] = node;
    outline_reach(maker, node);
}

/* Whether it is a root: no call leads to it; or, `at_last`, it was not reached from those. */
static bool outline_is_root(const struct outline_maker *maker, int index, bool at_last)
{
    const struct wf_node *node = outline_node(maker, index);
    bool is_called = node->call_count > 0;
    return node->parent == WF_NO_NODE && !node->outside && wf_node_is_known(node) && !maker->reached[index] &&
           (at_last || !is_called);
}

static void outline_add_roots(struct outline_maker *maker, bool at_last)
{
    const struct wf_graph *graph = maker->graph;
    int *candidates = wf_memory_array(graph->count, sizeof *candidates);
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (outline_is_root(maker, (int)i, at_last))
            candidates[count++] = (int)i;
    wf_graph_sort(graph, candidates, count);
    for (size_t i = 0; i < count; i++)
        if (!maker->reached[candidates[i]])
            outline_add_root(maker, candidates[i]);
    free(candidates);
}

/* Seen from outside, a procedure of a cycle is the cycle. */
static int outline_cycle_of(const struct wf_graph *graph, int node)
{
    const struct wf_node *n = &graph->nodes[node];
    return n->kind == WF_NODE_PROCEDURE && n->parent != WF_NO_NODE ? n->parent : node;
}

static void outline_choose_roots(struct outline_maker *maker)
{
    for (const int *root = maker->choice->roots; root && *root != WF_NO_NODE; root++)
        if (!maker->reached[outline_cycle_of(maker->graph, *root)])
            outline_add_root(maker, outline_cycle_of(maker->graph, *root));
    if (maker->choice->roots)
        return;
    if (maker->graph->main != WF_NO_NODE)
        outline_add_root(maker, maker->graph->main);
    size_t first = maker->root_count;
    outline_add_roots(maker, false);
    outline_add_roots(maker, true);
    if (maker->root_count > first)
        wf_graph_sort(maker->graph, maker->roots + first, maker->root_count - first);
}

/* ---- homes ---- */

static void outline_choose_homes(struct outline_maker *maker)
{
    for (size_t i = 0; i < maker->graph->count; i++)
        maker->homes[i] = WF_NO_NODE;
    for (size_t i = 0; i < maker->root_count; i++)
        maker->homes[maker->roots[i]] = AT_ROOT;
    for (size_t i = 0; i < maker->graph->count; i++) {
        const struct wf_node *call = outline_node(maker, (int)i);
        if (call->target == WF_NO_NODE || !maker->reached[i] || !wf_node_is_known(call))
            continue;
        int *home = &maker->homes[call->target];
        if (*home == WF_NO_NODE ||
            (*home != AT_ROOT && outline_node(maker, *home)->shown.time_ns < call->shown.time_ns))
            *home = (int)i;
    }
}

/* Marks the nodes that are shown from here on. */
static void outline_tell(struct outline_maker *maker, int index)
{
    const struct wf_node *node = outline_node(maker, index);
    if (maker->told[index])
        return;
    maker->told[index] = true;
    for (int i = node->first_child; i != WF_NO_NODE; i = outline_node(maker, i)->next)
        outline_tell(maker, i);
    if (node->target != WF_NO_NODE && maker->homes[node->target] == index)
        outline_tell(maker, node->target);
}

/* The most expensive call in a marked node of a procedure that is not marked; or WF_NO_NODE. */
static int outline_find_untold(const struct outline_maker *maker)
{
    int best = WF_NO_NODE;
    for (size_t i = 0; i < maker->graph->count; i++) {
        const struct wf_node *call = outline_node(maker, (int)i);
        if (call->target == WF_NO_NODE || !maker->told[i] || maker->told[call->target] || !wf_node_is_known(call))
            continue;
        if (best == WF_NO_NODE || call->shown.time_ns > outline_node(maker, best)->shown.time_ns)
            best = (int)i;
    }
    return best;
}

/* Procedures that call each other but are no cycle could each have their home in the other. */
static void outline_untangle_homes(struct outline_maker *maker)
{
    for (size_t i = 0; i < maker->root_count; i++)
        outline_tell(maker, maker->roots[i]);
    for (int call; (call = outline_find_untold(maker)) != WF_NO_NODE;) {
        maker->homes[outline_node(maker, call)->target] = call;
        outline_tell(maker, outline_node(maker, call)->target);
    }
}

/* ---- rows ---- */

static struct wf_outline_row *outline_add_row(struct outline_maker *maker, enum wf_row_role role, int node, int depth)
{
    struct wf_outline *outline = maker->outline;
    outline->rows = wf_memory_grow(outline->rows, outline->count, sizeof *outline->rows);
    outline->rows[outline->count] = (struct wf_outline_row){.role = role, .node = node, .depth = depth};
    return &outline->rows[outline->count++];
}

static bool outline_is_small(const struct outline_maker *maker, const struct wf_node *node)
{
    return (double)node->max_ns < maker->choice->least * (double)maker->graph->shown_ns;
}

static bool outline_is_too_deep(const struct outline_maker *maker, int depth)
{
    return maker->choice->depth >= 0 && depth > maker->choice->depth;
}

static void outline_add_node(struct outline_maker *maker, int index, int depth);

/* Adds the nodes that are large enough, and one row for the rest. They come in the order of their times. */
static void outline_add_nodes(struct outline_maker *maker, const int *nodes, size_t count, int outer, int depth)
{
    struct wf_outline_row rest = {0};
    if (outline_is_too_deep(maker, depth))
        return;
    for (size_t i = 0; i < count; i++) {
        const struct wf_node *node = outline_node(maker, nodes[i]);
        if (outline_is_small(maker, node)) {
            rest.rest++;
            wf_sum_add(&rest.rest_ns, node->shown.time_ns);
        } else {
            outline_add_node(maker, nodes[i], depth);
        }
    }
    maker->outline->cut += rest.rest;
    if (rest.rest) {
        struct wf_outline_row *row = outline_add_row(maker, WF_ROW_REST, outer, depth);
        row->rest = rest.rest;
        row->rest_ns = rest.rest_ns;
    }
}

static bool outline_has_content(const struct outline_maker *maker, const struct wf_node *node)
{
    for (int i = node->first_child; i != WF_NO_NODE; i = outline_node(maker, i)->next)
        if (wf_node_is_known(outline_node(maker, i)))
            return true;
    return false;
}

static void outline_add_content(struct outline_maker *maker, int index, int depth)
{
    int *nodes = wf_graph_content(maker->graph, index);
    size_t count = 0;
    while (nodes[count] != WF_NO_NODE)
        count++;
    outline_add_nodes(maker, nodes, count, index, depth);
    free(nodes);
}

static void outline_row_set_self(struct wf_outline_row *row, bool known, int64_t self_ns)
{
    row->has_self = known;
    row->self_ns = self_ns;
}

/* A procedure that is called from several places has the figures of all calls: they get a row of their own, below the
 * call at which the procedure is shown. */
static void outline_add_callee(struct outline_maker *maker, int index, int depth, size_t call_row)
{
    const struct wf_node *call = outline_node(maker, index), *target = outline_node(maker, call->target);
    if (!outline_has_content(maker, target)) {
        outline_row_set_self(&maker->outline->rows[call_row], target->measured, call->shown.time_ns);
        return;
    }
    if (maker->homes[call->target] != index)
        return;
    if (target->call_count > 1 || target->kind == WF_NODE_CYCLE) {
        depth++;
        if (outline_is_too_deep(maker, depth))
            return;
        struct wf_outline_row *row = outline_add_row(maker, WF_ROW_ALL_CALLS, call->target, depth);
        outline_row_set_self(row, target->has_self, target->shown.self_ns);
    } else {
        outline_row_set_self(&maker->outline->rows[call_row], target->has_self, target->shown.self_ns);
    }
    outline_add_content(maker, call->target, depth + 1);
}

static void outline_add_node(struct outline_maker *maker, int index, int depth)
{
    const struct wf_node *node = outline_node(maker, index);
    size_t at = maker->outline->count;
    struct wf_outline_row *row = outline_add_row(maker, WF_ROW_NODE, index, depth);
    outline_row_set_self(row, node->has_self, node->shown.self_ns);
    maker->rows[index] = (int)at;
    if (node->target != WF_NO_NODE)
        outline_add_callee(maker, index, depth, at);
    else
        outline_add_content(maker, index, depth + 1);
}

/* ---- marks in the rows ---- */

static void outline_mark_last(struct wf_outline *outline)
{
    for (size_t i = 0; i < outline->count; i++) {
        size_t next = i + 1;
        while (next < outline->count && outline->rows[next].depth > outline->rows[i].depth)
            next++;
        outline->rows[i].last = next == outline->count || outline->rows[next].depth < outline->rows[i].depth;
    }
}

/* Whether there are rows below a row. */
static bool outline_row_is_opened(const struct wf_outline *outline, size_t row)
{
    return row + 1 < outline->count && outline->rows[row + 1].depth > outline->rows[row].depth;
}

static void outline_point_home(struct outline_maker *maker)
{
    for (size_t i = 0; i < maker->outline->count; i++) {
        struct wf_outline_row *row = &maker->outline->rows[i];
        if (row->role != WF_ROW_NODE || outline_node(maker, row->node)->kind != WF_NODE_CALL)
            continue;
        int target = outline_node(maker, row->node)->target, home = maker->homes[target];
        int at = home == AT_ROOT ? maker->rows[target] : maker->rows[home];
        if (home != row->node && at >= 0 && outline_row_is_opened(maker->outline, (size_t)at))
            row->see = (size_t)at < i ? WF_SEE_ABOVE : WF_SEE_BELOW;
    }
}

static void outline_make_rows(struct outline_maker *maker)
{
    const struct wf_graph *graph = maker->graph;
    size_t first = !maker->choice->roots && graph->main != WF_NO_NODE; /* main itself is never cut */
    if (maker->choice->roots || first)
        for (size_t i = 0; i < (first ? 1 : maker->root_count); i++)
            outline_add_node(maker, maker->roots[i], 0);
    maker->outline->elsewhere = maker->outline->count;
    if (!maker->choice->roots && maker->root_count > first)
        outline_add_nodes(maker, maker->roots + first, maker->root_count - first, WF_NO_NODE, 0);
    outline_mark_last(maker->outline);
    outline_point_home(maker);
}

void wf_outline_make(struct wf_outline *outline, const struct wf_graph *graph, const struct wf_outline_choice *choice)
{
    struct outline_maker maker = {
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
    outline_choose_roots(&maker);
    outline_choose_homes(&maker);
    outline_untangle_homes(&maker);
    outline_make_rows(&maker);
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
