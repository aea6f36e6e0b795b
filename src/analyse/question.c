/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/question.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/nearest.h"
#include "analyse/sum.h"

/* ---- the whole program ---- */

static int question_ask_program_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                     struct wf_error *error)
{
    (void)argument, (void)error;
    memcpy(answer->time_ns, graph->program_ns, graph->overview->ranks.count * sizeof *answer->time_ns);
    if (graph->main == WF_NO_NODE)
        snprintf(answer->note, sizeof answer->note,
                 "main has no probe (see weft cc): this is the time from the end of MPI_Init to MPI_Finalize");
    return 0;
}

/* Takes one part as the answer's time. */
static int question_ask_part(const struct wf_graph *graph, enum wf_part part, struct wf_answer *answer,
                             struct wf_error *error)
{
    wf_answer_want_transfers(graph, answer);
    int result = wf_answer_add_transfers(graph, 0, answer, error);
    memcpy(answer->time_ns, answer->part_ns[part], graph->overview->ranks.count * sizeof *answer->time_ns);
    for (int i = 0; i < WF_PARTS; i++) {
        free(answer->part_ns[i]);
        answer->part_ns[i] = NULL;
    }
    return result;
}

static int question_ask_transmission_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                          struct wf_error *error)
{
    (void)argument;
    return question_ask_part(graph, WF_PART_TRANSFER, answer, error);
}

static int question_ask_synchronisation_time(const struct wf_graph *graph, const char *argument,
                                             struct wf_answer *answer, struct wf_error *error)
{
    (void)argument;
    wf_answer_note_waiting(graph, answer);
    return question_ask_part(graph, WF_PART_WAITING, answer, error);
}

static int question_ask_polling_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                     struct wf_error *error)
{
    (void)argument;
    return question_ask_part(graph, WF_PART_POLLING, answer, error);
}

static int question_ask_no_core_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                     struct wf_error *error)
{
    (void)argument;
    return question_ask_part(graph, WF_PART_NO_CORE, answer, error);
}

static int question_ask_unexplained_time(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                         struct wf_error *error)
{
    (void)argument;
    return question_ask_part(graph, WF_PART_UNEXPLAINED, answer, error);
}

/* ---- waiting ---- */

static int question_unknown_state(const char *word, struct wf_error *error)
{
    char names[256] = "";
    size_t length = 0;
    for (int i = 0; i < WF_WAIT_STATES; i++)
        length += (size_t)snprintf(names + length, sizeof names - length, ", %s", wf_wait_states[i].name);
    return wf_error_set(error, "there is no wait state '%s'; the states are: all%s", word, names);
}

static int question_ask_waiting(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                struct wf_error *error)
{
    char sql[256];
    int state = wf_wait_state_find(argument);
    bool all = !strcmp(argument, "all");
    if (state < 0 && !all)
        return question_unknown_state(argument, error);
    wf_answer_want_calls(graph, answer);
    answer->unit = "wait";
    wf_answer_note_waiting(graph, answer);
    snprintf(sql, sizeof sql, "SELECT self_node, sum(time_ns), sum(num) FROM wait WHERE ?1 OR kind = '%s' GROUP BY 1",
             all ? "" : wf_wait_states[state].name);
    return wf_answer_add_waits(graph, sql, all, answer, error);
}

/* sql: rank, time and number of the waits for the rank ?1. */
static int question_ask_waits_for(const struct wf_graph *graph, const char *argument, const char *sql,
                                  struct wf_answer *answer, struct wf_error *error)
{
    char *end;
    long long number = strtoll(argument, &end, 10);
    int rank;
    if (!*argument || *end || number < 0)
        return wf_error_set(error, "'%s' is not a rank; give a number", argument);
    if (wf_graph_find_rank(graph, number, &rank, error))
        return -1;
    wf_answer_want_calls(graph, answer);
    answer->unit = "wait";
    wf_answer_note_waiting(graph, answer);
    return wf_answer_add_waits(graph, sql, number, answer, error);
}

static int question_ask_late(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                             struct wf_error *error)
{
    static const char sql[] = "SELECT self_node, sum(time_ns), sum(num) FROM wait WHERE culprit = ?1 GROUP BY 1";
    return question_ask_waits_for(graph, argument, sql, answer, error);
}

static int question_ask_first_cause(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                    struct wf_error *error)
{
    static const char sql[] = "SELECT self_node, sum(time_ns), sum(num) FROM root WHERE root = ?1 GROUP BY 1";
    return question_ask_waits_for(graph, argument, sql, answer, error);
}

/* ---- a part of it ---- */

/* "halo at ice.f90:9"; to be freed. */
static char *question_describe_node(const struct wf_graph *graph, int node)
{
    char *label = wf_graph_label(graph, node), *place = wf_node_place(&graph->nodes[node]), *text;
    int length = asprintf(&text, "%s at %s", label, place);
    free(place);
    if (length < 0)
        return label;
    free(label);
    return text;
}

/* The nodes of a kind that a word means: one procedure, or all that stand at one place. A word that means several
 * places is an error. To be freed. */
static int *question_find_nodes(const struct wf_graph *graph, const char *word, enum wf_node_kind kind,
                                struct wf_error *error)
{
    int *nodes = wf_graph_find(graph, word, 1 << kind, error);
    for (const int *node = nodes; node && *node != WF_NO_NODE; node++) {
        const struct wf_node *first = &graph->nodes[nodes[0]], *other = &graph->nodes[*node];
        bool same_place = first->line == other->line && !strcmp(first->file, other->file);
        if (node == nodes || (same_place && kind != WF_NODE_PROCEDURE))
            continue;
        char *one = question_describe_node(graph, nodes[0]), *another = question_describe_node(graph, *node);
        wf_error_set(error, "'%s' can be %s or %s; give %s", word, one, another,
                     same_place ? "the name of one" : "FILE:LINE of one");
        free(one);
        free(another);
        free(nodes);
        return NULL;
    }
    return nodes;
}

static int question_ask_nodes(const struct wf_graph *graph, const char *word, enum wf_node_kind kind,
                              struct wf_answer *answer, struct wf_error *error)
{
    int *nodes = question_find_nodes(graph, word, kind, error);
    if (!nodes)
        return -1;
    wf_answer_want_calls(graph, answer);
    for (const int *node = nodes; *node != WF_NO_NODE; node++) {
        wf_answer_add_node(graph, *node, answer);
        if (!graph->nodes[*node].measured) {
            free(answer->calls);
            answer->calls = NULL;
            snprintf(answer->note, sizeof answer->note,
                     "it has no probe: the figures are those of the statements in it");
        }
        if (graph->nodes[*node].switched_off)
            snprintf(answer->note, sizeof answer->note,
                     "it was switched off during the run: the figures are those from before");
    }
    if (kind == WF_NODE_LOOP)
        answer->inside = nodes[0];
    free(nodes);
    return 0;
}

static int question_ask_calls_in(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                 struct wf_error *error)
{
    int *nodes = question_find_nodes(graph, argument, WF_NODE_PROCEDURE, error);
    if (!nodes)
        return -1;
    wf_answer_want_calls(graph, answer);
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].kind == WF_NODE_CALL && wf_graph_is_within(graph, (int)i, nodes[0]))
            wf_answer_add_node(graph, (int)i, answer);
    free(nodes);
    return 0;
}

static int question_ask_call(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                             struct wf_error *error)
{
    return question_ask_nodes(graph, argument, WF_NODE_CALL, answer, error);
}

static int question_ask_procedure(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                  struct wf_error *error)
{
    int *nodes = question_find_nodes(graph, argument, WF_NODE_PROCEDURE, error);
    if (!nodes)
        return -1;
    int cycle = graph->nodes[nodes[0]].parent;
    free(nodes);
    if (cycle == WF_NO_NODE)
        return question_ask_nodes(graph, argument, WF_NODE_PROCEDURE, answer, error);
    wf_answer_want_calls(graph, answer);
    wf_answer_add_node(graph, cycle, answer);
    snprintf(answer->note, sizeof answer->note, "%s call each other and count as one procedure",
             graph->nodes[cycle].name);
    return 0;
}

static int question_ask_communication(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                                      struct wf_error *error)
{
    int *nodes = question_find_nodes(graph, argument, WF_NODE_COMMUNICATION, error), result = nodes ? 0 : -1;
    wf_answer_want_calls(graph, answer);
    wf_answer_want_transfers(graph, answer);
    for (const int *node = nodes; result == 0 && *node != WF_NO_NODE; node++) {
        wf_answer_add_node(graph, *node, answer);
        result = wf_answer_add_transfers(graph, graph->nodes[*node].id, answer, error);
    }
    for (size_t i = 0; i < graph->overview->ranks.count; i++) {
        int64_t sum_ns = 0;
        for (int part = 0; part < WF_PARTS; part++)
            wf_sum_add(&sum_ns, answer->part_ns[part][i]);
        if (sum_ns) /* a call that transfers nothing has a time, but no transfers */
            answer->time_ns[i] = sum_ns;
    }
    free(nodes);
    return result;
}

static int question_ask_loop(const struct wf_graph *graph, const char *argument, struct wf_answer *answer,
                             struct wf_error *error)
{
    return question_ask_nodes(graph, argument, WF_NODE_LOOP, answer, error);
}

/* ---- the table ---- */

const struct wf_question wf_questions[] = {
    {"program-time", NULL, "Time of the whole program, which is that of main.", question_ask_program_time},
    {"transmission-time", NULL, "Time of all message transmissions of the program.", question_ask_transmission_time},
    {"synchronisation-time", NULL, "Time that the program's communication statements waited for other ranks.",
     question_ask_synchronisation_time},
    {"polling-time", NULL, "Time that the program asked MPI for what had not come, without a result.",
     question_ask_polling_time},
    {"no-core-time", NULL, "Time in MPI in which another process had the core.", question_ask_no_core_time},
    {"unexplained-time", NULL, "Time by which MPI calls took longer than such calls take, for no reason that is known.",
     question_ask_unexplained_time},
    {"waiting", "STATE",
     "Time waited for other ranks in one wait state ('late sender', 'wait at barrier', ...), or in 'all'.",
     question_ask_waiting},
    {"late", "RANK", "Time that other ranks waited for this rank; --json lists them.", question_ask_late},
    {"first-cause", "RANK",
     "Time that other ranks waited because of this rank's own work, also where ranks between only passed that on.",
     question_ask_first_cause},
    {"calls-in", "PROCEDURE", "Time of all calls in a procedure, including those in its loops.", question_ask_calls_in},
    {"call", "FILE:LINE", "Time of one call statement.", question_ask_call},
    {"procedure", "NAME", "Time and count of a procedure, over all its callers.", question_ask_procedure},
    {"communication", "FILE:LINE",
     "Time of one communication statement, and the parts of it: transmission, synchronisation, ...",
     question_ask_communication},
    {"loop", "FILE:LINE", "Time of a loop, and of the loops, calls and communication statements in it.",
     question_ask_loop},
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
    answer->time_ns = wf_memory_array(graph->overview->ranks.count, sizeof *answer->time_ns);
    int result = question->ask(graph, argument, answer, error);
    if (result)
        wf_answer_free(answer);
    return result;
}
