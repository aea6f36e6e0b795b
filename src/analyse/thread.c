/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/thread.h"

#include <stdlib.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

/* ---- reading ---- */

/* The node of a statement. Procedures are not among them: they are found by the procedure's id. */
struct statement_node {
    int64_t id;
    int node;
};

struct statement_nodes {
    struct statement_node *items; /* of statements, by id */
    size_t count;
};

static int statement_node_compare(const void *a, const void *b)
{
    const struct statement_node *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

static struct statement_nodes statement_nodes_find(const struct wf_graph *graph)
{
    struct statement_nodes places = {.items = wf_memory_array(graph->count, sizeof *places.items)};
    for (size_t i = graph->procedures; i < graph->count; i++)
        if (graph->nodes[i].id && graph->nodes[i].kind != WF_NODE_CYCLE)
            places.items[places.count++] = (struct statement_node){graph->nodes[i].id, (int)i};
    if (places.count)
        qsort(places.items, places.count, sizeof *places.items, statement_node_compare);
    return places;
}

enum {
    THREAD_RANK,
    THREAD_NUMBER,
    THREAD_TID,
    THREAD_IS_MAIN,
    THREAD_SITE,
    THREAD_PROCEDURE,
    THREAD_CALLS,
    THREAD_TIME
};
static const char thread_sql[] =
    "SELECT t.rank, t.thread, t.tid, t.main, e.site, CASE WHEN s.type = 'procedure' THEN "
    "s.procedure END, e.calls, e.time_ns "
    "FROM weft_thread t LEFT JOIN weft_thread_event e ON e.rank = t.rank AND e.thread = t.thread "
    "LEFT JOIN weft_site s ON s.id = e.site ORDER BY t.rank, t.thread, e.site";

static int thread_reader_find_node(const struct wf_graph *graph, const struct statement_nodes *places,
                                   struct wf_query *query)
{
    int node = wf_graph_find_procedure(graph, query, THREAD_PROCEDURE);
    if (node != WF_NO_NODE || !places->count)
        return node;
    struct statement_node key = {.id = wf_query_integer(query, THREAD_SITE)}, *found;
    found = bsearch(&key, places->items, places->count, sizeof key, statement_node_compare);
    return found ? found->node : WF_NO_NODE;
}

static struct wf_thread *thread_list_open(struct wf_thread_list *list, size_t rank, struct wf_query *query)
{
    struct wf_thread *last = list->count ? &list->items[list->count - 1] : NULL;
    if (last && last->rank == rank && last->number == wf_query_integer(query, THREAD_NUMBER))
        return last;
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    last = &list->items[list->count++];
    *last = (struct wf_thread){.rank = rank,
                               .number = wf_query_integer(query, THREAD_NUMBER),
                               .tid = wf_query_integer(query, THREAD_TID),
                               .is_main = wf_query_integer(query, THREAD_IS_MAIN) != 0};
    return last;
}

struct thread_reader {
    struct wf_thread_list *list;
    const struct wf_graph *graph;
    struct statement_nodes places;
};

static int thread_reader_add(void *context, struct wf_query *query, struct wf_error *error)
{
    struct thread_reader *reader = context;
    const struct wf_graph *graph = reader->graph;
    int rank = wf_rank_list_find(&graph->overview->ranks, wf_query_integer(query, THREAD_RANK));
    if (rank < 0) {
        wf_profile_damaged(graph->overview->profile, error, "a thread was seen on a rank that is not there");
        return -1;
    }
    struct wf_thread *thread = thread_list_open(reader->list, (size_t)rank, query);
    int node = wf_query_null(query, THREAD_SITE) ? WF_NO_NODE : thread_reader_find_node(graph, &reader->places, query);
    if (node == WF_NO_NODE)
        return 0;
    thread->events = wf_memory_grow(thread->events, thread->count, sizeof *thread->events);
    thread->events[thread->count++] =
        (struct wf_thread_event){node, wf_query_integer(query, THREAD_CALLS), wf_query_integer(query, THREAD_TIME)};
    return 0;
}

int wf_thread_list_read(struct wf_thread_list *list, const struct wf_graph *graph, struct wf_error *error)
{
    struct thread_reader reader = {list, graph, statement_nodes_find(graph)};
    *list = (struct wf_thread_list){0};
    int result = wf_query_each(graph->overview->profile, thread_sql, thread_reader_add, &reader, error);
    free(reader.places.items);
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
