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
struct site {
    int64_t id;
    int node;
};

struct reader {
    struct wf_graph *graph;
    struct wf_profile *profile;
    struct site *sites; /* by id */
    size_t site_count;
    int64_t *cycles; /* of each procedure; 0: none */
    /* The call that the last row was about: rows of one come one behind the other. */
    int call;
    int64_t call_site;
};

typedef int add_row(struct reader *reader, struct wf_query *query, struct wf_error *error);

static int read_rows(struct reader *reader, const char *sql, add_row *add, struct wf_error *error)
{
    struct wf_query query;
    int result = wf_query_open(&query, reader->profile, sql, error);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1)
        result = add(reader, &query, error);
    wf_query_close(&query);
    return result;
}

static int64_t line_of(struct wf_query *query, int column)
{
    int64_t line = wf_query_integer(query, column);
    return line < 0 || line > INT_MAX ? 0 : line;
}

static int find_rank(struct reader *reader, struct wf_query *query, int column, struct wf_error *error)
{
    int rank = wf_rank_list_find(&reader->graph->overview->ranks, wf_query_integer(query, column));
    if (rank < 0)
        wf_profile_damaged(reader->profile, error, "a statement was counted on a rank that is not there");
    return rank;
}

/* ---- procedures ---- */

static int by_node_id(const void *key, const void *item)
{
    int64_t id = *(const int64_t *)key, other = ((const struct wf_node *)item)->id;
    return (id > other) - (id < other);
}

int wf_graph_find_procedure(const struct wf_graph *graph, struct wf_query *query, int column)
{
    int64_t id = wf_query_integer(query, column);
    if (wf_query_null(query, column) || !graph->procedures)
        return WF_NO_NODE;
    const struct wf_node *found =
        bsearch(&id, graph->nodes, graph->procedures, sizeof *graph->nodes, by_node_id);
    return found ? (int)(found - graph->nodes) : WF_NO_NODE;
}

static int add_procedure(struct reader *reader, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_graph *graph = reader->graph;
    int node = wf_graph_add(graph, WF_NODE_PROCEDURE, wf_query_text(query, 1), wf_query_text(query, 2),
                            line_of(query, 3));
    graph->nodes[node].id = wf_query_integer(query, 0);
    graph->nodes[node].procedure = node;
    reader->cycles = wf_memory_grow(reader->cycles, graph->procedures, sizeof *reader->cycles);
    reader->cycles[graph->procedures++] = wf_query_integer(query, 4);
    return 0;
}

static int find_cycle(const struct wf_graph *graph, int64_t id)
{
    for (size_t i = graph->procedures; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CYCLE && graph->nodes[i].id == id)
            return (int)i;
    return WF_NO_NODE;
}

/* A circle of which only one procedure is known is no circle to show. */
static bool is_alone(const struct reader *reader, size_t procedure)
{
    for (size_t i = 0; i < reader->graph->procedures; i++)
        if (i != procedure && reader->cycles[i] == reader->cycles[procedure])
            return false;
    return true;
}

static void add_cycles(struct reader *reader)
{
    struct wf_graph *graph = reader->graph;
    for (size_t i = 0; reader->cycles && i < graph->procedures; i++) {
        if (!reader->cycles[i])
            continue;
        graph->nodes[i].recursive = true;
        if (is_alone(reader, i))
            continue;
        int cycle = find_cycle(graph, reader->cycles[i]);
        if (cycle == WF_NO_NODE) {
            cycle = wf_graph_add(graph, WF_NODE_CYCLE, wf_memory_text(""), wf_memory_text(""), 0);
            graph->nodes[cycle].id = reader->cycles[i];
            graph->nodes[cycle].recursive = true;
        }
        wf_graph_put(graph, (int)i, cycle);
    }
}

/* ---- statements ---- */

static enum wf_node_kind kind_of(const char *type)
{
    static const struct {
        const char *type;
        enum wf_node_kind kind;
    } kinds[] = {{"procedure", WF_NODE_PROCEDURE},
                 {"loop", WF_NODE_LOOP},
                 {"region", WF_NODE_REGION},
                 {"phase", WF_NODE_PHASE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].type, type))
            return kinds[i].kind;
    return WF_NODE_COMMUNICATION;
}

/* Without debug information a statement is known by its address. */
static char *file_of(struct wf_query *query, int64_t line, enum wf_node_kind kind)
{
    if (line || kind != WF_NODE_COMMUNICATION)
        return wf_query_text(query, 3);
    char *module = wf_query_text(query, 6), *text;
    if (asprintf(&text, "%s+0x%" PRIx64, wf_word_base_name(module), (uint64_t)wf_query_integer(query, 7)) < 0)
        return module;
    free(module);
    return text;
}

static int add_site(struct reader *reader, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wf_graph *graph = reader->graph;
    char *type = wf_query_text(query, 1);
    enum wf_node_kind kind = kind_of(type);
    int procedure = wf_graph_find_procedure(graph, query, 5), node = procedure;
    int64_t line = line_of(query, 4);
    if (kind != WF_NODE_PROCEDURE || node == WF_NO_NODE) {
        node = wf_graph_add(graph, kind, wf_query_text(query, 2), file_of(query, line, kind), line);
        graph->nodes[node].id = wf_query_integer(query, 0);
        graph->nodes[node].procedure = kind == WF_NODE_PROCEDURE ? node : procedure;
    }
    graph->instrumented |= kind == WF_NODE_PROCEDURE || kind == WF_NODE_LOOP;
    reader->sites = wf_memory_grow(reader->sites, reader->site_count, sizeof *reader->sites);
    reader->sites[reader->site_count++] = (struct site){wf_query_integer(query, 0), node};
    free(type);
    return 0;
}

static int by_site_id(const void *key, const void *item)
{
    int64_t id = *(const int64_t *)key, other = ((const struct site *)item)->id;
    return (id > other) - (id < other);
}

static int find_site(const struct reader *reader, struct wf_query *query, int column)
{
    int64_t id = wf_query_integer(query, column);
    const struct site *found = reader->site_count ? bsearch(&id, reader->sites, reader->site_count,
                                                            sizeof *reader->sites, by_site_id)
                                                  : NULL;
    return found ? found->node : WF_NO_NODE;
}

static void add_figures(struct wf_figures *figures, int64_t calls, int64_t time_ns, int64_t self_ns)
{
    wf_sum_add(&figures->calls, calls);
    wf_sum_add(&figures->time_ns, time_ns);
    wf_sum_add(&figures->self_ns, self_ns);
}

static int add_event(struct reader *reader, struct wf_query *query, struct wf_error *error)
{
    int node = find_site(reader, query, 0), rank = find_rank(reader, query, 1, error);
    if (rank < 0)
        return -1;
    if (node == WF_NO_NODE)
        return 0;
    struct wf_node *n = &reader->graph->nodes[node];
    n->measured = true;
    n->has_self |= !wf_query_null(query, 4);
    add_figures(&n->ranks[rank], wf_query_integer(query, 2), wf_query_integer(query, 3),
                wf_query_integer(query, 4));
    return 0;
}

static int add_off(struct reader *reader, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    int node = find_site(reader, query, 0);
    if (node != WF_NO_NODE)
        reader->graph->nodes[node].switched_off = true;
    return 0;
}

/* ---- calls ---- */

static bool is_same_call(const struct reader *reader, struct wf_query *query, const char *file)
{
    if (reader->call == WF_NO_NODE || reader->call_site != wf_query_integer(query, 0))
        return false;
    const struct wf_node *call = &reader->graph->nodes[reader->call];
    return call->line == line_of(query, 2) && !strcmp(call->file, file);
}

static void begin_call(struct reader *reader, struct wf_query *query, int callee, char *file)
{
    struct wf_graph *graph = reader->graph;
    int call = wf_graph_add(graph, WF_NODE_CALL, wf_memory_text(""), file, line_of(query, 2));
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

static int add_call(struct reader *reader, struct wf_query *query, struct wf_error *error)
{
    int callee = find_site(reader, query, 0), rank = find_rank(reader, query, 4, error);
    if (rank < 0)
        return -1;
    if (callee == WF_NO_NODE || reader->graph->nodes[callee].kind != WF_NODE_PROCEDURE)
        return 0;
    char *file = wf_query_text(query, 1);
    if (is_same_call(reader, query, file))
        free(file);
    else
        begin_call(reader, query, callee, file);
    add_figures(&reader->graph->nodes[reader->call].ranks[rank], wf_query_integer(query, 5),
                wf_query_integer(query, 6), 0);
    return 0;
}

/* ---- the program ---- */

/* Without a main to stand in, calls that start and end MPI lie outside of the time that is the program's. */
static void leave_out_ends(struct wf_graph *graph)
{
    for (size_t i = 0; i < graph->count; i++)
        graph->nodes[i].outside = graph->nodes[i].kind == WF_NODE_COMMUNICATION &&
                                  wf_call_kind_of(graph->nodes[i].name) == WF_CALL_START_END;
}

static void time_program(struct wf_graph *graph)
{
    const struct wf_rank_list *ranks = &graph->overview->ranks;
    graph->program_ns = wf_memory_array(ranks->count, sizeof *graph->program_ns);
    for (size_t i = 0; i < ranks->count; i++) {
        /* A main that was never left has no time: its process was killed, or called exit. */
        int64_t main_ns = graph->main == WF_NO_NODE ? 0 : graph->nodes[graph->main].ranks[i].time_ns;
        graph->program_ns[i] = main_ns > 0 ? main_ns : ranks->items[i].wall_ns;
    }
    if (graph->main == WF_NO_NODE)
        leave_out_ends(graph);
}

static const char site_sql[] =
    "SELECT id, type, name, file, line, procedure, module, offset FROM weft_site ORDER BY id";
static const char event_sql[] =
    "SELECT e.site, e.rank, coalesce(l.loop_num, r.region_num, e.calls), "
    "coalesce(l.loop_time, r.region_time, e.time_ns), o.self_ns FROM weft_event e "
    "LEFT JOIN weft_loop l ON l.event = e.id LEFT JOIN weft_region r ON r.event = e.id "
    "LEFT JOIN weft_self o ON o.event = e.id";
static const char call_sql[] =
    "SELECT e.site, p.activate_file, p.activate_line, p.caller, e.rank, p.proc_num, p.proc_time "
    "FROM weft_proc p JOIN weft_event e ON e.id = p.event "
    "ORDER BY e.site, p.activate_file, p.activate_line, p.caller";

int wf_graph_read_nodes(struct wf_graph *graph, struct wf_error *error)
{
    struct reader reader = {.graph = graph, .profile = graph->overview->profile, .call = WF_NO_NODE};
    int result = read_rows(&reader, "SELECT id, name, file, line, cycle FROM procedure ORDER BY id",
                           add_procedure, error);
    if (result == 0) {
        add_cycles(&reader);
        result = read_rows(&reader, site_sql, add_site, error);
    }
    if (result == 0)
        result = read_rows(&reader, event_sql, add_event, error);
    if (result == 0)
        result = read_rows(&reader, "SELECT DISTINCT site FROM weft_off", add_off, error);
    if (result == 0)
        result = read_rows(&reader, call_sql, add_call, error);
    if (result == 0)
        time_program(graph);
    free(reader.sites);
    free(reader.cycles);
    return result;
}
