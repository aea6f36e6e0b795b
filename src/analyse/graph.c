/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/graph.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/sum.h"

int wf_graph_add(struct wf_graph *graph, enum wf_node_kind kind, char *name, char *file, int64_t line)
{
    size_t ranks = graph->overview->ranks.count;
    graph->nodes = wf_memory_grow(graph->nodes, graph->count, sizeof *graph->nodes);
    graph->nodes[graph->count] = (struct wf_node){
        .kind = kind,
        .name = name,
        .file = file,
        .line = line,
        .parent = WF_NO_NODE,
        .first_child = WF_NO_NODE,
        .next = WF_NO_NODE,
        .procedure = WF_NO_NODE,
        .callee = WF_NO_NODE,
        .target = WF_NO_NODE,
        .ranks = wf_memory_array(ranks, sizeof(struct wf_figures)),
    };
    return (int)graph->count++;
}

bool wf_graph_is_within(const struct wf_graph *graph, int node, int outer)
{
    while (node != WF_NO_NODE && node != outer)
        node = graph->nodes[node].parent;
    return node == outer;
}

void wf_graph_put(struct wf_graph *graph, int node, int outer)
{
    struct wf_node *inner = &graph->nodes[node];
    if (outer == WF_NO_NODE || inner->parent != WF_NO_NODE || inner->outside || wf_graph_is_within(graph, outer, node))
        return;
    inner->parent = outer;
    inner->next = graph->nodes[outer].first_child;
    graph->nodes[outer].first_child = node;
    if (inner->kind != WF_NODE_PROCEDURE)
        inner->procedure = graph->nodes[outer].procedure;
}

int wf_graph_read(struct wf_graph *graph, const struct wf_overview *overview, struct wf_error *error)
{
    *graph = (struct wf_graph){.overview = overview, .main = WF_NO_NODE};
    if (wf_graph_read_nodes(graph, error) || wf_graph_nest(graph, error)) {
        wf_graph_free(graph);
        return -1;
    }
    wf_graph_sum_up(graph);
    wf_graph_view(graph, WF_NO_NODE);
    return 0;
}

void wf_graph_free(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++) {
        free(graph->nodes[i].name);
        free(graph->nodes[i].file);
        free(graph->nodes[i].ranks);
    }
    free(graph->nodes);
    free(graph->program_ns);
    *graph = (struct wf_graph){.main = WF_NO_NODE};
}

/* ---- what is shown ---- */

static void node_show_rank(struct wf_node *node, size_t rank)
{
    node->shown = node->ranks[rank];
    node->max_ns = node->shown.time_ns;
    node->worst = rank;
}

static void node_show_means(struct wf_node *node, size_t ranks)
{
    node->shown = (struct wf_figures){0};
    node->max_ns = 0;
    for (size_t i = 0; i < ranks; i++) {
        const struct wf_figures *f = &node->ranks[i];
        wf_sum_add(&node->shown.calls, f->calls);
        wf_sum_add(&node->shown.time_ns, f->time_ns);
        wf_sum_add(&node->shown.self_ns, f->self_ns);
        if (f->time_ns > node->max_ns) {
            node->max_ns = f->time_ns;
            node->worst = i;
        }
    }
    if (ranks) {
        node->shown.time_ns /= (int64_t)ranks;
        node->shown.self_ns /= (int64_t)ranks;
    }
}

void wf_graph_view(struct wf_graph *graph, int rank)
{
    size_t ranks = graph->overview->ranks.count;
    for (size_t i = 0; i < graph->count; i++) {
        if (rank == WF_NO_NODE)
            node_show_means(&graph->nodes[i], ranks);
        else
            node_show_rank(&graph->nodes[i], (size_t)rank);
    }
    graph->shown_ns = 0;
    for (size_t i = 0; i < ranks; i++)
        if (rank == WF_NO_NODE || (size_t)rank == i)
            wf_sum_add(&graph->shown_ns, graph->program_ns[i]);
    if (rank == WF_NO_NODE && ranks)
        graph->shown_ns /= (int64_t)ranks;
}

bool wf_node_is_known(const struct wf_node *node)
{
    return node->shown.calls > 0 || node->shown.time_ns > 0;
}

int wf_graph_find_rank(const struct wf_graph *graph, long long number, int *rank, struct wf_error *error)
{
    const struct wf_rank_list *ranks = &graph->overview->ranks;
    *rank = number < 0 ? WF_NO_NODE : wf_rank_list_find(ranks, number);
    if (number < 0 || *rank >= 0)
        return 0;
    return wf_error_set(error, "there is no rank %lld in this profile; it has %zu, from %lld to %lld", number,
                        ranks->count, ranks->count ? (long long)ranks->items[0].rank : 0,
                        ranks->count ? (long long)ranks->items[ranks->count - 1].rank : 0);
}

static int node_compare_times(const void *left, const void *right, void *nodes)
{
    int i = *(const int *)left, j = *(const int *)right;
    const struct wf_node *a = (const struct wf_node *)nodes + i, *b = (const struct wf_node *)nodes + j;
    if (a->shown.time_ns != b->shown.time_ns)
        return a->shown.time_ns < b->shown.time_ns ? 1 : -1;
    if (a->line != b->line)
        return a->line < b->line ? -1 : 1;
    return (i > j) - (i < j);
}

void wf_graph_sort(const struct wf_graph *graph, int *nodes, size_t count)
{
    if (count)
        qsort_r(nodes, count, sizeof *nodes, node_compare_times, graph->nodes);
}

int *wf_graph_content(const struct wf_graph *graph, int outer)
{
    size_t count = 0;
    for (int i = graph->nodes[outer].first_child; i != WF_NO_NODE; i = graph->nodes[i].next)
        count++;
    int *nodes = wf_memory_array(count + 1, sizeof *nodes);
    count = 0;
    for (int i = graph->nodes[outer].first_child; i != WF_NO_NODE; i = graph->nodes[i].next)
        if (wf_node_is_known(&graph->nodes[i]))
            nodes[count++] = i;
    wf_graph_sort(graph, nodes, count);
    nodes[count] = WF_NO_NODE;
    return nodes;
}

/* ---- what people read ---- */

char *wf_node_place(const struct wf_node *node)
{
    char *text;
    if (!*node->file || node->line <= 0)
        return wf_memory_text(node->file);
    return asprintf(&text, "%s:%" PRId64, node->file, node->line) < 0 ? wf_memory_text(node->file) : text;
}

static char *node_label_joined(const char *first, const char *second)
{
    char *text;
    return asprintf(&text, "%s%s", first, second) < 0 ? wf_memory_text(first) : text;
}

char *wf_graph_label(const struct wf_graph *graph, int index)
{
    const struct wf_node *node = &graph->nodes[index];
    switch (node->kind) {
    case WF_NODE_LOOP:
        return node_label_joined(node->name, " loop");
    case WF_NODE_REGION:
        return node_label_joined("region ", node->name);
    case WF_NODE_PHASE:
        return node_label_joined("phase ", node->name);
    case WF_NODE_CALL:
        return wf_graph_label(graph, node->callee);
    case WF_NODE_CYCLE:
        return wf_memory_text(node->name);
    default:
        return wf_name_short(node->name);
    }
}
