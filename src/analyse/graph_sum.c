/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Times that follow from times. Records are never scaled or shared out: what has no record of its own is
 * known only as far as what stands in it is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/sum.h"

static bool is_loop(const struct wf_node *node)
{
    return node->kind == WF_NODE_LOOP || node->kind == WF_NODE_REGION || node->kind == WF_NODE_PHASE;
}

static void subtract(int64_t *value, int64_t less)
{
    wf_sum_add(value, less == INT64_MIN ? INT64_MAX : -less);
}

/* ---- procedures: the sum of their calls ---- */

static void clear(struct wf_graph *graph, struct wf_node *node)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        node->ranks[rank].calls = node->ranks[rank].time_ns = 0;
}

static void add_call(struct wf_graph *graph, const struct wf_node *call, struct wf_node *target)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++) {
        wf_sum_add(&target->ranks[rank].calls, call->ranks[rank].calls);
        wf_sum_add(&target->ranks[rank].time_ns, call->ranks[rank].time_ns);
    }
}

/* A procedure of a cycle has no time that others' is not part of; see own_time. */
static void sum_calls(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        struct wf_node *node = &graph->nodes[i];
        bool in_cycle = node->kind == WF_NODE_PROCEDURE && node->parent != WF_NO_NODE;
        if (in_cycle || (node->call_count && node->measured))
            clear(graph, node);
        node->measured |= node->kind == WF_NODE_CYCLE;
    }
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CALL && graph->nodes[i].measured) {
            const struct wf_node *call = &graph->nodes[i];
            add_call(graph, call, &graph->nodes[call->target]);
            if (call->target != call->callee)
                add_call(graph, call, &graph->nodes[call->callee]);
        }
}

/* ---- what has no record: the sum of what stands in it ---- */

enum state { NOT_YET, AT_WORK, DONE };

/* Whether this rank has no time of its own for it: because it has no probe, or was entered and never left. */
static bool lacks_time(const struct wf_node *node, size_t rank)
{
    return !node->measured || (node->ranks[rank].calls == 0 && node->kind != WF_NODE_CYCLE);
}

static void add_inside(struct wf_graph *graph, struct wf_node *node, const struct wf_node *inner)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        if (lacks_time(node, rank))
            wf_sum_add(&node->ranks[rank].time_ns, inner->ranks[rank].time_ns);
}

static void sum_inside(struct wf_graph *graph, int index, unsigned char *states);

static void sum_target(struct wf_graph *graph, struct wf_node *call, unsigned char *states)
{
    sum_inside(graph, call->target, states);
    /* Of several calls nobody knows which one it was. */
    if (states[call->target] == DONE && graph->nodes[call->target].call_count == 1)
        add_inside(graph, call, &graph->nodes[call->target]);
}

/* Procedures without records can call each other in a circle that the tables do not know of: then it is cut.
 */
static void sum_inside(struct wf_graph *graph, int index, unsigned char *states)
{
    struct wf_node *node = &graph->nodes[index];
    if (states[index] != NOT_YET)
        return;
    states[index] = AT_WORK;
    for (int i = node->first_child; i != WF_NO_NODE; i = graph->nodes[i].next) {
        sum_inside(graph, i, states);
        if (!graph->nodes[i].loose && states[i] == DONE)
            add_inside(graph, node, &graph->nodes[i]);
    }
    if (node->target != WF_NO_NODE)
        sum_target(graph, node, states);
    states[index] = DONE;
}

/* ---- self ---- */

/* Own time as recorded has that of loops inside. */
static void subtract_loops(struct wf_graph *graph, struct wf_node *node, const struct wf_node *outer)
{
    for (int i = outer->first_child; i != WF_NO_NODE; i = graph->nodes[i].next) {
        const struct wf_node *inner = &graph->nodes[i];
        if (!is_loop(inner) || inner->loose)
            continue;
        if (!inner->measured)
            subtract_loops(graph, node, inner);
        for (size_t rank = 0; inner->measured && rank < graph->overview->ranks.count; rank++)
            subtract(&node->ranks[rank].self_ns, inner->ranks[rank].self_ns);
    }
}

static void subtract_all(struct wf_graph *graph, struct wf_node *node)
{
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        node->ranks[rank].self_ns = node->ranks[rank].time_ns;
    for (int i = node->first_child; i != WF_NO_NODE; i = graph->nodes[i].next)
        for (size_t rank = 0; !graph->nodes[i].loose && rank < graph->overview->ranks.count; rank++)
            subtract(&node->ranks[rank].self_ns, graph->nodes[i].ranks[rank].time_ns);
}

static void set_self(struct wf_graph *graph, int index)
{
    struct wf_node *node = &graph->nodes[index];
    bool knowable = node->measured && node->kind != WF_NODE_CALL && node->kind != WF_NODE_CYCLE;
    if (knowable && node->has_self)
        subtract_loops(graph, node, node);
    else if (knowable)
        subtract_all(graph, node);
    node->has_self = knowable;
    for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
        if (node->ranks[rank].self_ns <
            0) /* threads' times are added up, and may be more than what is around them */
            node->ranks[rank].self_ns = 0;
    for (int i = node->first_child; i != WF_NO_NODE; i = graph->nodes[i].next)
        set_self(graph, i);
}

/* ---- cycles ---- */

/* Of a procedure in a cycle: its own time, and that of the communication statements and calls in its text.
 * These of all procedures of the cycle together are the time of the cycle. */
static void own_time(struct wf_graph *graph, struct wf_node *procedure, const struct wf_node *outer)
{
    for (int i = outer->first_child; i != WF_NO_NODE; i = graph->nodes[i].next) {
        const struct wf_node *inner = &graph->nodes[i];
        if (is_loop(inner))
            own_time(graph, procedure, inner);
        for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
            wf_sum_add(&procedure->ranks[rank].time_ns,
                       is_loop(inner) ? inner->ranks[rank].self_ns : inner->ranks[rank].time_ns);
    }
}

static void time_members(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->procedures; i++) {
        struct wf_node *node = &graph->nodes[i];
        if (node->parent == WF_NO_NODE)
            continue;
        for (size_t rank = 0; rank < graph->overview->ranks.count; rank++)
            node->ranks[rank].time_ns = node->ranks[rank].self_ns;
        own_time(graph, node, node);
    }
}

/* "solve + smooth + 2 more" */
static void name_cycle(struct wf_graph *graph, int index)
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
    sum_calls(graph);
    for (size_t i = 0; i < graph->count; i++)
        sum_inside(graph, (int)i, states);
    free(states);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].parent == WF_NO_NODE)
            set_self(graph, (int)i);
    time_members(graph);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CYCLE)
            name_cycle(graph, (int)i);
}
