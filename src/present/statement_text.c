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
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

enum { SKETCH = 16 };
static const double of_run = 0.01, of_time = 0.05; /* parts of a statement's time worth a line */

/* ---- figures ---- */

/* There are two tables: the cost of the statements, and what compensation did to their times. Columns about waiting
 * are present if the profile has any. */
enum { ALWAYS, COSTS = 1, COMPENSATION = 2, WAITING = 4 };
enum statement_format { TIME, DIFFERENCE, COUNT, BYTES, WORST };

#define PLACE(field) offsetof(struct wf_statement, field)
static const struct statement_figure {
    const char *heading;
    int only_in; /* COSTS or COMPENSATION; WAITING */
    enum statement_format format;
    size_t place, raw_place;
} figures[] = {
    {"time", ALWAYS, TIME, PLACE(time_ns), 0},
    {"raw", COMPENSATION, TIME, PLACE(time_raw_ns), 0},
    {"subtracted", COMPENSATION, DIFFERENCE, PLACE(time_ns), PLACE(time_raw_ns)},
    {"waiting", WAITING, TIME, PLACE(sync_delay_ns), 0},
    {"raw", COMPENSATION | WAITING, TIME, PLACE(sync_delay_raw_ns), 0},
    {"subtracted", COMPENSATION | WAITING, DIFFERENCE, PLACE(sync_delay_ns), PLACE(sync_delay_raw_ns)},
    {"min", COSTS, TIME, PLACE(min_ns), 0},
    {"mean", COSTS, TIME, PLACE(mean_ns), 0},
    {"max", COSTS, TIME, PLACE(max_ns), 0},
    {"worst", COSTS, WORST, 0, 0},
    {"calls", ALWAYS, COUNT, PLACE(calls), 0},
    {"bytes", COSTS, BYTES, PLACE(bytes), 0},
};
enum { FIGURES = sizeof figures / sizeof *figures };

static int64_t statement_text_value(const struct wf_statement *s, size_t place)
{
    return *(const int64_t *)((const char *)s + place);
}

static struct wf_quantity statement_text_format_figure(const struct wf_page *page,
                                                       const struct statement_figure *figure,
                                                       const struct wf_overview *o, const struct wf_statement *s)
{
    switch (figure->format) {
    case DIFFERENCE:
        return wf_quantity_difference(page, statement_text_value(s, figure->raw_place),
                                      statement_text_value(s, figure->place));
    case COUNT:
        return wf_quantity_short_count(statement_text_value(s, figure->place));
    case BYTES:
        return wf_quantity_bytes(statement_text_value(s, figure->place));
    case WORST:
        return wf_quantity_count(s->ranks ? o->ranks.items[s->worst].rank : 0);
    default:
        return wf_quantity_time(page, statement_text_value(s, figure->place));
    }
}

static bool statement_text_is_shown(const struct statement_figure *figure, const struct wf_overview *o, bool raw)
{
    bool in_table = !(figure->only_in & (COSTS | COMPENSATION)) || figure->only_in & (raw ? COMPENSATION : COSTS);
    return in_table && (!(figure->only_in & WAITING) || o->waits.count || o->statements.sync_delay_ns);
}

/* ---- the layout ---- */

static const struct wf_column share_column = {"share", true, WF_CUT_NEVER}, no_share_column = {"", true, WF_CUT_NEVER};
static const struct wf_column label[] = {{"call", false, WF_CUT_NEVER},
                                         {"place", false, WF_CUT_PATH},
                                         {"procedure", false, WF_CUT_NAME},
                                         {"over ranks", false, WF_CUT_NEVER}};
enum { LABEL = sizeof label / sizeof *label };

/* A statement is shown as figures and a label: on one line if all statements fit the page uncut, else on two lines. */
struct statement_layout {
    struct wf_column one_line[WF_TABLE_COLUMNS], label_line[WF_TABLE_COLUMNS], figure_line[WF_TABLE_COLUMNS];
    int one_count, label_count, figure_count;
    bool raw;
};

static void statement_text_lay_out(struct statement_layout *l, const struct wf_overview *o, bool raw)
{
    *l = (struct statement_layout){.raw = raw};
    l->one_line[l->one_count++] = l->label_line[l->label_count++] = share_column;
    l->figure_line[l->figure_count++] = no_share_column;
    for (int i = 0; i < FIGURES; i++)
        if (statement_text_is_shown(&figures[i], o, raw))
            l->one_line[l->one_count++] = l->figure_line[l->figure_count++] =
                (struct wf_column){figures[i].heading, true, WF_CUT_NEVER};
    for (int i = 0; i < LABEL; i++)
        l->one_line[l->one_count++] = l->label_line[l->label_count++] = label[i];
}

static void statement_text_add_share(struct wf_text_table *table, const struct wf_overview *o,
                                     const struct wf_statement *s)
{
    double share = o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0;
    wf_text_table_add(table, WF_BOLD, "%s", wf_quantity_short_percent(share).text);
}

static void statement_text_add_figures(struct wf_text_table *table, const struct wf_overview *o,
                                       const struct wf_statement *s, bool raw)
{
    for (int i = 0; i < FIGURES; i++)
        if (statement_text_is_shown(&figures[i], o, raw))
            wf_text_table_add(table, WF_PLAIN, "%s", statement_text_format_figure(table->page, &figures[i], o, s).text);
}

static void statement_text_add_label(struct wf_text_table *table, const struct wf_overview *o,
                                     const struct wf_statement *s)
{
    size_t count = o->ranks.count;
    int64_t *times = wf_memory_array(count, sizeof *times);
    char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    for (size_t i = 0; i < count; i++)
        times[i] = s->by_rank[i].time_ns;
    wf_text_table_add(table, WF_BOLD, "%s", s->name);
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    wf_text_table_add(table, WF_PLAIN, "%s", procedure);
    wf_text_table_add(table, WF_PLAIN, "%s", count > 1 ? wf_bar_sketch(table->page, times, count, SKETCH).text : "");
    free(times);
    free(place);
    free(procedure);
}

static void statement_text_add_one_line(struct wf_text_table *table, const struct wf_overview *o,
                                        const struct wf_statement *s, bool raw)
{
    statement_text_add_share(table, o, s);
    statement_text_add_figures(table, o, s, raw);
    statement_text_add_label(table, o, s);
}

/* A line below a statement whose time is more than waiting and transfer. */
static void statement_text_print_idle(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s)
{
    struct wf_parts parts = wf_statement_parts(s);
    bool matters = false;
    for (int part = WF_PART_POLLING; part < WF_PARTS; part++) {
        matters |= parts.ns[part] && (wf_overview_share(o, parts.ns[part]) >= of_run ||
                                      ((double)parts.ns[part] >= of_time * (double)s->time_ns &&
                                       wf_overview_share(o, parts.ns[part]) >= of_run / 5));
    }
    for (int part = 0; part < WF_PARTS; part++)
        if ((double)parts.ns[part] < of_time / 10 * (double)s->time_ns)
            parts.ns[part] = 0;
    char *text = wf_parts_text(page, &parts);
    if (matters)
        wf_page_wrap(page, WF_PLAIN, "            ", "%s", text);
    free(text);
}

static void statement_text_print_one_line(struct wf_text_table *table, const struct wf_overview *o, bool raw)
{
    wf_text_table_spread(table, 3);
    wf_text_table_print_headings(table);
    wf_page_rule(table->page, table->indent, wf_text_table_wants(table));
    for (size_t i = 0; i < wf_text_table_rows(table); i++) {
        wf_text_table_print_row(table, i);
        if (!raw)
            statement_text_print_idle(table->page, o, &o->statements.items[i]);
    }
}

static void statement_text_print_two_lines(struct wf_page *page, const struct wf_overview *o,
                                           const struct statement_layout *l, size_t shown)
{
    struct wf_text_table labels, values;
    wf_text_table_init(&labels, page, l->label_line, l->label_count, 2);
    wf_text_table_init(&values, page, l->figure_line, l->figure_count, 2);
    for (size_t i = 0; i < shown; i++) {
        statement_text_add_share(&labels, o, &o->statements.items[i]);
        statement_text_add_label(&labels, o, &o->statements.items[i]);
        wf_text_table_add(&values, WF_PLAIN, "%s", "");
        statement_text_add_figures(&values, o, &o->statements.items[i], l->raw);
    }
    values.widths[0] = labels.widths[0];
    wf_text_table_fit(&labels);
    wf_text_table_fit(&values);
    wf_text_table_spread(&values, 4);
    wf_text_table_print_headings(&labels);
    wf_text_table_print_headings(&values);
    int label_columns = wf_text_table_wants(&labels), value_columns = wf_text_table_wants(&values);
    wf_page_rule(page, 2, label_columns > value_columns ? label_columns : value_columns);
    for (size_t i = 0; i < shown; i++) {
        wf_text_table_print_row(&labels, i);
        wf_text_table_print_row(&values, i);
        if (!l->raw)
            statement_text_print_idle(page, o, &o->statements.items[i]);
    }
    wf_text_table_free(&labels);
    wf_text_table_free(&values);
}

static void statement_text_print_rest(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    const struct wf_statement_list *list = &o->statements;
    size_t rest = list->ranked - shown;
    int64_t rest_ns = 0;
    for (size_t i = shown; i < list->ranked; i++)
        wf_sum_add(&rest_ns, list->items[i].time_ns);
    if (rest == 0)
        return;
    double share = list->time_ns ? (double)rest_ns / (double)list->time_ns : 0;
    wf_page_wrap(page, WF_DIM, "  ", "%s and %s more statement%s with %s of MPI time (--all)", page->glyphs->ellipsis,
                 wf_quantity_count((int64_t)rest).text, rest == 1 ? "" : "s", wf_quantity_percent(share).text);
}

void wf_statement_list_print(struct wf_page *page, const struct wf_overview *o, size_t top, const char *order, bool raw)
{
    size_t ranked = o->statements.ranked, shown = ranked < top ? ranked : top;
    struct wf_text_table table;
    struct statement_layout layout;
    wf_page_heading(page, "Communication statements by %s: %s in MPI over %s rank%s", order,
                    wf_quantity_time(page, o->statements.time_ns).text, wf_quantity_count((int64_t)o->ranks.count).text,
                    o->ranks.count == 1 ? "" : "s");
    fputc('\n', page->out);
    if (ranked == 0) {
        wf_page_wrap(page, WF_PLAIN, "  ", "none: no MPI function was called between MPI_Init and MPI_Finalize");
        return;
    }
    statement_text_lay_out(&layout, o, raw);
    wf_text_table_init(&table, page, layout.one_line, layout.one_count, 2);
    for (size_t i = 0; i < shown; i++)
        statement_text_add_one_line(&table, o, &o->statements.items[i], raw);
    if (wf_text_table_wants(&table) > page->width)
        statement_text_print_two_lines(page, o, &layout, shown);
    else
        statement_text_print_one_line(&table, o, raw);
    wf_text_table_free(&table);
    statement_text_print_rest(page, o, shown);
}
