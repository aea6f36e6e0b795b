/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The figures of one thread as an outline: nodes of the graph by the node around them.
 */
#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/sum.h"
#include "analyse/thread.h"
#include "base/bisection.h"

struct thread_part {
    int outer; /* the nearest node around it that the thread executed */
    int node;
    int64_t time_ns;
};

struct thread_outline_maker {
    struct wf_outline *outline;
    const struct wf_graph *graph;
    const struct wf_outline_choice *choice;
    struct thread_part *parts; /* by outer node; the most expensive first */
    size_t count;
};

static bool thread_part_is_chosen(const struct wf_graph *graph, int node, const int *roots)
{
    for (const int *root = roots; root && *root != WF_NO_NODE; root++)
        if (wf_graph_is_within(graph, node, *root))
            return true;
    return !roots;
}

static int thread_part_find_outer(const struct wf_graph *graph, int node, const int *roots)
{
    int outer = graph->nodes[node].parent;
    while (outer != WF_NO_NODE && !wf_node_is_known(&graph->nodes[outer]))
        outer = graph->nodes[outer].parent;
    return outer != WF_NO_NODE && thread_part_is_chosen(graph, outer, roots) ? outer : WF_NO_NODE;
}

static int thread_part_compare(const void *a, const void *b)
{
    const struct thread_part *x = a, *y = b;
    if (x->outer != y->outer)
        return x->outer < y->outer ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static size_t thread_outline_first_part(const struct thread_outline_maker *maker, int outer)
{
    struct wf_bisection b = {.high = maker->count};
    while (wf_bisection_goes_on(&b))
        wf_bisection_step(&b, maker->parts[b.middle].outer < outer);
    return b.low;
}

static struct wf_outline_row *thread_outline_add_row(struct wf_outline *outline, struct wf_outline_row row)
{
    outline->rows = wf_memory_grow(outline->rows, outline->count, sizeof *outline->rows);
    outline->rows[outline->count] = row;
    return &outline->rows[outline->count++];
}

static bool thread_part_is_small(const struct thread_outline_maker *maker, const struct thread_part *part)
{
    return (double)part->time_ns < maker->choice->least * (double)maker->graph->shown_ns;
}

static void thread_outline_add_parts(struct thread_outline_maker *maker, int outer, int depth)
{
    size_t i = thread_outline_first_part(maker, outer), end = i;
    if (maker->choice->depth >= 0 && depth > maker->choice->depth)
        return;
    while (end < maker->count && maker->parts[end].outer == outer)
        end++;
    for (; i < end && !thread_part_is_small(maker, &maker->parts[i]); i++) {
        bool last = i + 1 == end;
        thread_outline_add_row(
            maker->outline,
            (struct wf_outline_row){.role = WF_ROW_NODE, .node = maker->parts[i].node, .depth = depth, .last = last});
        thread_outline_add_parts(maker, maker->parts[i].node, depth + 1);
    }
    if (i == end)
        return;
    struct wf_outline_row *row = thread_outline_add_row(
        maker->outline,
        (struct wf_outline_row){.role = WF_ROW_REST, .node = outer, .depth = depth, .last = true, .rest = end - i});
    maker->outline->cut += end - i;
    for (; i < end; i++)
        wf_sum_add(&row->rest_ns, maker->parts[i].time_ns);
}

void wf_thread_outline(struct wf_outline *outline, const struct wf_graph *graph, const struct wf_outline_choice *choice)
{
    struct thread_outline_maker maker = {.outline = outline,
                                         .graph = graph,
                                         .choice = choice,
                                         .parts = wf_memory_array(graph->count, sizeof *maker.parts)};
    *outline = (struct wf_outline){0};
    for (size_t i = 0; i < graph->count; i++)
        if (wf_node_is_known(&graph->nodes[i]) && thread_part_is_chosen(graph, (int)i, choice->roots))
            maker.parts[maker.count++] = (struct thread_part){thread_part_find_outer(graph, (int)i, choice->roots),
                                                              (int)i, graph->nodes[i].shown.time_ns};
    if (maker.count)
        qsort(maker.parts, maker.count, sizeof *maker.parts, thread_part_compare);
    thread_outline_add_parts(&maker, WF_NO_NODE, 0);
    outline->elsewhere = outline->count;
    free(maker.parts);
}
