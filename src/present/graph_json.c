/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/graph_json.h"

#include <stdlib.h>

#include "analyse/sum.h"
#include "present/json.h"

enum { LAYOUT = JSON_COMPACT | JSON_ENSURE_ASCII };

static void graph_json_set_node(json_t *object, const char *key, int node)
{
    json_object_set_new(object, key, node == WF_NO_NODE ? json_null() : json_integer(node));
}

static void graph_json_set_self(json_t *object, const struct wf_node *node, int64_t self_ns)
{
    json_object_set_new(object, "self_ns", node->has_self ? json_integer(self_ns) : json_null());
}

static json_t *graph_json_ranks(const struct wf_graph *graph, const struct wf_node *node)
{
    json_t *ranks = json_array();
    for (size_t i = 0; i < graph->overview->ranks.count; i++) {
        const struct wf_figures *f = &node->ranks[i];
        if (!f->calls && !f->time_ns)
            continue;
        json_t *object = json_object();
        wf_json_set(object, "rank", graph->overview->ranks.items[i].rank);
        wf_json_set(object, "calls", f->calls);
        wf_json_set(object, "time_ns", f->time_ns);
        graph_json_set_self(object, node, f->self_ns);
        json_array_append_new(ranks, object);
    }
    return ranks;
}

static void graph_json_set_figures(json_t *object, const struct wf_graph *graph, const struct wf_node *node)
{
    struct wf_figures sum = {0};
    for (size_t i = 0; i < graph->overview->ranks.count; i++) {
        wf_sum_add(&sum.time_ns, node->ranks[i].time_ns);
        wf_sum_add(&sum.self_ns, node->ranks[i].self_ns);
    }
    wf_json_set(object, "calls", node->shown.calls);
    wf_json_set(object, "time_ns", sum.time_ns);
    graph_json_set_self(object, node, sum.self_ns);
    wf_json_set(object, "mean_ns", node->shown.time_ns);
    wf_json_set(object, "max_ns", node->max_ns);
    wf_json_set(object, "worst_rank", graph->overview->ranks.items[node->worst].rank);
    if (node->kind != WF_NODE_COMMUNICATION) /* "statements" has the ranks of a communication, under the same id */
        json_object_set_new(object, "ranks", graph_json_ranks(graph, node));
}

static void graph_json_set_label(json_t *object, const struct wf_node *node)
{
    char *place = wf_node_place(node);
    if (node->kind != WF_NODE_CALL)
        wf_json_set_text(object, "name", node->name);
    wf_json_set_text(object, "place", place);
    wf_json_set_text(object, "file", node->file);
    wf_json_set(object, "line", node->line);
    free(place);
}

static json_t *graph_json_node(const struct wf_graph *graph, int index)
{
    const struct wf_node *node = &graph->nodes[index];
    json_t *object = json_object();
    wf_json_set(object, "node", index);
    if (node->kind == WF_NODE_PROCEDURE || node->kind == WF_NODE_COMMUNICATION)
        wf_json_set(object, "id", node->id);
    graph_json_set_label(object, node);
    if (node->kind != WF_NODE_PROCEDURE && node->kind != WF_NODE_CYCLE)
        graph_json_set_node(object, "procedure", node->procedure);
    if (node->kind == WF_NODE_CALL)
        graph_json_set_node(object, "callee", node->callee);
    if (node->kind == WF_NODE_PROCEDURE)
        graph_json_set_node(object, "cycle", node->parent);
    json_object_set_new(object, "recursive", json_boolean(node->recursive));
    json_object_set_new(object, "measured", json_boolean(node->measured));
    json_object_set_new(object, "switched_off", json_boolean(node->switched_off));
    graph_json_set_figures(object, graph, node);
    return object;
}

static void graph_json_write_nodes(FILE *out, const struct wf_graph *graph, const char *name, enum wf_node_kind kind)
{
    const char *separator = "\n";
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < graph->count; i++) {
        if (graph->nodes[i].kind != kind || !wf_node_is_known(&graph->nodes[i]))
            continue;
        json_t *object = graph_json_node(graph, (int)i);
        fputs(separator, out);
        json_dumpf(object, out, LAYOUT);
        json_decref(object);
        separator = ",\n";
    }
    fputs("],\n", out);
}

/* ---- the edges ---- */

static const char *graph_json_write_edge(FILE *out, const struct wf_graph *graph, int outer, int inner,
                                         const char *separator)
{
    if (outer == WF_NO_NODE || inner == WF_NO_NODE || !wf_node_is_known(&graph->nodes[outer]) ||
        !wf_node_is_known(&graph->nodes[inner]))
        return separator;
    fprintf(out, "%s{\"outer\":%d,\"inner\":%d}", separator, outer, inner);
    return ",\n";
}

/* Edges lead from a procedure or loop to the statements in it, and from a call to the procedure it calls. */
static void graph_json_write_edges(FILE *out, const struct wf_graph *graph)
{
    const char *separator = "\n";
    fputs("\"tree\": [", out);
    for (size_t i = 0; i < graph->count; i++) {
        separator = graph_json_write_edge(out, graph, graph->nodes[i].parent, (int)i, separator);
        separator = graph_json_write_edge(out, graph, (int)i, graph->nodes[i].target, separator);
    }
    fputs("]", out);
}

void wf_graph_write_json(FILE *out, const struct wf_graph *graph)
{
    static const struct {
        const char *name;
        enum wf_node_kind kind;
    } kinds[] = {
        {"procedures", WF_NODE_PROCEDURE},
        {"cycles", WF_NODE_CYCLE},
        {"loops", WF_NODE_LOOP},
        {"regions", WF_NODE_REGION},
        {"phases", WF_NODE_PHASE},
        {"calls", WF_NODE_CALL},
        {"communications", WF_NODE_COMMUNICATION},
    };
    fprintf(out, "\"program_mean_ns\": %lld,\n", (long long)graph->shown_ns);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        graph_json_write_nodes(out, graph, kinds[i].name, kinds[i].kind);
    graph_json_write_edges(out, graph);
}
