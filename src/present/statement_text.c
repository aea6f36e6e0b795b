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

/* ---- figures ---- */

/* Two tables of one program: what its statements cost, and what compensation did to that. Waiting has columns
 * where the profile knows of any. */
enum { ALWAYS, COSTS = 1, COMPENSATION = 2, WAITING = 4 };
enum format { TIME, DIFFERENCE, COUNT, BYTES, WORST };

#define PLACE(field) offsetof(struct wf_statement, field)
static const struct figure {
    const char *heading;
    int only_in; /* COSTS or COMPENSATION; WAITING */
    enum format format;
    size_t place, raw_place;
} figures[] = {
    {"time", ALWAYS, TIME, PLACE(time_ns), 0},
    {"raw", COMPENSATION, TIME, PLACE(time_raw_ns), 0},
    {"taken out", COMPENSATION, DIFFERENCE, PLACE(time_ns), PLACE(time_raw_ns)},
    {"waiting", WAITING, TIME, PLACE(sync_delay_ns), 0},
    {"raw", COMPENSATION | WAITING, TIME, PLACE(sync_delay_raw_ns), 0},
    {"taken out", COMPENSATION | WAITING, DIFFERENCE, PLACE(sync_delay_ns), PLACE(sync_delay_raw_ns)},
    {"min", COSTS, TIME, PLACE(min_ns), 0},
    {"mean", COSTS, TIME, PLACE(mean_ns), 0},
    {"max", COSTS, TIME, PLACE(max_ns), 0},
    {"worst", COSTS, WORST, 0, 0},
    {"calls", ALWAYS, COUNT, PLACE(calls), 0},
    {"bytes", COSTS, BYTES, PLACE(bytes), 0},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static int64_t value_at(const struct wf_statement *s, size_t place)
{
    return *(const int64_t *)((const char *)s + place);
}

static struct wf_unit show(const struct wf_page *page, const struct figure *figure,
                           const struct wf_overview *o, const struct wf_statement *s)
{
    switch (figure->format) {
    case DIFFERENCE:
        return wf_unit_difference(page, value_at(s, figure->raw_place), value_at(s, figure->place));
    case COUNT:
        return wf_unit_short_count(value_at(s, figure->place));
    case BYTES:
        return wf_unit_bytes(value_at(s, figure->place));
    case WORST:
        return wf_unit_count(s->ranks ? o->ranks.items[s->worst].rank : 0);
    default:
        return wf_unit_time(page, value_at(s, figure->place));
    }
}

static bool is_shown(const struct figure *figure, const struct wf_overview *o, bool raw)
{
    bool in_table =
        !(figure->only_in & (COSTS | COMPENSATION)) || figure->only_in & (raw ? COMPENSATION : COSTS);
    return in_table && (!(figure->only_in & WAITING) || o->waits.count || o->statements.sync_delay_ns);
}

/* ---- the layout ---- */

static const struct wf_column share_column = {"share", true, WF_CUT_NEVER},
                              no_share_column = {"", true, WF_CUT_NEVER};
static const struct wf_column label[] = {{"call", false, WF_CUT_NEVER},
                                         {"place", false, WF_CUT_PATH},
                                         {"procedure", false, WF_CUT_NAME},
                                         {"over ranks", false, WF_CUT_NEVER}};
enum { LABEL = sizeof label / sizeof *label };

/* A statement is shown as figures and as a label: in one line behind each other if all of them fit the page
 * uncut, else in two. */
struct layout {
    struct wf_column one_line[WF_TABLE_COLUMNS], label_line[WF_TABLE_COLUMNS], figure_line[WF_TABLE_COLUMNS];
    int one_count, label_count, figure_count;
    bool raw;
};

static void lay_out(struct layout *l, const struct wf_overview *o, bool raw)
{
    *l = (struct layout){.raw = raw};
    l->one_line[l->one_count++] = l->label_line[l->label_count++] = share_column;
    l->figure_line[l->figure_count++] = no_share_column;
    for (int i = 0; i < FIGURES; i++)
        if (is_shown(&figures[i], o, raw))
            l->one_line[l->one_count++] = l->figure_line[l->figure_count++] =
                (struct wf_column){figures[i].heading, true, WF_CUT_NEVER};
    for (int i = 0; i < LABEL; i++)
        l->one_line[l->one_count++] = l->label_line[l->label_count++] = label[i];
}

static void add_share(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s)
{
    double share = o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0;
    wf_table_add(table, WF_BOLD, "%s", wf_unit_short_percent(share).text);
}

static void add_figures(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s,
                        bool raw)
{
    for (int i = 0; i < FIGURES; i++)
        if (is_shown(&figures[i], o, raw))
            wf_table_add(table, WF_PLAIN, "%s", show(table->page, &figures[i], o, s).text);
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

static void add_one_line(struct wf_table *table, const struct wf_overview *o, const struct wf_statement *s,
                         bool raw)
{
    add_share(table, o, s);
    add_figures(table, o, s, raw);
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

static void print_two_lines(struct wf_page *page, const struct wf_overview *o, const struct layout *l,
                            size_t shown)
{
    struct wf_table labels, values;
    wf_table_init(&labels, page, l->label_line, l->label_count, 2);
    wf_table_init(&values, page, l->figure_line, l->figure_count, 2);
    for (size_t i = 0; i < shown; i++) {
        add_share(&labels, o, &o->statements.items[i]);
        add_label(&labels, o, &o->statements.items[i]);
        wf_table_add(&values, WF_PLAIN, "%s", "");
        add_figures(&values, o, &o->statements.items[i], l->raw);
    }
    values.widths[0] = labels.widths[0];
    wf_table_fit(&labels);
    wf_table_fit(&values);
    wf_table_spread(&values, 4);
    wf_table_print_headings(&labels);
    wf_table_print_headings(&values);
    int label_columns = wf_table_wants(&labels), value_columns = wf_table_wants(&values);
    wf_page_rule(page, 2, label_columns > value_columns ? label_columns : value_columns);
    for (size_t i = 0; i < shown; i++) {
        wf_table_print_row(&labels, i);
        wf_table_print_row(&values, i);
    }
    wf_table_free(&labels);
    wf_table_free(&values);
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

void wf_statement_list_print(struct wf_page *page, const struct wf_overview *o, size_t top, const char *order,
                             bool raw)
{
    size_t ranked = o->statements.ranked, shown = ranked < top ? ranked : top;
    struct wf_table table;
    struct layout layout;
    wf_page_heading(page, "Communication statements by %s: %s in MPI over %s rank%s", order,
                    wf_unit_time(page, o->statements.time_ns).text,
                    wf_unit_count((int64_t)o->ranks.count).text, o->ranks.count == 1 ? "" : "s");
    fputc('\n', page->out);
    if (ranked == 0) {
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "none: no MPI function was called between MPI_Init and MPI_Finalize");
        return;
    }
    lay_out(&layout, o, raw);
    wf_table_init(&table, page, layout.one_line, layout.one_count, 2);
    for (size_t i = 0; i < shown; i++)
        add_one_line(&table, o, &o->statements.items[i], raw);
    if (wf_table_wants(&table) > page->width)
        print_two_lines(page, o, &layout, shown);
    else
        print_one_line(&table);
    wf_table_free(&table);
    print_rest(page, o, shown);
}
