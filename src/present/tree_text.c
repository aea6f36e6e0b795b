/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/tree_text.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/sum.h"
#include "analyse/word.h"
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

/* Own times above these shares of the program's time are coloured. */
static const double hot = 0.10, warm = 0.03;
/* An imbalance above this share of the program's time is marked. */
static const double unbalanced = 0.02;

enum { WIDE_STEP = 3, NARROW_STEP = 2 };

struct tree_printer {
    struct wf_page *page;
    const struct wf_graph *graph;
    const struct wf_outline *outline;
    bool of_thread; /* the tree of one thread, which has no self times */
    bool with_max;  /* there is a column for ranks that differ */
    bool brief;     /* narrow layout: only the rank in that column, and files without directories */
    int step;       /* columns for each level */
    int levels;     /* levels that are drawn; deeper levels are shown as a number */
    bool *last;     /* for each ancestor of the current row, whether it is the last one at its depth */
};

static double tree_text_share(const struct wf_graph *graph, int64_t ns)
{
    return graph->shown_ns > 0 ? (double)ns / (double)graph->shown_ns : 0;
}

static char *tree_text_format(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *tree_text_format(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return length < 0 ? wf_memory_text("") : text;
}

char *wf_tree_subject(const struct wf_graph *graph, int rank)
{
    const struct wf_rank_list *ranks = &graph->overview->ranks;
    if (rank != WF_NO_NODE)
        return tree_text_format("rank %" PRId64, ranks->items[rank].rank);
    return ranks->count == 1 ? tree_text_format("one rank")
                             : tree_text_format("mean over %s ranks", wf_quantity_count((int64_t)ranks->count).text);
}

/* ---- the drawing ---- */

/* Returns the branches before a row's name. The caller frees them. */
static char *tree_text_draw_branches(const struct tree_printer *p, const struct wf_outline_row *row)
{
    const struct wf_glyphs *g = p->page->glyphs;
    int hidden = row->depth > p->levels ? row->depth - p->levels : 0;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    if (!out)
        return wf_memory_text("");
    if (hidden)
        fprintf(out, "%s%d ", g->ellipsis, hidden);
    for (int depth = hidden + 1; depth < row->depth; depth++)
        fprintf(out, "%s%*s", p->last[depth] ? " " : g->trunk, p->step - 1, "");
    if (row->depth > 0)
        fprintf(out, "%s%s ", row->last ? g->corner : g->branch, p->step == WIDE_STEP ? g->rule : "");
    fclose(out);
    return text ? text : wf_memory_text("");
}

static char *tree_text_all_calls_label(const struct tree_printer *p, int index)
{
    const struct wf_node *node = &p->graph->nodes[index];
    char *name = wf_graph_label(p->graph, index);
    char *label =
        node->kind == WF_NODE_CYCLE ? tree_text_format("%s, recursive", name) : tree_text_format("all of %s", name);
    free(name);
    return label;
}

/* A remark about a row's figures. */
static const char *tree_text_remark(const struct tree_printer *p, const struct wf_outline_row *row)
{
    const struct wf_node *node = &p->graph->nodes[row->node];
    const struct wf_node *callee = node->kind == WF_NODE_CALL ? &p->graph->nodes[node->callee] : node;
    if (row->see != WF_SEE_NOTHING)
        return row->see == WF_SEE_ABOVE ? ", see above" : ", see below";
    if (callee->switched_off)
        return ", switched off";
    /* A procedure in a cycle needs no remark; the cycle has one. */
    return callee->recursive && callee->parent == WF_NO_NODE ? ", recursive" : "";
}

/* To be freed. */
static char *tree_text_row_label(const struct tree_printer *p, const struct wf_outline_row *row)
{
    if (row->role == WF_ROW_REST)
        return tree_text_format("%s %s more", p->page->glyphs->ellipsis, wf_quantity_count((int64_t)row->rest).text);
    if (row->role == WF_ROW_ALL_CALLS)
        return tree_text_all_calls_label(p, row->node);
    char *name = wf_graph_label(p->graph, row->node), *label = tree_text_format("%s%s", name, tree_text_remark(p, row));
    free(name);
    return label;
}

/* ---- the table ---- */

static const struct wf_column columns[] = {
    {"share", true, WF_CUT_NEVER}, {"time", true, WF_CUT_NEVER}, {"self", true, WF_CUT_NEVER},
    {"count", true, WF_CUT_NEVER}, {"max", true, WF_CUT_NEVER},  {"", false, WF_CUT_END},
    {"place", false, WF_CUT_PATH},
};
static const struct wf_column columns_with_mark[] = {
    {"share", true, WF_CUT_NEVER}, {"time", true, WF_CUT_NEVER}, {"self", true, WF_CUT_NEVER},
    {"count", true, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER},    {"", false, WF_CUT_END},
    {"place", false, WF_CUT_PATH},
};
static const struct wf_column columns_without_max[] = {
    {"share", true, WF_CUT_NEVER}, {"time", true, WF_CUT_NEVER}, {"self", true, WF_CUT_NEVER},
    {"count", true, WF_CUT_NEVER}, {"", false, WF_CUT_END},      {"place", false, WF_CUT_PATH},
};
static const struct wf_column columns_of_thread[] = {
    {"share", true, WF_CUT_NEVER}, {"time", true, WF_CUT_NEVER},  {"count", true, WF_CUT_NEVER},
    {"", false, WF_CUT_END},       {"place", false, WF_CUT_PATH},
};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static bool tree_text_is_unbalanced(const struct wf_graph *graph, const struct wf_outline_row *row)
{
    if (row->role == WF_ROW_REST)
        return false;
    int64_t lost = graph->nodes[row->node].max_ns;
    wf_sum_add(&lost, -graph->nodes[row->node].shown.time_ns);
    return tree_text_share(graph, lost) >= unbalanced;
}

static void tree_text_add_self(struct wf_text_table *table, const struct wf_graph *graph,
                               const struct wf_outline_row *row)
{
    if (!row->has_self) {
        wf_text_table_add(table, WF_DIM, "%s", table->page->glyphs->dash);
        return;
    }
    double share = tree_text_share(graph, row->self_ns);
    wf_text_table_add(table,
                      share >= hot    ? WF_BAD
                      : share >= warm ? WF_WARN
                                      : WF_PLAIN,
                      "%s", wf_quantity_time(table->page, row->self_ns).text);
}

static void tree_text_add_count(struct wf_text_table *table, const struct wf_node *node)
{
    if (node->shown.calls > 0)
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(node->shown.calls).text);
    else
        wf_text_table_add(table, WF_DIM, "%s", table->page->glyphs->dash);
}

static void tree_text_add_max(struct wf_text_table *table, const struct tree_printer *p,
                              const struct wf_outline_row *row)
{
    const struct wf_node *node = &p->graph->nodes[row->node];
    int64_t rank = p->graph->overview->ranks.items[node->worst].rank;
    if (!tree_text_is_unbalanced(p->graph, row))
        wf_text_table_add(table, WF_PLAIN, "%s", "");
    else if (p->brief)
        wf_text_table_add(table, WF_WARN, "%s%" PRId64, p->page->glyphs->peak, rank);
    else
        wf_text_table_add(table, WF_WARN, "%s on %" PRId64, wf_quantity_time(p->page, node->max_ns).text, rank);
}

/* A call is shown at the place of its statement, or, if that is not known, of the procedure. */
static char *tree_text_place(const struct tree_printer *p, const struct wf_outline_row *row)
{
    if (row->role == WF_ROW_REST)
        return wf_memory_text("");
    const struct wf_node *node = &p->graph->nodes[row->node];
    bool begins = node->kind == WF_NODE_CALL && node->line <= 0;
    char *place = wf_node_place(begins ? &p->graph->nodes[node->callee] : node);
    if (!p->brief)
        return place;
    char *brief = wf_text_cut_path(wf_word_base_name(place), p->page->width / 6, p->page->glyphs->ellipsis);
    free(place);
    return brief;
}

static void tree_text_add_figures(struct wf_text_table *table, const struct tree_printer *p,
                                  const struct wf_outline_row *row)
{
    const struct wf_node *node = &p->graph->nodes[row->node];
    wf_text_table_add(table, WF_BOLD, "%s",
                      wf_quantity_short_percent(tree_text_share(p->graph, node->shown.time_ns)).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(p->page, node->shown.time_ns).text);
    if (!p->of_thread)
        tree_text_add_self(table, p->graph, row);
    tree_text_add_count(table, node);
    if (p->with_max)
        tree_text_add_max(table, p, row);
}

static void tree_text_add_rest_figures(struct wf_text_table *table, const struct tree_printer *p,
                                       const struct wf_outline_row *row)
{
    wf_text_table_add(table, WF_DIM, "%s", wf_quantity_short_percent(tree_text_share(p->graph, row->rest_ns)).text);
    wf_text_table_add(table, WF_DIM, "%s", wf_quantity_time(p->page, row->rest_ns).text);
    for (int i = 0; i < 2 + p->with_max - p->of_thread; i++)
        wf_text_table_add(table, WF_PLAIN, "%s", "");
}

static void tree_text_add_row(struct wf_text_table *table, const struct tree_printer *p,
                              const struct wf_outline_row *row)
{
    bool is_rest = row->role == WF_ROW_REST;
    char *branches = tree_text_draw_branches(p, row), *label = tree_text_row_label(p, row),
         *place = tree_text_place(p, row);
    if (is_rest)
        tree_text_add_rest_figures(table, p, row);
    else
        tree_text_add_figures(table, p, row);
    wf_text_table_add(table, is_rest ? WF_DIM : WF_PLAIN, "%s%s", branches, label);
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    free(branches);
    free(label);
    free(place);
}

static void tree_text_fill(struct wf_text_table *table, struct tree_printer *p)
{
    const struct wf_column *chosen = p->of_thread   ? columns_of_thread
                                     : !p->with_max ? columns_without_max
                                     : p->brief     ? columns_with_mark
                                                    : columns;
    int count = p->of_thread ? COUNT(columns_of_thread) : p->with_max ? COUNT(columns) : COUNT(columns_without_max);
    wf_text_table_init(table, p->page, chosen, count, 2);
    for (size_t i = 0; i < p->outline->count; i++) {
        const struct wf_outline_row *row = &p->outline->rows[i];
        p->last[row->depth] = row->last;
        tree_text_add_row(table, p, row);
    }
}

static void tree_text_print_elsewhere(struct tree_printer *p)
{
    wf_page_wrap(p->page, WF_DIM, "  ", "%s", "elsewhere (other threads, callbacks, regions marked by name):");
}

static void tree_text_print_rows(struct wf_text_table *table, struct tree_printer *p)
{
    wf_text_table_fit(table);
    wf_text_table_print_headings(table);
    wf_page_rule(p->page, table->indent, wf_text_table_wants(table));
    for (size_t i = 0; i < p->outline->count; i++) {
        if (i > 0 && i == p->outline->elsewhere)
            tree_text_print_elsewhere(p);
        wf_text_table_print_row(table, i);
    }
}

/* ---- from where ---- */

enum { CALLERS = 6 };

static size_t tree_text_find_callers(const struct wf_graph *graph, int target, int *callers)
{
    size_t count = 0;
    for (size_t i = 0; i < graph->count; i++)
        if (graph->nodes[i].target == target && (int)i != graph->main && wf_node_is_known(&graph->nodes[i]))
            callers[count++] = (int)i;
    wf_graph_sort(graph, callers, count);
    return count;
}

static char *tree_text_caller(const struct wf_graph *graph, int index, int target)
{
    const struct wf_node *call = &graph->nodes[index];
    int64_t all_ns = graph->nodes[target].shown.time_ns;
    double share = all_ns > 0 ? (double)call->shown.time_ns / (double)all_ns : 0;
    char *name = call->procedure == WF_NO_NODE ? wf_memory_text("") : wf_graph_label(graph, call->procedure);
    char *place = wf_node_place(call);
    char *text =
        tree_text_format("%s%s%s (%s)", name, *name ? " at " : "", place, wf_quantity_short_percent(share).text);
    free(place);
    free(name);
    return text;
}

/* "P1 at f.c:5 (61.9 %), P2 at f.c:7 (38.1 %)"; "" if there is no caller. To be freed. */
static char *tree_text_callers(const struct wf_graph *graph, int target)
{
    int *callers = wf_memory_array(graph->count, sizeof *callers);
    size_t count = tree_text_find_callers(graph, target, callers), bytes;
    char *line = NULL;
    FILE *out = open_memstream(&line, &bytes);
    for (size_t i = 0; out && i < count && i < CALLERS; i++) {
        char *text = tree_text_caller(graph, callers[i], target);
        fprintf(out, "%s%s", i ? ", " : "", text);
        free(text);
    }
    if (out && count > CALLERS)
        fprintf(out, ", and %zu more", count - CALLERS);
    if (out)
        fclose(out);
    free(callers);
    return line ? line : wf_memory_text("");
}

/* "main, for loop heat.c:301": the procedure and loops around a statement, outermost first. To be freed. */
static char *tree_text_around(const struct wf_graph *graph, int node)
{
    int parent = graph->nodes[node].parent;
    char *outer =
        parent == WF_NO_NODE || graph->nodes[parent].kind == WF_NODE_CYCLE ? NULL : tree_text_around(graph, parent);
    char *name = wf_graph_label(graph, node), *place = wf_node_place(&graph->nodes[node]);
    bool is_procedure = graph->nodes[node].kind == WF_NODE_PROCEDURE;
    char *text = tree_text_format("%s%s%s%s%s", outer ? outer : "", outer ? ", " : "", name, is_procedure ? "" : " ",
                                  is_procedure ? "" : place);
    free(outer);
    free(name);
    free(place);
    return text;
}

static int tree_text_called_as(const struct wf_graph *graph, const struct wf_node *node)
{
    if (node->procedure == WF_NO_NODE || graph->nodes[node->procedure].parent == WF_NO_NODE)
        return node->procedure;
    return graph->nodes[node->procedure].parent; /* a cycle */
}

/* Prints where a root of the tree is, and its callers. */
static void tree_text_print_origin(struct wf_page *page, const struct wf_graph *graph, int index)
{
    const struct wf_node *node = &graph->nodes[index];
    bool is_statement = node->kind != WF_NODE_PROCEDURE && node->kind != WF_NODE_CYCLE;
    int target = node->kind == WF_NODE_CYCLE ? index : tree_text_called_as(graph, node);
    char *name = wf_graph_label(graph, target == WF_NO_NODE ? index : target);
    char *callers = target == WF_NO_NODE ? wf_memory_text("") : tree_text_callers(graph, target);
    if (is_statement && node->parent != WF_NO_NODE) {
        char *own = wf_graph_label(graph, index), *place = wf_node_place(node),
             *outer = tree_text_around(graph, node->parent);
        wf_page_wrap(page, WF_PLAIN, "  ", "%s %s is in %s.%s%s%s%s", own, place, outer, *callers ? " " : "",
                     *callers ? name : "", *callers ? " is called from " : "", callers);
        free(own);
        free(place);
        free(outer);
    } else if (*callers) {
        wf_page_wrap(page, WF_PLAIN, "  ", "%s is called from %s", name, callers);
    }
    free(name);
    free(callers);
}

/* ---- all of it ---- */

static int tree_text_deepest(const struct wf_outline *outline)
{
    int depth = 0;
    for (size_t i = 0; i < outline->count; i++)
        depth = outline->rows[i].depth > depth ? outline->rows[i].depth : depth;
    return depth;
}

/* Tries layouts from wide to narrow and uses the first that fits the page; the last one is cut to fit. */
static void tree_text_print_table(struct tree_printer *p)
{
    const struct {
        bool brief;
        int gap, step, levels;
    } layouts[] = {
        {false, 2, WIDE_STEP, INT_MAX},
        {true, 2, WIDE_STEP, INT_MAX},
        {true, 2, NARROW_STEP, INT_MAX},
        {true, 1, NARROW_STEP, p->page->width / 8},
    };
    struct wf_text_table table;
    for (int i = 0; i < COUNT(layouts); i++) {
        p->brief = layouts[i].brief;
        p->step = layouts[i].step;
        p->levels = layouts[i].levels;
        tree_text_fill(&table, p);
        table.gap = layouts[i].gap;
        if (wf_text_table_wants(&table) <= p->page->width || i + 1 == COUNT(layouts))
            break;
        wf_text_table_free(&table);
    }
    tree_text_print_rows(&table, p);
    wf_text_table_free(&table);
}

static void tree_text_print_notes(const struct tree_printer *p, const struct wf_outline_choice *choice)
{
    bool above_all = false;
    for (size_t i = 0; i < p->outline->count; i++)
        above_all |= p->outline->rows[i].role != WF_ROW_REST &&
                     tree_text_share(p->graph, p->graph->nodes[p->outline->rows[i].node].shown.time_ns) > 1.005;
    bool marked = p->with_max && p->brief;
    if (p->outline->cut || above_all || marked || !p->graph->instrumented)
        fputc('\n', p->page->out);
    if (marked)
        wf_page_wrap(p->page, WF_DIM, "  ", "%s marks where ranks differ, with the rank that takes longest.",
                     p->page->glyphs->peak);
    if (p->outline->cut)
        wf_page_wrap(p->page, WF_DIM, "  ", "Parts below %s of the program's time on every rank are left out (--all).",
                     wf_quantity_percent(choice->least).text);
    if (above_all)
        wf_page_wrap(p->page, WF_DIM, "  ", "%s", "Times of threads are added up and may exceed the program's time.");
    if (!p->graph->instrumented)
        wf_page_wrap(p->page, WF_DIM, "  ", "%s",
                     "Only the communication statements of this program are known. Compile it with weft cc to see "
                     "procedures, calls and loops: CC=\"weft cc mpicc\" make");
}

void wf_tree_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_outline *outline, int rank,
                   const struct wf_outline_choice *choice)
{
    struct tree_printer p = {.page = page, .graph = graph, .outline = outline};
    char *subject = wf_tree_subject(graph, rank);
    bool sums = rank == WF_NO_NODE && graph->overview->ranks.count > 1;
    wf_page_heading(page, "%s: %s, %s%s", graph->instrumented ? "Program from the top" : "Procedures by MPI time",
                    wf_quantity_time(page, graph->shown_ns).text, subject, sums ? "; counts are sums" : "");
    free(subject);
    for (const int *root = choice->roots; root && *root != WF_NO_NODE; root++)
        tree_text_print_origin(page, graph, *root);
    for (size_t i = 0; i < outline->count; i++)
        p.with_max |= rank == WF_NO_NODE && tree_text_is_unbalanced(graph, &outline->rows[i]);
    p.last = wf_memory_array((size_t)tree_text_deepest(outline) + 1, sizeof *p.last);
    fputc('\n', page->out);
    if (outline->count)
        tree_text_print_table(&p);
    else
        wf_page_wrap(page, WF_PLAIN, "  ", "%s", "nothing: no procedure, loop or communication statement ran");
    tree_text_print_notes(&p, choice);
    free(p.last);
}

/* ---- threads ---- */

static void tree_text_print_thread(struct wf_page *page, struct wf_graph *graph, const struct wf_thread *thread,
                                   const struct wf_outline_choice *choice, size_t *cut)
{
    struct wf_outline outline;
    struct tree_printer p = {.page = page, .graph = graph, .outline = &outline, .of_thread = true};
    wf_thread_view(graph, thread);
    wf_thread_outline(&outline, graph, choice);
    wf_page_heading(page, "Rank %" PRId64 ", thread %" PRId64 "%s (tid %" PRId64 ")",
                    graph->overview->ranks.items[thread->rank].rank, thread->number,
                    thread->is_main ? ", the main thread" : "", thread->tid);
    p.last = wf_memory_array((size_t)tree_text_deepest(&outline) + 1, sizeof *p.last);
    fputc('\n', page->out);
    if (outline.count)
        tree_text_print_table(&p);
    else
        wf_page_wrap(page, WF_PLAIN, "  ", "%s", "nothing was recorded");
    *cut += outline.cut;
    free(p.last);
    wf_outline_free(&outline);
}

void wf_tree_print_threads(struct wf_page *page, struct wf_graph *graph, const struct wf_thread_list *threads, int rank,
                           const struct wf_outline_choice *choice)
{
    size_t alone = 0, shown = 0, cut = 0;
    for (size_t first = 0, end; first < threads->count; first = end) {
        size_t of = threads->items[first].rank;
        for (end = first + 1; end < threads->count && threads->items[end].rank == of;)
            end++;
        if (rank != WF_NO_NODE && of != (size_t)rank)
            continue;
        alone += end - first == 1;
        shown += end - first > 1;
        for (size_t i = first; end - first > 1 && i < end; i++)
            tree_text_print_thread(page, graph, &threads->items[i], choice, &cut);
    }
    if (!shown)
        wf_page_heading(page, "Threads");
    if (cut || alone || !shown)
        fputc('\n', page->out);
    if (cut)
        wf_page_wrap(page, WF_DIM, "  ", "Parts below %s of the program's time are left out (--all).",
                     wf_quantity_percent(choice->least).text);
    if (alone)
        wf_page_wrap(page, WF_DIM, "  ", "%s rank%s only one thread: --tree shows its times.",
                     wf_quantity_count((int64_t)alone).text, alone == 1 ? " has" : "s have");
    else if (!shown)
        wf_page_wrap(page, WF_PLAIN, "  ", "%s", "no thread recorded anything");
}
