/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times that are sums of other times. Records are never scaled or divided: a node without a record is known only as far
 * as the nodes in it are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/sum.h"

static bool node_is_loop(const struct wf_node *node)
{
    return node->kind == WF_NODE_LOOP || node->kind == WF_NODE_REGION || node->kind == WF_NODE_PHASE;
}

static void graph_sum_subtract(int64_t *value, int64_t less)
{
    wf_sum_add(value, less == INT64_MIN ? INT64_MAX : -less);
}

/* ---- procedures: the sum of their calls ---- */

static void graph_sum_clear(struct wf_graph *graph, struct wf_node *node)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        node->ranks[rank].calls = node->ranks[rank].time_ns = 0;
}

static void graph_sum_add_call(struct wf_graph *graph, const struct wf_node *call, struct wf_node *target)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++) {
        wf_sum_add(&target->ranks[rank].calls, call->ranks[rank].calls);
        wf_sum_add(&target->ranks[rank].time_ns, call->ranks[rank].time_ns);
    }
}

/* Calls of a cycle's procedures contain each other, so their times cannot be added: see graph_sum_own_time. */
static void graph_sum_calls(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct wf_node *node = &graph->nodes[i];
        bool in_cycle = node->kind == WF_NODE_PROCEDURE && node->parent != WF_NO_NODE;
        if (in_cycle || (node->call_count && node->measured))
            graph_sum_clear(graph, node);
        node->measured |= node->kind == WF_NODE_CYCLE;
    }
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CALL && graph->nodes[i].measured) {
            const struct wf_node *call = &graph->nodes[i];
            graph_sum_add_call(graph, call, &graph->nodes[call->target]);
            if (call->target != call->callee)
                graph_sum_add_call(graph, call, &graph->nodes[call->callee]);
        }
}

/* ---- nodes without a record: the sum of the nodes in them ---- */

enum sum_state { SUM_NOT_YET, SUM_AT_WORK, SUM_DONE };

/* Whether the node has no time of its own on this rank: it has no probe, or was entered and never left. */
static bool node_lacks_time(const struct wf_node *node, size_t rank)
{
    return !node->measured || (node->ranks[rank].calls == 0 && node->kind != WF_NODE_CYCLE);
}

static void graph_sum_add_inside(struct wf_graph *graph, struct wf_node *node, const struct wf_node *inner)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        if (node_lacks_time(node, rank))
            wf_sum_add(&node->ranks[rank].time_ns, inner->ranks[rank].time_ns);
}

static void graph_sum_inside(struct wf_graph *graph, int index, unsigned char *states);

static void graph_sum_target(struct wf_graph *graph, struct wf_node *call, unsigned char *states)
{
    graph_sum_inside(graph, call->target, states);
    /* With several calls it is not known which one took the time. */
    if (states[call->target] == SUM_DONE && graph->nodes[call->target].call_count == 1)
        graph_sum_add_inside(graph, call, &graph->nodes[call->target]);
}

/* Procedures without records can call each other in a circle that the tables do not know: the circle is cut where it
 * closes. */
static void graph_sum_inside(struct wf_graph *graph, int index, unsigned char *states)
{
    struct wf_node *node = &graph->nodes[index];
    if (states[index] != SUM_NOT_YET)
        return;
    states[index] = SUM_AT_WORK;
    for (int i = node->first_child; i != WF_NO_NODE; i = graph->nodes[i].next) {
        graph_sum_inside(graph, i, states);
        if (!graph->nodes[i].loose && states[i] == SUM_DONE)
            graph_sum_add_inside(graph, node, &graph->nodes[i]);
    }
    if (node->target != WF_NO_NODE)
        graph_sum_target(graph, node, states);
    states[index] = SUM_DONE;
}

/* ---- self ---- */

/* Recorded own time includes that of the loops inside. */
static void graph_sum_subtract_loops(struct wf_graph *graph, struct wf_node *node, const struct wf_node *outer)
{
    for (int i = outer->first_child; i != WF_NO_NODE; i = graph->nodes[i].next) {
        const struct wf_node *inner = &graph->nodes[i];
        if (!node_is_loop(inner) || inner->loose)
            continue;
        if (!inner->measured)
            graph_sum_subtract_loops(graph, node, inner);
        for (size_t rank = 0; inner->measured && rank < graph->overview->ranks.count; rank++)
            graph_sum_subtract(&node->ranks[rank].self_ns, inner->ranks[rank].self_ns);
    }
}

static void graph_sum_subtract_all(struct wf_graph *graph, struct wf_node *node)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        node->ranks[rank].self_ns = node->ranks[rank].time_ns;
    for (int i = node->first_child; i != WF_NO_NODE; i = graph->nodes[i].next)
        for (size_t rank = 0; !graph->nodes[i].loose && rank < graph->overview->ranks.count; rank++)
            graph_sum_subtract(&node->ranks[rank].self_ns, graph->nodes[i].ranks[rank].time_ns);
}

static void graph_sum_set_self(struct wf_graph *graph, int index)
{
    struct wf_node *node = &graph->nodes[index];
    bool knowable = node->measured && node->kind != WF_NODE_CALL && node->kind != WF_NODE_CYCLE;
    if (knowable && node->has_self)
        graph_sum_subtract_loops(graph, node, node);
    else if (knowable)
        graph_sum_subtract_all(graph, node);
    node->has_self = knowable;
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        if (node->ranks[rank].self_ns < 0) /* times of threads are added up, and may exceed the time around them */
            node->ranks[rank].self_ns = 0;
    for (int i = node->first_child; i != WF_NO_NODE; i = graph->nodes[i].next)
        graph_sum_set_self(graph, i);
}

/* ---- cycles ---- */

/* The time of a procedure in a cycle: its own, and that of the communication statements and calls in its text. All
 * procedures of a cycle together make the time of the cycle. */
static void graph_sum_own_time(struct wf_graph *graph, struct wf_node *procedure, const struct wf_node *outer)
{
    for (int i = outer->first_child; i != WF_NO_NODE; i = graph->nodes[i].next) {
        const struct wf_node *inner = &graph->nodes[i];
        if (node_is_loop(inner))
            graph_sum_own_time(graph, procedure, inner);
        for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
            wf_sum_add(&procedure->ranks[rank].time_ns,
                       node_is_loop(inner) ? inner->ranks[rank].self_ns : inner->ranks[rank].time_ns);
    }
}

static void graph_time_members(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->procedures; i++) {
        struct wf_node *node = &graph->nodes[i];
        if (node->parent == WF_NO_NODE)
            continue;
        for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
            node->ranks[rank].time_ns = node->ranks[rank].self_ns;
        graph_sum_own_time(graph, node, node);
    }
}

/* "solve + smooth + 2 more" */
static void graph_name_cycle(struct wf_graph *graph, int index)
{
    enum { NAMED = 2 };
    char *text = NULL;
    size_t bytes, count = 0;
    FILE *out = open_memstream(&text, &bytes);
    for (size_t i = 0; out && i < graph->procedures; i++)
        if (graph->nodes[i].parent == index && count++ < NAMED) {
            char *name = wf_name_short(graph->nodes[i].name);
            fprintf(out, "%s%s", count > 1 ? " + " : "", name);
            free(name);
        }
    if (out && count > NAMED)
        fprintf(out, " + %zu more", count - NAMED);
    if (out)
        fclose(out);
    if (text) {
        free(graph->nodes[index].name);
        graph->nodes[index].name = text;
    }
}

void wf_graph_sum_up(struct wf_graph *graph)
{
    unsigned char *states = wf_memory_array(graph->count, 1);
    graph_sum_calls(graph);
    for (size_t i = 0; i < graph->count; i++)
        graph_sum_inside(graph, (int)i, states);
    free(states);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].parent == WF_NO_NODE)
            graph_sum_set_self(graph, (int)i);
    graph_time_members(graph);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CYCLE)
            graph_name_cycle(graph, (int)i);
}
