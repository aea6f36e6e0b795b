/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/thread.h"

#include <stdlib.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

/* ---- reading ---- */

/* Where a statement is shown. Procedures are by the procedure's id, and the first nodes of the graph. */
struct place {
    int64_t id;
    int node;
};

struct places {
    struct place *items; /* of statements, by id */
    size_t count;
};

static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static struct places find_places(const struct wf_graph *graph)
{
    struct places places = {.items = wf_memory_array(graph->count, sizeof *places.items)};
    for (size_t i = graph->procedures; i < graph->count; i++)
        if (graph->nodes[i].id && graph->nodes[i].kind != WF_NODE_CYCLE)
            places.items[places.count++] = (struct place){graph->nodes[i].id, (int)i};
    if (places.count)
        qsort(places.items, places.count, sizeof *places.items, compare_places);
    return places;
}

enum { RANK, NUMBER, TID, IS_MAIN, SITE, PROCEDURE, CALLS, TIME };
static const char sql[] =
    "SELECT t.rank, t.thread, t.tid, t.main, e.site, CASE WHEN s.type = 'procedure' THEN s.procedure END, e.calls, e.time_ns "
    "FROM weft_thread t LEFT JOIN weft_thread_event e ON e.rank = t.rank AND e.thread = t.thread "
    "LEFT JOIN weft_site s ON s.id = e.site ORDER BY t.rank, t.thread, e.site";

static int find_node(const struct wf_graph *graph, const struct places *places, struct wf_query *query)
{
    int node = wf_graph_find_procedure(graph, query, PROCEDURE);
    if (node != WF_NO_NODE || !places->count)
        return node;
    struct place key = {.id = wf_query_integer(query, SITE)}, *found;
    found = bsearch(&key, places->items, places->count, sizeof key, compare_places);
    return found ? found->node : WF_NO_NODE;
}

static struct wf_thread *open_thread(struct wf_thread_list *list, size_t rank, struct wf_query *query)
{
    struct wf_thread *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->rank == rank && last->number == wf_query_integer(query, NUMBER))
        return last;
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    last = &list->items[list->count++];
    *last = (struct wf_thread){.rank = rank,
                               .number = wf_query_integer(query, NUMBER),
                               .tid = wf_query_integer(query, TID),
                               .is_main = wf_query_integer(query, IS_MAIN) != 0};
    return last;
}

static int add_row(struct wf_thread_list *list, const struct wf_graph *graph, const struct places *places,
                   struct wf_query *query, struct wf_error *error)
{
    int rank = wf_rank_list_find(&graph->overview->ranks, wf_query_integer(query, RANK));
    if (rank < 0) {
        wf_profile_damaged(graph->overview->profile, error, "a thread was seen on a rank that is not there");
        return -1;
    }
    struct wf_thread *thread = open_thread(list, (size_t)rank, query);
    int node = wf_query_null(query, SITE) ? WF_NO_NODE : find_node(graph, places, query);
    if (node == WF_NO_NODE)
        return 0;
    thread->events = wf_memory_grow(thread->events, thread->count, sizeof *thread->events);
    thread->events[thread->count++] =
        (struct wf_thread_event){node, wf_query_integer(query, CALLS), wf_query_integer(query, TIME)};
    return 0;
}

int wf_thread_list_read(struct wf_thread_list *list, const struct wf_graph *graph, struct wf_error *error)
{
    struct wf_query query;
    struct places places = find_places(graph);
    *list = (struct wf_thread_list){0};
    int result = wf_query_open(&query, graph->overview->profile, sql, error);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1)
        result = add_row(list, graph, &places, &query, error);
    wf_query_close(&query);
    free(places.items);
    if (result)
        wf_thread_list_free(list);
    return result;
}

void wf_thread_list_free(struct wf_thread_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].events);
    free(list->items);
    *list = (struct wf_thread_list){0};
}

/* ---- what is shown ---- */

void wf_thread_view(struct wf_graph *graph, const struct wf_thread *thread)
{
    for (size_t i = 0; i < graph->count; i++) {
        graph->nodes[i].shown = (struct wf_figures){0};
        graph->nodes[i].max_ns = 0;
        graph->nodes[i].worst = thread->rank;
    }
    for (size_t i = 0; i < thread->count; i++) {
        struct wf_node *node = &graph->nodes[thread->events[i].node];
        wf_sum_add(&node->shown.calls, thread->events[i].calls);
        wf_sum_add(&node->shown.time_ns, thread->events[i].time_ns);
        node->max_ns = node->shown.time_ns;
    }
    graph->shown_ns = graph->program_ns[thread->rank];
}

/* ---- the outline ---- */

struct part {
    int outer; /* the nearest one around it that the thread was in */
    int node;
    int64_t time_ns;
};

struct maker {
    struct wf_outline *outline;
    const struct wf_graph *graph;
    const struct wf_outline_choice *choice;
    struct part *parts; /* by what they stand in; the most expensive first */
    size_t count;
};

static bool is_chosen(const struct wf_graph *graph, int node, const int *roots)
{
    for (const int *root = roots; root && *root != WF_NO_NODE; root++)
        if (wf_graph_is_within(graph, node, *root))
            return true;
    return !roots;
}

static int find_outer(const struct wf_graph *graph, int node, const int *roots)
{
    int outer = graph->nodes[node].parent;
    while (outer != WF_NO_NODE && !wf_node_is_known(&graph->nodes[outer]))
        outer = graph->nodes[outer].parent;
    return outer != WF_NO_NODE && is_chosen(graph, outer, roots) ? outer : WF_NO_NODE;
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;
    if (x->outer != y->outer)
        return x->outer < y->outer ? -1 : 1;
    if (x->time_ns != y->time_ns)
        return x->time_ns > y->time_ns ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static size_t first_part(const struct maker *maker, int outer)
{
    size_t first = 0, end = maker->count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        if (maker->parts[middle].outer < outer)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static struct wf_outline_row *add_outline_row(struct wf_outline *outline, struct wf_outline_row row)
{
    outline->rows = wf_memory_grow(outline->rows, outline->count, sizeof *outline->rows);
    outline->rows[outline->count] = row;
    return &outline->rows[outline->count++];
}

static bool is_small(const struct maker *maker, const struct part *part)
{
    return (double)part->time_ns < maker->choice->least * (double)maker->graph->shown_ns;
}

static void add_parts(struct maker *maker, int outer, int depth)
{
    size_t i = first_part(maker, outer), end = i;
    if (maker->choice->depth >= 0 && depth > maker->choice->depth)
        return;
    while (end < maker->count && maker->parts[end].outer == outer)
        end++;
    for (; i < end && !is_small(maker, &maker->parts[i]); i++) {
        bool last = i + 1 == end;
        add_outline_row(maker->outline, (struct wf_outline_row){.role = WF_ROW_NODE, .node = maker->parts[i].node, .depth = depth, .last = last});
        add_parts(maker, maker->parts[i].node, depth + 1);
    }
    if (i == end)
        return;
    struct wf_outline_row *row =
        add_outline_row(maker->outline, (struct wf_outline_row){.role = WF_ROW_REST, .node = outer, .depth = depth, .last = true, .rest = end - i});
    maker->outline->cut += end - i;
    for (; i < end; i++)
        wf_sum_add(&row->rest_ns, maker->parts[i].time_ns);
}

void wf_thread_outline(struct wf_outline *outline, const struct wf_graph *graph,
                       const struct wf_outline_choice *choice)
{
    struct maker maker = {.outline = outline,
                          .graph = graph,
                          .choice = choice,
                          .parts = wf_memory_array(graph->count, sizeof *maker.parts)};
    *outline = (struct wf_outline){0};
    for (size_t i = 0; i < graph->count; i++)
        if (wf_node_is_known(&graph->nodes[i]) && is_chosen(graph, (int)i, choice->roots))
            maker.parts[maker.count++] =
                (struct part){find_outer(graph, (int)i, choice->roots), (int)i, graph->nodes[i].shown.time_ns};
    if (maker.count)
        qsort(maker.parts, maker.count, sizeof *maker.parts, compare_parts);
    add_parts(&maker, WF_NO_NODE, 0);
    outline->elsewhere = outline->count;
    free(maker.parts);
}
