/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/nearest.h"
#include "analyse/query.h"
#include "analyse/sum.h"

static size_t rank_count(const struct wf_graph *graph)
{
    return graph->overview->ranks.count;
}

static void add_node(const struct wf_graph *graph, int node, struct wf_answer *answer)
{
    for (size_t i = 0; i < rank_count(graph); i++) {
        wf_sum_add(&answer->time_ns[i], graph->nodes[node].ranks[i].time_ns);
        if (answer->calls)
            wf_sum_add(&answer->calls[i], graph->nodes[node].ranks[i].calls);
    }
}

static void want_calls(const struct wf_graph *graph, struct wf_answer *answer)
{
    answer->calls = wf_memory_array(rank_count(graph), sizeof *answer->calls);
}

/* ---- the whole program ---- */

static int ask_program_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                            struct wf_error *error)
{
    (void)argument, (void)error;
    memcpy(answer->time_ns, graph->program_ns, rank_count(graph) * sizeof *answer->time_ns);
    if (graph->main == WF_NO_NODE)
        snprintf(
            answer->note, sizeof answer->note,
            "main has no probe (see weft cc): this is the time from the end of MPI_Init to MPI_Finalize");
    return 0;
}

/* Transmission and synchronisation of one statement, or with 0 of all but those that start and end MPI: these
 * lie outside of the program's communication. */
static int add_transfers(const struct wf_graph *graph, int64_t site, struct wf_answer *answer,
                         struct wf_error *error)
{
    struct wf_query query;
    int result =
        wf_query_open(&query, graph->overview->profile,
                      "SELECT e.self_node, e.name, sum(c.trans_time), sum(c.sync_delay) "
                      "FROM event e JOIN com c ON c.event = e.id "
                      "WHERE e.event_type = 'communication' AND (e.site = ?1 OR ?1 = 0) GROUP BY 1, 2",
                      error);
    if (result == 0)
        wf_query_bind(&query, site);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1) {
        int rank = wf_rank_list_find(&graph->overview->ranks, wf_query_integer(&query, 0));
        char *name = wf_query_text(&query, 1);
        if (rank >= 0 && (site || wf_call_kind_of(name) != WF_CALL_START_END)) {
            wf_sum_add(&answer->transmission_ns[rank], wf_query_integer(&query, 2));
            wf_sum_add(&answer->synchronisation_ns[rank], wf_query_integer(&query, 3));
        }
        free(name);
        result = 0;
    }
    wf_query_close(&query);
    return result;
}

static void want_transfers(const struct wf_graph *graph, struct wf_answer *answer)
{
    answer->transmission_ns = wf_memory_array(rank_count(graph), sizeof *answer->transmission_ns);
    answer->synchronisation_ns = wf_memory_array(rank_count(graph), sizeof *answer->synchronisation_ns);
}

/* Keeps one of the two as the answer. */
static int ask_transfers(const struct wf_graph *graph, bool synchronisation, struct wf_answer *answer,
                         struct wf_error *error)
{
    want_transfers(graph, answer);
    int result = add_transfers(graph, 0, answer, error);
    memcpy(answer->time_ns, synchronisation ? answer->synchronisation_ns : answer->transmission_ns,
           rank_count(graph) * sizeof *answer->time_ns);
    free(answer->transmission_ns);
    free(answer->synchronisation_ns);
    answer->transmission_ns = answer->synchronisation_ns = NULL;
    return result;
}

static int ask_transmission_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                 struct wf_error *error)
{
    (void)argument;
    return ask_transfers(graph, false, answer, error);
}

/* Whether waiting can be told from transfer: by stamps that came with messages. */
static void note_knowledge(const struct wf_graph *graph, struct wf_answer *answer)
{
    if (!graph->overview->waits.count && !wf_program_integer(&graph->overview->program, "headers_taken") &&
        !strcmp(wf_program_text(&graph->overview->program, "clock"), "real"))
        snprintf(answer->note, sizeof answer->note,
                 "this profile does not tell waiting from transfer: no message of it told when it was sent");
}

static int ask_synchronisation_time(const struct wf_graph *graph, const char *argument,
                                    struct wf_answer *answer, struct wf_error *error)
{
    (void)argument;
    note_knowledge(graph, answer);
    return ask_transfers(graph, true, answer, error);
}

/* ---- waiting ---- */

/* Adds up what each rank waited, and how often: rows of a rank, its time and its number. */
static int add_waits(const struct wf_graph *graph, const char *sql, int64_t value, struct wf_answer *answer,
                     struct wf_error *error)
{
    struct wf_query query;
    int result = wf_query_open(&query, graph->overview->profile, sql, error);
    if (result == 0)
        wf_query_bind(&query, value);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1) {
        int rank = wf_rank_list_find(&graph->overview->ranks, wf_query_integer(&query, 0));
        if (rank >= 0) {
            wf_sum_add(&answer->time_ns[rank], wf_query_integer(&query, 1));
            wf_sum_add(&answer->calls[rank], wf_query_integer(&query, 2));
        }
        result = 0;
    }
    wf_query_close(&query);
    return result;
}

static int unknown_state(const char *word, struct wf_error *error)
{
    char names[256] = "";
    size_t length = 0;
    for (int i = 0; i < WF_WAIT_STATES; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, ", %s", wf_wait_states[i].name);
    return wf_error_set(error, "no wait state is called '%s'; there are: all%s", word, names);
}

static int ask_waiting(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                       struct wf_error *error)
{
    char sql[256];
    int state = wf_wait_state_find(argument);
    bool all = !strcmp(argument, "all");
    if (state < 0 && !all)
        return unknown_state(argument, error);
    want_calls(graph, answer);
    answer->unit = "wait";
    note_knowledge(graph, answer);
    snprintf(sql, sizeof sql,
             "SELECT self_node, sum(time_ns), sum(num) FROM wait WHERE ?1 OR kind = '%s' GROUP BY 1",
             all ? "" : wf_wait_states[state].name);
    return add_waits(graph, sql, all, answer, error);
}

static int ask_late(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                    struct wf_error *error)
{
    char *end;
    long long number = strtoll(argument, &end, 10);
    int rank;
    if (!*argument || *end || number < 0)
        return wf_error_set(error, "'%s' is no rank; give a number", argument);
    if (wf_graph_find_rank(graph, number, &rank, error))
        return -1;
    want_calls(graph, answer);
    answer->unit = "wait";
    note_knowledge(graph, answer);
    return add_waits(graph,
                     "SELECT self_node, sum(time_ns), sum(num) FROM wait WHERE culprit = ?1 GROUP BY 1",
                     number, answer, error);
}

/* ---- a part of it ---- */

/* "halo at ice.f90:9"; to be freed. */
static char *describe(const struct wf_graph *graph, int node)
{
    char *label = wf_graph_label(graph, node), *place = wf_node_place(&graph->nodes[node]), *text;
    int length = asprintf(&text, "%s at %s", label, place);
    free(place);
    if (length < 0)
        return label;
    free(label);
    return text;
}

/* One procedure, or what else of a kind stands at one place; a word that means several must say more. To be
 * freed. */
static int *find_nodes(const struct wf_graph *graph, const char *word, enum wf_node_kind kind,
                       struct wf_error *error)
{
    int *nodes = wf_graph_find(graph, word, 1 << kind, error);
    for (const int *node = nodes; node && *node != WF_NO_NODE; node++) {
        const struct wf_node *first = &graph->nodes[nodes[0]], *other = &graph->nodes[*node];
        bool same_place = first->line == other->line && !strcmp(first->file, other->file);
        if (node == nodes || (same_place && kind != WF_NODE_PROCEDURE))
            continue;
        char *one = describe(graph, nodes[0]), *another = describe(graph, *node);
        wf_error_set(error, "'%s' can be %s or %s; say which, by %s", word, one, another,
                     same_place ? "its name" : "FILE:LINE");
        free(one);
        free(another);
        free(nodes);
        return NULL;
    }
    return nodes;
}

static int ask_nodes(const struct wf_graph *graph, const char *word, enum wf_node_kind kind,
                     struct wf_answer *answer, struct wf_error *error)
{
    int *nodes = find_nodes(graph, word, kind, error);
    if (!nodes)
        return -1;
    want_calls(graph, answer);
    for (const int *node = nodes; *node != WF_NO_NODE; node++) {
        add_node(graph, *node, answer);
        if (!graph->nodes[*node].measured) {
            free(answer->calls);
            answer->calls = NULL;
            snprintf(answer->note, sizeof answer->note,
                     "it has no probe: this is what is known of the statements in it");
        }
        if (graph->nodes[*node].switched_off)
            snprintf(answer->note, sizeof answer->note,
                     "it was switched off during the run: this is what was seen before");
    }
    if (kind == WF_NODE_LOOP)
        answer->inside = nodes[0];
    free(nodes);
    return 0;
}

static int ask_calls_in(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                        struct wf_error *error)
{
    int *nodes = find_nodes(graph, argument, WF_NODE_PROCEDURE, error);
    if (!nodes)
        return -1;
    want_calls(graph, answer);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CALL && wf_graph_is_within(graph, (int)i, nodes[0]))
            add_node(graph, (int)i, answer);
    free(nodes);
    return 0;
}

static int ask_call(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                    struct wf_error *error)
{
    return ask_nodes(graph, argument, WF_NODE_CALL, answer, error);
}

static int ask_procedure(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                         struct wf_error *error)
{
    int *nodes = find_nodes(graph, argument, WF_NODE_PROCEDURE, error);
    if (!nodes)
        return -1;
    int cycle = graph->nodes[nodes[0]].parent;
    free(nodes);
    if (cycle == WF_NO_NODE)
        return ask_nodes(graph, argument, WF_NODE_PROCEDURE, answer, error);
    want_calls(graph, answer);
    add_node(graph, cycle, answer);
    snprintf(answer->note, sizeof answer->note, "%s call each other and count as one procedure",
             graph->nodes[cycle].name);
    return 0;
}

static int ask_communication(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                             struct wf_error *error)
{
    int *nodes = find_nodes(graph, argument, WF_NODE_COMMUNICATION, error), result = nodes ? 0 : -1;
    want_calls(graph, answer);
    want_transfers(graph, answer);
    for (const int *node = nodes; result == 0 && *node != WF_NO_NODE; node++) {
        add_node(graph, *node, answer);
        result = add_transfers(graph, graph->nodes[*node].id, answer, error);
    }
    for (size_t i = 0; i < rank_count(graph); i++) {
        int64_t sum_ns = answer->transmission_ns[i];
        wf_sum_add(&sum_ns, answer->synchronisation_ns[i]);
        if (sum_ns) /* a call that transfers nothing has no transfers, but a time */
            answer->time_ns[i] = sum_ns;
    }
    free(nodes);
    return result;
}

static int ask_loop(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                    struct wf_error *error)
{
    return ask_nodes(graph, argument, WF_NODE_LOOP, answer, error);
}

/* ---- the table ---- */

const struct wf_question wf_questions[] = {
    {"program-time", NULL, "Time of the whole program: that of main.", ask_program_time},
    {"transmission-time", NULL, "Time of all message transmissions of the program.", ask_transmission_time},
    {"synchronisation-time", NULL, "Time that its communication statements waited for other ranks.",
     ask_synchronisation_time},
    {"waiting", "STATE",
     "Time waited for other ranks in one state ('late sender', 'wait at barrier', ...), or in 'all'.",
     ask_waiting},
    {"late", "RANK", "Time that others waited for this rank; --json tells who did.", ask_late},
    {"calls-in", "PROCEDURE", "Time of all calls in a procedure, those in its loops included.", ask_calls_in},
    {"call", "FILE:LINE", "Time of one call statement.", ask_call},
    {"procedure", "NAME", "Time and count of a procedure, over all its callers.", ask_procedure},
    {"communication", "FILE:LINE", "Time of one communication statement: transmission and synchronisation.",
     ask_communication},
    {"loop", "FILE:LINE", "Time of a loop, and of the loops, calls and communication statements in it.",
     ask_loop},
    {0},
};

const struct wf_question *wf_question_find(const char *name, struct wf_error *error)
{
    const struct wf_question *nearest = NULL;
    int least = 0;
    for (const struct wf_question *q = wf_questions; q->name; q++) {
        int distance = wf_nearest_distance(name, q->name);
        if (distance == 0)
            return q;
        if (!nearest || distance < least) {
            nearest = q;
            least = distance;
        }
    }
    if (nearest && wf_nearest_close(name, least))
        wf_error_set(error, "unknown question '%s', did you mean '%s'?", name, nearest->name);
    else
        wf_error_set(error, "unknown question '%s'; weft query lists them", name);
    return NULL;
}

int wf_question_ask(const struct wf_question *question, const struct wf_graph *graph, const char *argument,
                    struct wf_answer *answer, struct wf_error *error)
{
    *answer = (struct wf_answer){.inside = WF_NO_NODE};
    answer->time_ns = wf_memory_array(rank_count(graph), sizeof *answer->time_ns);
    int result = question->ask(graph, argument, answer, error);
    if (result)
        wf_answer_free(answer);
    return result;
}

void wf_answer_free(struct wf_answer *answer)
{
    free(answer->time_ns);
    free(answer->calls);
    free(answer->transmission_ns);
    free(answer->synchronisation_ns);
    *answer = (struct wf_answer){.inside = WF_NO_NODE};
}
