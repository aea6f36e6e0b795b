/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/summary.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/overview.h"
#include "analyse/place.h"
#include "present/page.h"
#include "present/report_text.h"
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

enum { STATEMENTS = 3, HEADLINE = 3 };    /* lines; a longer headline takes the place of statements */
static const double worth_telling = 0.01; /* share of the run */
static const char prefix[] = "weft: ";

/* Prints at most `lines` lines; the rest of the text is cut. */
static void summary_print_lines(struct wf_page *page, int lines, const char *text)
{
    char *clean = wf_text_clean(wf_memory_text(text));
    /* Each line break between words may lose the room of a word. */
    int columns = lines * (page->width - (int)sizeof prefix + 1) - (lines - 1) * 16;
    char *cut = wf_text_cut(clean, columns, page->glyphs->ellipsis);
    wf_page_wrap(page, WF_PLAIN, prefix, "%s", cut);
    free(cut);
    free(clean);
}

/* It is never cut. Returns its lines. */
static int summary_print_headline(struct wf_page *page, const struct wf_overview *o, const struct wf_headline *headline)
{
    char *sentence = wf_text_clean(wf_headline_text(o, headline));
    int lines = wf_page_lines(page, (int)sizeof prefix - 1, sentence);
    wf_page_wrap(page, WF_PLAIN, prefix, "%s", sentence);
    free(sentence);
    return lines;
}

/* Only if time in MPI is more than waiting and transfer. */
static void summary_print_parts(struct wf_page *page, const struct wf_overview *o)
{
    char *parts = wf_parts_of_run_text(o), line[320];
    snprintf(line, sizeof line, "time in MPI: %s of the run", parts);
    if (*parts && (o->matters[WF_PART_POLLING] || o->no_core_costs || o->matters[WF_PART_UNEXPLAINED]))
        summary_print_lines(page, 2, line);
    free(parts);
}

static void summary_print_program(struct wf_page *page, const struct wf_overview *o)
{
    const char *dot = page->glyphs->dot;
    const struct wf_factor *efficiency = wf_efficiency_find(&o->efficiency, "parallel_efficiency");
    char line[320], factor[96] = "";
    if (efficiency)
        snprintf(factor, sizeof factor, " %s parallel efficiency %s", dot, wf_quantity_percent(efficiency->value).text);
    snprintf(line, sizeof line, "%s on %s rank%s %s %s of the run in MPI%s",
             wf_quantity_time(page, wf_program_integer(&o->program, "wall_ns")).text,
             wf_quantity_count((int64_t)o->ranks.count).text, o->ranks.count == 1 ? "" : "s", dot,
             wf_quantity_percent(o->mpi_share).text, factor);
    summary_print_lines(page, 2, line);
}

static void summary_print_cost(struct wf_page *page, const struct wf_overview *o)
{
    char *cost = wf_cost_text(page, o), line[512];
    snprintf(line, sizeof line, "watching %s", cost);
    summary_print_lines(page, 3, line);
    free(cost);
}

/* What the waiting was for, if it is a relevant share of the run. */
static void summary_print_wait(struct wf_page *page, const struct wf_overview *o)
{
    char line[1200];
    if (o->waits.count == 0 || o->sync_share < worth_telling)
        return;
    char *cause = wf_cause_text(o);
    snprintf(line, sizeof line, "waiting for other ranks: %s of the run%s%s", wf_quantity_percent(o->sync_share).text,
             *cause ? "; " : "", cause);
    summary_print_lines(page, 2, line);
    free(cause);
}

/* Only if monitoring or order control has changed much. */
static void summary_print_order(struct wf_page *page, const struct wf_overview *o)
{
    char *text = wf_order_text(page, o);
    if (*text)
        summary_print_lines(page, 3, text);
    free(text);
}

static void summary_print_statements(struct wf_page *page, const struct wf_overview *o, size_t most)
{
    static const struct wf_column columns[] = {{"weft:", false, WF_CUT_NEVER}, {"of MPI", true, WF_CUT_NEVER},
                                               {"time", true, WF_CUT_NEVER},   {"call", false, WF_CUT_NEVER},
                                               {"place", false, WF_CUT_PATH},  {"procedure", false, WF_CUT_NAME}};
    struct wf_text_table table;
    wf_text_table_init(&table, page, columns, sizeof columns / sizeof *columns, 0);
    for (size_t i = 0; i < o->statements.ranked && i < most; i++) {
        const struct wf_statement *s = &o->statements.items[i];
        char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
        wf_text_table_add(&table, WF_PLAIN, "weft:");
        wf_text_table_add(
            &table, WF_PLAIN, "%s",
            wf_quantity_short_percent(o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0)
                .text);
        wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, s->time_ns).text);
        wf_text_table_add(&table, WF_PLAIN, "%s", s->name);
        wf_text_table_add(&table, WF_PLAIN, "%s", place);
        wf_text_table_add(&table, WF_PLAIN, "%s", procedure);
        free(place);
        free(procedure);
    }
    if (wf_text_table_rows(&table))
        wf_text_table_print(&table);
    wf_text_table_free(&table);
}

static void summary_print_notes(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_program *program = &o->program;
    char line[1200];
    if (program->note_count == 0)
        return;
    if (program->note_count > 1)
        snprintf(line, sizeof line, "%zu notes, the first: %s", program->note_count, program->notes[0]);
    else
        snprintf(line, sizeof line, "note: %s", program->notes[0]);
    summary_print_lines(page, 2, line);
}

void wf_summary_print(FILE *out, struct wf_profile *profile)
{
    struct wf_page page;
    struct wf_overview overview;
    struct wf_headline headline;
    struct wf_error error;
    wf_page_init(&page, out, 0);
    if (wf_overview_read(&overview, profile, &error)) {
        wf_page_wrap(&page, WF_PLAIN, prefix, "%s", error.text);
        return;
    }
    headline = wf_headline_find(&overview);
    int more = summary_print_headline(&page, &overview, &headline) - HEADLINE;
    summary_print_program(&page, &overview);
    summary_print_parts(&page, &overview);
    if (headline.cause != WF_CAUSE_NO_CORE)
        wf_no_core_print(&page, &overview, prefix, false);
    summary_print_cost(&page, &overview);
    summary_print_statements(&page, &overview,
                             more > STATEMENTS - 1 ? 1 : (size_t)(STATEMENTS - (more > 0 ? more : 0)));
    summary_print_wait(&page, &overview);
    summary_print_order(&page, &overview);
    summary_print_notes(&page, &overview);
    if (overview.path.length_ns && !wf_savings_are_withheld(&page, &overview, prefix))
        wf_critical_path_print_top(&page, &overview, "weft:");
    wf_page_print(&page, WF_PLAIN, "%sfor more: weft report %s", prefix, wf_profile_path(profile));
    fputc('\n', out);
    wf_overview_free(&overview);
}
