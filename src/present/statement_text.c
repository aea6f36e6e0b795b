/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/place.h"
#include "analyse/sum.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/table.h"
#include "present/text.h"
#include "present/unit.h"

enum { SKETCH = 16 };

/* A statement is shown as figures and as a label: in one line behind each other if all of them fit the page
 * uncut, else in two. */
#define FIGURES                                                                                    \
    {"time", true, WF_CUT_NEVER}, {"min", true, WF_CUT_NEVER}, {"mean", true, WF_CUT_NEVER},       \
        {"max", true, WF_CUT_NEVER}, {"worst", true, WF_CUT_NEVER}, {"calls", true, WF_CUT_NEVER}, \
    {                                                                                              \
        "bytes", true, WF_CUT_NEVER                                                                \
    }
#define LABEL                                                                                        \
    {"call", false, WF_CUT_NEVER}, {"place", false, WF_CUT_PATH}, {"procedure", false, WF_CUT_NAME}, \
    {                                                                                                \
        "over ranks", false, WF_CUT_NEVER                                                            \
    }
#define SHARE                       \
    {                               \
        "share", true, WF_CUT_NEVER \
    }
#define NO_SHARE               \
    {                          \
        "", true, WF_CUT_NEVER \
    }

static const struct wf_column one_line[] = {SHARE, FIGURES, LABEL};
static const struct wf_column label_line[] = {SHARE, LABEL};
static const struct wf_column figure_line[] = {NO_SHARE, FIGURES};
#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void add_share(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s)
{
    double share = o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0;
    wf_table_add(table, WF_BOLD, "%s", wf_unit_short_percent(share).text);
}

static void add_figures(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s)
{
    const int64_t times[] = {s->time_ns, s->min_ns, s->mean_ns, s->max_ns};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(table->page, times[i]).text);
    wf_table_add(table, WF_PLAIN, "%" PRId64, s->ranks ? o->ranks.items[s->worst].rank : 0);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_short_count(s->calls).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_bytes(s->bytes).text);
}

static void add_label(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s)
{
    size_t count = o->ranks.count;
    int64_t *times = wf_memory_array(count, sizeof *times);
    char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    for (size_t i = 0; i < count; i++)
        times[i] = s->by_rank[i].time_ns;
    wf_table_add(table, WF_BOLD, "%s", s->name);
    wf_table_add(table, WF_PLAIN, "%s", place);
    wf_table_add(table, WF_PLAIN, "%s", procedure);
    wf_table_add(table, WF_PLAIN, "%s",
                 count > 1 ? wf_bar_sketch(table->page, times, count, SKETCH).text : "");
    free(times);
    free(place);
    free(procedure);
}

static void add_one_line(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s)
{
    add_share(table, o, s);
    add_figures(table, o, s);
    add_label(table, o, s);
}

static void print_one_line(struct wf_table *table)
{
    wf_table_spread(table, 3);
    wf_table_print_headings(table);
    wf_page_rule(table->page, table->indent, wf_table_wants(table));
    for (size_t i = 0; i < wf_table_rows(table); i++)
        wf_table_print_row(table, i);
}

static void print_two_lines(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    struct wf_table labels, figures;
    wf_table_init(&labels, page, label_line, COUNT(label_line), 2);
    wf_table_init(&figures, page, figure_line, COUNT(figure_line), 2);
    for (size_t i = 0; i < shown; i++) {
        add_share(&labels, o, &o->statements.items[i]);
        add_label(&labels, o, &o->statements.items[i]);
        wf_table_add(&figures, WF_PLAIN, "%s", "");
        add_figures(&figures, o, &o->statements.items[i]);
    }
    figures.widths[0] = labels.widths[0];
    wf_table_fit(&labels);
    wf_table_fit(&figures);
    wf_table_spread(&figures, 4);
    wf_table_print_headings(&labels);
    wf_table_print_headings(&figures);
    int label_columns = wf_table_wants(&labels), figure_columns = wf_table_wants(&figures);
    wf_page_rule(page, 2, label_columns > figure_columns ? label_columns : figure_columns);
    for (size_t i = 0; i < shown; i++) {
        wf_table_print_row(&labels, i);
        wf_table_print_row(&figures, i);
    }
    wf_table_free(&labels);
    wf_table_free(&figures);
}

static void print_rest(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    const struct wf_statement_list *list = &o->statements;
    size_t rest = list->ranked - shown;
    int64_t rest_ns = 0;
    for (size_t i = shown; i < list->ranked; i++)
        wf_sum_add(&rest_ns, list->items[i].time_ns);
    if (rest == 0)
        return;
    double share = list->time_ns ? (double)rest_ns / (double)list->time_ns : 0;
    wf_page_wrap(page, WF_DIM, "  ", "%s and %s more statement%s with %s of MPI time (--all)",
                 page->glyphs->ellipsis, wf_unit_count((int64_t)rest).text, rest == 1 ? "" : "s",
                 wf_unit_percent(share).text);
}

void wf_statement_list_print(struct wf_page *page, const struct wf_overview *o, size_t top, const char *order)
{
    size_t ranked = o->statements.ranked, shown = ranked < top ? ranked : top;
    struct wf_table table;
    wf_page_heading(page, "Communication statements by %s: %s in MPI over %s rank%s", order,
                    wf_unit_time(page, o->statements.time_ns).text,
                    wf_unit_count((int64_t)o->ranks.count).text, o->ranks.count == 1 ? "" : "s");
    fputc('\n', page->out);
    if (ranked == 0) {
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "none: no MPI function was called between MPI_Init and MPI_Finalize");
        return;
    }
    wf_table_init(&table, page, one_line, COUNT(one_line), 2);
    for (size_t i = 0; i < shown; i++)
        add_one_line(&table, o, &o->statements.items[i]);
    if (wf_table_wants(&table) > page->width)
        print_two_lines(page, o, shown);
    else
        print_one_line(&table);
    wf_table_free(&table);
    print_rest(page, o, shown);
}
