/* SPDX-License-Identifier: BSD-3-Clause */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/graph.h"
#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/nearest.h"
#include "analyse/sum.h"
#include "analyse/word.h"

/* What is sought, and what is found. */
struct node_search {
    const struct wf_graph *graph;
    const char *text;
    struct wf_word word; /* the text as a place */
    int kinds;
    int *found;
    int count;
};

static bool node_search_wants(const struct node_search *search, size_t index)
{
    const struct wf_node *node = &search->graph->nodes[index];
    return search->kinds >> node->kind & 1 && wf_node_is_known(node);
}

/* ---- by place ---- */

static bool node_search_is_at(const struct node_search *search, const struct wf_node *node)
{
    if (node->line > 0)
        return node->line == search->word.line && wf_word_path_ends(node->file, search->word.file);
    return *node->file && !strcmp(node->file, search->text); /* an address */
}

static void node_search_by_place(struct node_search *search)
{
    for (size_t i = 0; i < search->graph->count; i++)
        if (node_search_wants(search, i) && node_search_is_at(search, &search->graph->nodes[i]))
            search->found[search->count++] = (int)i;
}

/* ---- by name: procedures before regions before MPI functions ---- */

static const enum wf_node_kind named_kinds[] = {WF_NODE_PROCEDURE, WF_NODE_REGION, WF_NODE_PHASE,
                                                WF_NODE_COMMUNICATION};
enum { NAMED_KINDS = sizeof named_kinds / sizeof *named_kinds };

static void node_search_by_name(struct node_search *search)
{
    for (int kind = 0; kind < NAMED_KINDS && search->count == 0; kind++)
        for (size_t i = 0; i < search->graph->count; i++) {
            const struct wf_node *node = &search->graph->nodes[i];
            if (node->kind == named_kinds[kind] && node_search_wants(search, i) &&
                wf_name_means(search->text, node->name))
                search->found[search->count++] = (int)i;
        }
}

/* ---- neither ---- */

static bool node_has_name(const struct wf_node *node)
{
    for (int kind = 0; kind < NAMED_KINDS; kind++)
        if (node->kind == named_kinds[kind])
            return true;
    return false;
}

static int64_t node_search_name_distance(const struct node_search *search, const struct wf_node *node)
{
    if (!node_has_name(node))
        return INT64_MAX;
    char *name = wf_name_short(node->name);
    int letters = wf_nearest_distance(search->text, name);
    free(name);
    return letters;
}

/* Another file is always farther than another line. */
static int64_t node_search_place_distance(const struct node_search *search, const struct wf_node *node)
{
    if (node->line <= 0)
        return INT64_MAX;
    int64_t lines = wf_sum_distance(node->line, search->word.line, INT_MAX);
    if (wf_word_path_ends(node->file, search->word.file))
        return lines;
    int letters = wf_nearest_distance(wf_word_base_name(node->file), wf_word_base_name(search->word.file));
    return ((int64_t)letters + 1) * INT_MAX + lines;
}

static int node_search_nearest(const struct node_search *search, bool by_place)
{
    int nearest = WF_NO_NODE;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < search->graph->count; i++) {
        const struct wf_node *node = &search->graph->nodes[i];
        if (!node_search_wants(search, i))
            continue;
        int64_t far = by_place ? node_search_place_distance(search, node) : node_search_name_distance(search, node);
        if (far < least) {
            least = far;
            nearest = (int)i;
        }
    }
    return nearest;
}

static const char *node_search_kinds_text(const struct node_search *search, bool by_place)
{
    static const struct {
        int kinds;
        const char *text;
    } texts[] = {
        {1 << WF_NODE_PROCEDURE, "procedure"},
        {1 << WF_NODE_LOOP, "loop"},
        {1 << WF_NODE_CALL, "call"},
        {1 << WF_NODE_COMMUNICATION, "communication statement"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (search->kinds == texts[i].kinds)
            return texts[i].text;
    return by_place ? "procedure, loop, call or communication statement" : "procedure, region or MPI function";
}

static void node_search_explain(const struct node_search *search, struct wf_error *error)
{
    /* A loop or a call has no name: only its place can be meant. */
    bool by_place = search->word.line >= 0 || search->kinds == 1 << WF_NODE_LOOP || search->kinds == 1 << WF_NODE_CALL;
    int nearest = node_search_nearest(search, by_place);
    const char *kinds = node_search_kinds_text(search, by_place), *at = by_place ? " at" : "";
    if (nearest == WF_NO_NODE) {
        wf_error_set(error, "no %s%s '%s': none ran in this profile", kinds, at, search->text);
        return;
    }
    char *name = by_place ? wf_node_place(&search->graph->nodes[nearest]) : wf_graph_label(search->graph, nearest);
    wf_error_set(error, "no %s%s '%s' ran; nearest: %s", kinds, at, search->text, name);
    free(name);
}

/* ---- both ---- */

static bool node_search_is_inner(const struct node_search *search, int index)
{
    for (int i = 0; i < search->count; i++)
        if (i != index && wf_graph_is_within(search->graph, search->found[index], search->found[i]))
            return true;
    return false;
}

static int *node_search_outermost(const struct node_search *search)
{
    int *nodes = wf_memory_array((size_t)search->count + 1, sizeof *nodes), count = 0;
    for (int i = 0; i < search->count; i++)
        if (!node_search_is_inner(search, i))
            nodes[count++] = search->found[i];
    nodes[count] = WF_NO_NODE;
    return nodes;
}

int *wf_graph_find(const struct wf_graph *graph, const char *text, int kinds, struct wf_error *error)
{
    struct node_search search = {.graph = graph, .text = text, .word = wf_word_parse(text), .kinds = kinds};
    search.found = wf_memory_array(graph->count, sizeof *search.found);
    node_search_by_place(&search);
    if (search.count == 0)
        node_search_by_name(&search);
    int *nodes = search.count ? node_search_outermost(&search) : NULL;
    if (!nodes)
        node_search_explain(&search, error);
    free(search.found);
    wf_word_free(&search.word);
    return nodes;
}
