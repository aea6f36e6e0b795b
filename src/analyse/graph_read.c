/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/graph_build.h"
#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"
#include "analyse/word.h"

/* A statement of the profile and the node that shows it. */
struct site_node {
    int64_t id;
    int node;
};

struct graph_reader {
    struct wf_graph *graph;
    struct wf_profile *profile;
    struct site_node *sites; /* by id */
    size_t site_count;
    int64_t *cycles; /* of each procedure; 0: none */
    /* The call of the last row: rows of one call follow each other. */
    int call;
    int64_t call_site;
};

static int64_t graph_reader_line(struct wf_query *query, int column)
{
    int64_t line = wf_query_integer(query, column);
    return line < 0 || line > INT_MAX ? 0 : line;
}

static int graph_reader_find_rank(struct graph_reader *reader, struct wf_query *query, int column,
                                  struct wf_error *error)
{
    int rank = wf_rank_list_find(&reader->graph->overview->ranks, wf_query_integer(query, column));
    if (rank < 0)
        wf_profile_damaged(reader->profile, error, "a statement was counted on a rank that is not there");
    return rank;
}

/* ---- procedures ---- */

static int node_by_id(const void *key, const void *item)
{
    int64_t id = *(const int64_t *)key, other = ((const struct wf_node *)item)->id;
    return (id > other) - (id < other);
}

int wf_graph_find_procedure(const struct wf_graph *graph, struct wf_query *query, int column)
{
    int64_t id = wf_query_integer(query, column);
    if (wf_query_null(query, column) || !graph->procedures)
        return WF_NO_NODE;
    const struct wf_node *found = bsearch(&id, graph->nodes, graph->procedures, sizeof *graph->nodes, node_by_id);
    return found ? (int)(found - graph->nodes) : WF_NO_NODE;
}

static int graph_reader_add_procedure(void *context, struct wf_query *query, struct wf_error *error)
{
    struct graph_reader *reader = context;
    (void)error;
    struct wf_graph *graph = reader->graph;
    int node = wf_graph_add(graph, WF_NODE_PROCEDURE, wf_query_text(query, 1), wf_query_text(query, 2),
                            graph_reader_line(query, 3));
    graph->nodes[node].id = wf_query_integer(query, 0);
    graph->nodes[node].procedure = node;
    reader->cycles = wf_memory_grow(reader->cycles, graph->procedures, sizeof *reader->cycles);
    reader->cycles[graph->procedures++] = wf_query_integer(query, 4);
    return 0;
}

static int graph_find_cycle(const struct wf_graph *graph, int64_t id)
{
    for (size_t i = graph->procedures; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CYCLE && graph->nodes[i].id == id)
            return (int)i;
    return WF_NO_NODE;
}

/* A cycle of which only one procedure is known is not shown as a cycle. */
static bool graph_reader_is_alone(const struct graph_reader *reader, size_t procedure)
{
    for (size_t i = 0; i < reader->graph->procedures; i++)
        if (i != procedure && reader->cycles[i] == reader->cycles[procedure])
            return false;
    return true;
}

static void graph_reader_add_cycles(struct graph_reader *reader)
{
    struct wf_graph *graph = reader->graph;
    for (size_t i = 0; reader->cycles && i < graph->procedures; i++) {
        if (!reader->cycles[i])
            continue;
        graph->nodes[i].recursive = true;
        if (graph_reader_is_alone(reader, i))
            continue;
        int cycle = graph_find_cycle(graph, reader->cycles[i]);
        if (cycle == WF_NO_NODE) {
            cycle = wf_graph_add(graph, WF_NODE_CYCLE, wf_memory_text(""), wf_memory_text(""), 0);
            graph->nodes[cycle].id = reader->cycles[i];
            graph->nodes[cycle].recursive = true;
        }
        wf_graph_put(graph, (int)i, cycle);
    }
}

/* ---- statements ---- */

static enum wf_node_kind node_kind_of_type(const char *type)
{
    static const struct {
        const char *type;
        enum wf_node_kind kind;
    } kinds[] = {
        {"procedure", WF_NODE_PROCEDURE}, {"loop", WF_NODE_LOOP}, {"region", WF_NODE_REGION}, {"phase", WF_NODE_PHASE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].type, type))
            return kinds[i].kind;
    return WF_NODE_COMMUNICATION;
}

/* Without debug information a statement is known by its address. */
static char *graph_reader_file(struct wf_query *query, int64_t line, enum wf_node_kind kind)
{
    if (line || kind != WF_NODE_COMMUNICATION)
        return wf_query_text(query, 3);
    char *module = wf_query_text(query, 6), *text;
    if (asprintf(&text, "%s+0x%" PRIx64, wf_word_base_name(module), (uint64_t)wf_query_integer(query, 7)) < 0)
        return module;
    free(module);
    return text;
}

static int graph_reader_add_site(void *context, struct wf_query *query, struct wf_error *error)
{
    struct graph_reader *reader = context;
    (void)error;
    struct wf_graph *graph = reader->graph;
    char *type = wf_query_text(query, 1);
    enum wf_node_kind kind = node_kind_of_type(type);
    int procedure = wf_graph_find_procedure(graph, query, 5), node = procedure;
    int64_t line = graph_reader_line(query, 4);
    if (kind != WF_NODE_PROCEDURE || node == WF_NO_NODE) {
        node = wf_graph_add(graph, kind, wf_query_text(query, 2), graph_reader_file(query, line, kind), line);
        graph->nodes[node].id = wf_query_integer(query, 0);
        graph->nodes[node].procedure = kind == WF_NODE_PROCEDURE ? node : procedure;
    }
    graph->instrumented |= kind == WF_NODE_PROCEDURE || kind == WF_NODE_LOOP;
    reader->sites = wf_memory_grow(reader->sites, reader->site_count, sizeof *reader->sites);
    reader->sites[reader->site_count++] = (struct site_node){wf_query_integer(query, 0), node};
    free(type);
    return 0;
}

static int site_node_by_id(const void *key, const void *item)
{
    int64_t id = *(const int64_t *)key, other = ((const struct site_node *)item)->id;
    return (id > other) - (id < other);
}

static int graph_reader_find_site(const struct graph_reader *reader, struct wf_query *query, int column)
{
    int64_t id = wf_query_integer(query, column);
    const struct site_node *found =
        reader->site_count ? bsearch(&id, reader->sites, reader->site_count, sizeof *reader->sites, site_node_by_id)
                           : NULL;
    return found ? found->node : WF_NO_NODE;
}

static void figures_add(struct wf_figures *figures, int64_t calls, int64_t time_ns, int64_t self_ns)
{
    wf_sum_add(&figures->calls, calls);
    wf_sum_add(&figures->time_ns, time_ns);
    wf_sum_add(&figures->self_ns, self_ns);
}

static int graph_reader_add_event(void *context, struct wf_query *query, struct wf_error *error)
{
    struct graph_reader *reader = context;
    int node = graph_reader_find_site(reader, query, 0), rank = graph_reader_find_rank(reader, query, 1, error);
    if (rank < 0)
        return -1;
    if (node == WF_NO_NODE)
        return 0;
    struct wf_node *n = &reader->graph->nodes[node];
    n->measured = true;
    n->has_self |= !wf_query_null(query, 4);
    figures_add(&n->ranks[rank], wf_query_integer(query, 2), wf_query_integer(query, 3), wf_query_integer(query, 4));
    return 0;
}

static int graph_reader_add_off(void *context, struct wf_query *query, struct wf_error *error)
{
    struct graph_reader *reader = context;
    (void)error;
    int node = graph_reader_find_site(reader, query, 0);
    if (node != WF_NO_NODE)
        reader->graph->nodes[node].switched_off = true;
    return 0;
}

/* ---- calls ---- */

static bool graph_reader_is_same_call(const struct graph_reader *reader, struct wf_query *query, const char *file)
{
    if (reader->call == WF_NO_NODE || reader->call_site != wf_query_integer(query, 0))
        return false;
    const struct wf_node *call = &reader->graph->nodes[reader->call];
    return call->line == graph_reader_line(query, 2) && !strcmp(call->file, file);
}

static void graph_reader_begin_call(struct graph_reader *reader, struct wf_query *query, int callee, char *file)
{
    struct wf_graph *graph = reader->graph;
    int call = wf_graph_add(graph, WF_NODE_CALL, wf_memory_text(""), file, graph_reader_line(query, 2));
    struct wf_node *node = &graph->nodes[call];
    bool in_cycle = graph->nodes[callee].parent != WF_NO_NODE;
    node->procedure = wf_graph_find_procedure(graph, query, 3);
    node->callee = callee;
    node->target = in_cycle ? graph->nodes[callee].parent : callee;
    node->measured = true;
    graph->nodes[node->target].call_count++;
    if (!*file && node->line == 0 && graph->main == WF_NO_NODE)
        graph->main = call;
    reader->call = call;
    reader->call_site = wf_query_integer(query, 0);
}

static int graph_reader_add_call(void *context, struct wf_query *query, struct wf_error *error)
{
    struct graph_reader *reader = context;
    int callee = graph_reader_find_site(reader, query, 0), rank = graph_reader_find_rank(reader, query, 4, error);
    if (rank < 0)
        return -1;
    if (callee == WF_NO_NODE || reader->graph->nodes[callee].kind != WF_NODE_PROCEDURE)
        return 0;
    char *file = wf_query_text(query, 1);
    if (graph_reader_is_same_call(reader, query, file))
        free(file);
    else
        graph_reader_begin_call(reader, query, callee, file);
    figures_add(&reader->graph->nodes[reader->call].ranks[rank], wf_query_integer(query, 5), wf_query_integer(query, 6),
                0);
    return 0;
}

/* ---- the program ---- */

/* Without a main around them, calls that start and end MPI lie outside of the program's time. */
static void graph_leave_out_ends(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i].outside =
            graph->nodes[i].kind == WF_NODE_COMMUNICATION && wf_call_kind_of(graph->nodes[i].name) == WF_CALL_START_END;
}

static void graph_time_program(struct wf_graph *graph)
{
    const struct wf_rank_list *ranks = &graph->overview->ranks;
    graph->program_ns = wf_memory_array(ranks->count, sizeof *graph->program_ns);
    for (size_t i = 0; i < ranks->count; i++) {
        /* A main that was never left has no time: the process was killed, or called exit. */
        int64_t main_ns = graph->main == WF_NO_NODE ? 0 : graph->nodes[graph->main].ranks[i].time_ns;
        graph->program_ns[i] = main_ns > 0 ? main_ns : ranks->items[i].wall_ns;
    }
    if (graph->main == WF_NO_NODE)
        graph_leave_out_ends(graph);
}

static const char procedure_sql[] = "SELECT id, name, file, line, cycle FROM procedure ORDER BY id";
static const char site_sql[] =
    "SELECT id, type, name, file, line, procedure, module, offset FROM weft_site ORDER BY id";
static const char event_sql[] = "SELECT e.site, e.rank, coalesce(l.loop_num, r.region_num, e.calls), "
                                "coalesce(l.loop_time, r.region_time, e.time_ns), o.self_ns FROM weft_event e "
                                "LEFT JOIN weft_loop l ON l.event = e.id LEFT JOIN weft_region r ON r.event = e.id "
                                "LEFT JOIN weft_self o ON o.event = e.id";
static const char off_sql[] = "SELECT DISTINCT site FROM weft_off";
static const char call_sql[] =
    "SELECT e.site, p.activate_file, p.activate_line, p.caller, e.rank, p.proc_num, p.proc_time "
    "FROM weft_proc p JOIN weft_event e ON e.id = p.event "
    "ORDER BY e.site, p.activate_file, p.activate_line, p.caller";

int wf_graph_read_nodes(struct wf_graph *graph, struct wf_error *error)
{
    struct graph_reader reader = {.graph = graph, .profile = graph->overview->profile, .call = WF_NO_NODE};
    struct wf_profile *profile = reader.profile;
    int result = wf_query_each(profile, procedure_sql, graph_reader_add_procedure, &reader, error);
    if (result == 0) {
        graph_reader_add_cycles(&reader);
        result = wf_query_each(profile, site_sql, graph_reader_add_site, &reader, error);
    }
    if (result == 0)
        result = wf_query_each(profile, event_sql, graph_reader_add_event, &reader, error);
    if (result == 0)
        result = wf_query_each(profile, off_sql, graph_reader_add_off, &reader, error);
    if (result == 0)
        result = wf_query_each(profile, call_sql, graph_reader_add_call, &reader, error);
    if (result == 0)
        graph_time_program(graph);
    free(reader.sites);
    free(reader.cycles);
    return result;
}
