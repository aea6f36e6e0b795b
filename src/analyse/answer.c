/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/answer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

static size_t answer_rank_count(const struct wf_graph *graph)
{
    return graph->overview->ranks.count;
}

void wf_answer_want_calls(const struct wf_graph *graph, struct wf_answer *answer)
{
    answer->calls = wf_memory_array(answer_rank_count(graph), sizeof *answer->calls);
}

void wf_answer_add_node(const struct wf_graph *graph, int node, struct wf_answer *answer)
{
    for (size_t i = 0; i < answer_rank_count(graph); i++) {
        wf_sum_add(&answer->time_ns[i], graph->nodes[node].ranks[i].time_ns);
        if (answer->calls)
            wf_sum_add(&answer->calls[i], graph->nodes[node].ranks[i].calls);
    }
}

void wf_answer_want_transfers(const struct wf_graph *graph, struct wf_answer *answer)
{
    for (int part = 0; part < WF_PARTS; part++)
        answer->part_ns[part] = wf_memory_array(answer_rank_count(graph), sizeof *answer->part_ns[part]);
}

struct answer_reader {
    const struct wf_graph *graph;
    struct wf_answer *answer;
    int64_t site; /* 0: all */
};

static int answer_add_transfer_row(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct answer_reader *reader = context;
    int rank = wf_rank_list_find(&reader->graph->overview->ranks, wf_query_integer(query, 0));
    char *name = wf_query_text(query, 1);
    if (rank >= 0 && (reader->site || wf_call_kind_of(name) != WF_CALL_START_END)) {
        for (int part = 0; part < WF_PARTS; part++)
            wf_sum_add(&reader->answer->part_ns[part][rank], wf_query_integer(query, 2 + part));
    }
    free(name);
    return 0;
}

int wf_answer_add_transfers(const struct wf_graph *graph, int64_t site, struct wf_answer *answer,
                            struct wf_error *error)
{
    struct answer_reader reader = {graph, answer, site};
    return wf_query_each_of(
        graph->overview->profile,
        "SELECT self_node, name, sum(sync_ns), sum((SELECT sum(trans_time) FROM com WHERE event = id)), "
        "sum(polling_ns), sum(no_core_ns), sum(unexplained_ns) FROM event "
        "WHERE event_type = 'communication' AND (site = ?1 OR ?1 = 0) GROUP BY 1, 2",
        site, answer_add_transfer_row, &reader, error);
}

static int answer_add_wait_row(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct answer_reader *reader = context;
    int rank = wf_rank_list_find(&reader->graph->overview->ranks, wf_query_integer(query, 0));
    if (rank >= 0) {
        wf_sum_add(&reader->answer->time_ns[rank], wf_query_integer(query, 1));
        wf_sum_add(&reader->answer->calls[rank], wf_query_integer(query, 2));
    }
    return 0;
}

int wf_answer_add_waits(const struct wf_graph *graph, const char *sql, int64_t value, struct wf_answer *answer,
                        struct wf_error *error)
{
    struct answer_reader reader = {.graph = graph, .answer = answer};
    return wf_query_each_of(graph->overview->profile, sql, value, answer_add_wait_row, &reader, error);
}

void wf_answer_note_waiting(const struct wf_graph *graph, struct wf_answer *answer)
{
    if (!graph->overview->waits.count && !wf_program_integer(&graph->overview->program, "headers_taken") &&
        !strcmp(wf_program_text(&graph->overview->program, "clock"), "real"))
        snprintf(answer->note, sizeof answer->note,
                 "this profile does not tell waiting from transfer: no message carried its send time");
}

void wf_answer_free(struct wf_answer *answer)
{
    free(answer->time_ns);
    free(answer->calls);
    for (int part = 0; part < WF_PARTS; part++)
        free(answer->part_ns[part]);
    *answer = (struct wf_answer){.inside = WF_NO_NODE};
}
