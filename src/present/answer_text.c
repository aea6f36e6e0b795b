/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/answer_text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/sum.h"
#include "present/json.h"
#include "present/text_table.h"
#include "present/tree_text.h"
#include "present/quantity.h"

/* The parts of a statement's time, under the names that questions have for them. */
static const struct {
    enum wf_part part;
    const char *name, *key;
} parts[WF_PARTS] = {
    {WF_PART_TRANSFER, "transmission", "transmission_ns"},
    {WF_PART_WAITING, "synchronisation", "synchronisation_ns"},
    {WF_PART_POLLING, "polling", "polling_ns"},
    {WF_PART_NO_CORE, "no core", "no_core_ns"},
    {WF_PART_UNEXPLAINED, "unexplained", "unexplained_ns"},
};
enum { ALWAYS = 2 }; /* so many are always named */

/* ---- over the ranks ---- */

struct answer_summary {
    size_t from, to; /* ranks */
    int64_t sum, mean, max;
    size_t worst;
};

static struct answer_summary answer_text_sum_up(const struct wf_graph *graph, int rank, const int64_t *values)
{
    struct answer_summary s = {.from = 0, .to = graph->overview->ranks.count};
    if (rank != WF_NO_NODE) {
        s.from = (size_t)rank;
        s.to = s.from + 1;
    }
    for (size_t i = s.from; values && i < s.to; i++) {
        wf_sum_add(&s.sum, values[i]);
        if (i == s.from || values[i] > s.max) {
            s.max = values[i];
            s.worst = i;
        }
    }
    if (s.to > s.from)
        s.mean = s.sum / (int64_t)(s.to - s.from);
    return s;
}

/* ---- for people ---- */

static void answer_text_print_value(struct wf_page *page, const struct wf_graph *graph, const struct wf_asked *asked,
                                    const struct wf_answer *answer)
{
    struct answer_summary time = answer_text_sum_up(graph, asked->rank, answer->time_ns);
    wf_page_print(page, WF_BOLD, "%s", wf_quantity_time(page, time.mean).text);
    if (answer->calls) {
        int64_t calls = answer_text_sum_up(graph, asked->rank, answer->calls).sum;
        const char *loop = answer->inside == WF_NO_NODE ? "" : "executed ";
        const char *unit = answer->unit ? answer->unit : answer->inside == WF_NO_NODE ? "call" : "time";
        wf_page_print(page, WF_BOLD, ", %s%s %s%s", loop, wf_quantity_count(calls).text, unit, calls == 1 ? "" : "s");
    }
    fputc('\n', page->out);
}

/* Of the parts that are 0, only transmission and synchronisation are named. */
static void answer_text_print_parts(struct wf_page *page, const struct wf_graph *graph, int rank,
                                    const struct wf_answer *answer)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    int count = 0;
    for (size_t i = 0; to && i < WF_PARTS; i++) {
        int64_t ns = answer_text_sum_up(graph, rank, answer->part_ns[parts[i].part]).mean;
        if (ns || i < ALWAYS)
            fprintf(to, "%s%s %s", count++ ? ", " : "", parts[i].name, wf_quantity_time(page, ns).text);
    }
    if (to)
        fclose(to);
    wf_page_wrap(page, WF_PLAIN, "  ", "%s", text ? text : "");
    free(text);
}

/* Explains the value: mean or sum, and of which ranks. */
static void answer_text_print_meaning(struct wf_page *page, const struct wf_graph *graph, const struct wf_asked *asked,
                                      const struct wf_answer *answer)
{
    struct answer_summary time = answer_text_sum_up(graph, asked->rank, answer->time_ns);
    char *subject = wf_tree_subject(graph, asked->rank);
    if (answer->part_ns[0])
        answer_text_print_parts(page, graph, asked->rank, answer);
    if (time.to - time.from > 1)
        wf_page_wrap(page, WF_DIM, "  ", "time: %s (sum %s, max %s on rank %" PRId64 ")%s", subject,
                     wf_quantity_time(page, time.sum).text, wf_quantity_time(page, time.max).text,
                     graph->overview->ranks.items[time.worst].rank, answer->calls ? "; count: the sum" : "");
    else
        wf_page_wrap(page, WF_DIM, "  ", "%s", subject);
    if (*answer->note)
        wf_page_wrap(page, WF_WARN, "  ! ", "%s", answer->note);
    free(subject);
}

/* ---- what is in it ---- */

static void answer_text_add_content(struct wf_text_table *table, const struct wf_graph *graph, int outer, int depth)
{
    int *nodes = wf_graph_content(graph, outer);
    for (const int *node = nodes; *node != WF_NO_NODE; node++) {
        const struct wf_node *n = &graph->nodes[*node];
        char *label = wf_graph_label(graph, *node), *place = wf_node_place(n);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(table->page, n->shown.time_ns).text);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(n->shown.calls).text);
        wf_text_table_add(table, WF_PLAIN, "%*s%s", 2 * depth, "", label);
        wf_text_table_add(table, WF_PLAIN, "%s", place);
        free(label);
        free(place);
        answer_text_add_content(table, graph, *node, depth + 1);
    }
    free(nodes);
}

static void answer_text_print_content(struct wf_page *page, const struct wf_graph *graph, int outer)
{
    static const struct wf_column columns[] = {{"time", true, WF_CUT_NEVER},
                                               {"count", true, WF_CUT_NEVER},
                                               {"inside", false, WF_CUT_END},
                                               {"place", false, WF_CUT_PATH}};
    struct wf_text_table table;
    wf_text_table_init(&table, page, columns, sizeof columns / sizeof *columns, 2);
    answer_text_add_content(&table, graph, outer, 0);
    if (wf_text_table_rows(&table)) {
        fputc('\n', page->out);
        wf_text_table_print(&table);
    }
    wf_text_table_free(&table);
}

void wf_answer_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_asked *asked,
                     const struct wf_answer *answer)
{
    answer_text_print_value(page, graph, asked, answer);
    answer_text_print_meaning(page, graph, asked, answer);
    if (answer->inside != WF_NO_NODE)
        answer_text_print_content(page, graph, answer->inside);
}

/* ---- for machines ---- */

void wf_answer_write_ns(FILE *out, const struct wf_graph *graph, const struct wf_asked *asked,
                        const struct wf_answer *answer)
{
    fprintf(out, "%" PRId64 "\n", answer_text_sum_up(graph, asked->rank, answer->time_ns).mean);
}

static void answer_text_set_summary(json_t *object, const struct wf_graph *graph, int rank,
                                    const struct wf_answer *answer)
{
    struct answer_summary time = answer_text_sum_up(graph, rank, answer->time_ns),
                          calls = answer_text_sum_up(graph, rank, answer->calls);
    wf_json_set(object, "mean_ns", time.mean);
    wf_json_set(object, "sum_ns", time.sum);
    wf_json_set(object, "max_ns", time.max);
    json_object_set_new(object, "worst_rank",
                        time.to > time.from ? json_integer(graph->overview->ranks.items[time.worst].rank)
                                            : json_null());
    if (answer->calls) {
        wf_json_set(object, "sum_calls", calls.sum);
        json_object_set_new(object, "mean_calls",
                            json_real(calls.to > calls.from ? (double)calls.sum / (double)(calls.to - calls.from) : 0));
    }
}

static void answer_text_set_transfers(json_t *object, const struct wf_graph *graph, int rank,
                                      const struct wf_answer *answer)
{
    for (size_t i = 0; i < WF_PARTS && answer->part_ns[0]; i++) {
        struct answer_summary sum = answer_text_sum_up(graph, rank, answer->part_ns[parts[i].part]);
        char key[64];
        snprintf(key, sizeof key, "mean_%s", parts[i].key);
        wf_json_set(object, key, sum.mean);
        snprintf(key, sizeof key, "sum_%s", parts[i].key);
        wf_json_set(object, key, sum.sum);
    }
}

static json_t *answer_text_ranks_json(const struct wf_graph *graph, int rank, const struct wf_answer *answer)
{
    struct answer_summary s = answer_text_sum_up(graph, rank, answer->time_ns);
    json_t *ranks = json_array();
    for (size_t i = s.from; i < s.to; i++) {
        json_t *object = json_object();
        wf_json_set(object, "rank", graph->overview->ranks.items[i].rank);
        wf_json_set(object, "time_ns", answer->time_ns[i]);
        if (answer->calls)
            wf_json_set(object, "calls", answer->calls[i]);
        for (size_t p = 0; p < WF_PARTS && answer->part_ns[0]; p++)
            wf_json_set(object, parts[p].key, answer->part_ns[parts[p].part][i]);
        json_array_append_new(ranks, object);
    }
    return ranks;
}

static json_t *answer_text_inside_json(const struct wf_graph *graph, int outer)
{
    json_t *inside = json_array();
    int *nodes = wf_graph_content(graph, outer);
    for (const int *node = nodes; *node != WF_NO_NODE; node++) {
        static const char *const kinds[] = {"procedure", "cycle", "loop", "region", "phase", "call", "communication"};
        const struct wf_node *n = &graph->nodes[*node];
        char *place = wf_node_place(n);
        json_t *object = json_object();
        wf_json_set_text(object, "kind", kinds[n->kind]);
        wf_json_set_text(object, "name", n->kind == WF_NODE_CALL ? graph->nodes[n->callee].name : n->name);
        wf_json_set_text(object, "place", place);
        wf_json_set(object, "mean_ns", n->shown.time_ns);
        wf_json_set(object, "sum_calls", n->shown.calls);
        json_object_set_new(object, "inside", answer_text_inside_json(graph, *node));
        json_array_append_new(inside, object);
        free(place);
    }
    free(nodes);
    return inside;
}

void wf_answer_write_json(FILE *out, const struct wf_graph *graph, const struct wf_asked *asked,
                          const struct wf_answer *answer)
{
    json_t *object = json_object();
    wf_json_set_text(object, "profile", wf_profile_path(graph->overview->profile));
    wf_json_set_text(object, "question", asked->question->name);
    if (asked->argument)
        wf_json_set_text(object, "argument", asked->argument);
    answer_text_set_summary(object, graph, asked->rank, answer);
    answer_text_set_transfers(object, graph, asked->rank, answer);
    if (*answer->note)
        wf_json_set_text(object, "note", answer->note);
    json_object_set_new(object, "ranks", answer_text_ranks_json(graph, asked->rank, answer));
    if (answer->inside != WF_NO_NODE)
        json_object_set_new(object, "inside", answer_text_inside_json(graph, answer->inside));
    json_dumpf(object, out, JSON_INDENT(1) | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9));
    fputc('\n', out);
    json_decref(object);
}
