/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/summary.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/overview.h"
#include "analyse/place.h"
#include "present/page.h"
#include "present/report_text.h"
#include "present/table.h"
#include "present/text.h"
#include "present/unit.h"

enum { STATEMENTS = 3 };
static const double worth_telling = 0.01; /* share of the time */
static const char prefix[] = "weft: ";

/* At most that many lines; what does not fit is cut. */
static void print_lines(struct wf_page *page, int lines, const char *text)
{
    char *clean = wf_text_clean(wf_memory_text(text));
    /* Where lines break between words, each may lose the room of a word. */
    int columns = lines * (page->width - (int)sizeof prefix + 1) - (lines - 1) * 16;
    char *cut = wf_text_cut(clean, columns, page->glyphs->ellipsis);
    wf_page_wrap(page, WF_PLAIN, prefix, "%s", cut);
    free(cut);
    free(clean);
}

static void print_program(struct wf_page *page, const struct wf_overview *o)
{
    const char *dot = page->glyphs->dot;
    const struct wf_factor *efficiency = wf_efficiency_find(&o->efficiency, "parallel_efficiency");
    char line[320], factor[96] = "";
    if (efficiency)
        snprintf(factor, sizeof factor, " %s parallel efficiency %s", dot,
                 wf_unit_percent(efficiency->value).text);
    snprintf(line, sizeof line, "%s wall %s %s rank%s %s %s of it in MPI%s",
             wf_unit_time(page, wf_program_integer(&o->program, "wall_ns")).text, dot,
             wf_unit_count((int64_t)o->ranks.count).text, o->ranks.count == 1 ? "" : "s", dot,
             wf_unit_percent(o->mpi_share).text, factor);
    print_lines(page, 1, line);
}

static void print_cost(struct wf_page *page, const struct wf_overview *o)
{
    char *cost = wf_cost_text(page, o), line[512];
    snprintf(line, sizeof line, "watching %s", cost);
    print_lines(page, 2, line);
    free(cost);
}

/* The one thing to look at first, if ranks wait for each other at all. */
static void print_wait(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_wait *wait = o->waits.items;
    char line[1200];
    if (o->waits.count == 0 || wait->culprit_count == 0 || o->sync_share < worth_telling)
        return;
    const struct wf_statement *s = wf_statement_list_by_id(&o->statements, wait->site);
    char *place = wf_place_text(s), *text = wf_culprit_text(o, wait, wait->culprits);
    snprintf(line, sizeof line, "waiting for other ranks: %s of the run, most at %s: %s", wf_unit_percent(o->sync_share).text, place,
             text);
    print_lines(page, 2, line);
    free(place);
    free(text);
}

static void print_statements(struct wf_page *page, const struct wf_overview *o)
{
    static const struct wf_column columns[] = {{"weft:", false, WF_CUT_NEVER}, {"of MPI", true, WF_CUT_NEVER},
                                               {"time", true, WF_CUT_NEVER},   {"call", false, WF_CUT_NEVER},
                                               {"place", false, WF_CUT_PATH},  {"procedure", false, WF_CUT_NAME}};
    struct wf_table table;
    wf_table_init(&table, page, columns, sizeof columns / sizeof *columns, 0);
    for (size_t i = 0; i < o->statements.ranked && i < STATEMENTS; i++) {
        const struct wf_statement *s = &o->statements.items[i];
        char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
        wf_table_add(&table, WF_PLAIN, "weft:");
        wf_table_add(&table, WF_PLAIN, "%s",
                     wf_unit_short_percent(
                         o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0)
                         .text);
        wf_table_add(&table, WF_PLAIN, "%s", wf_unit_time(page, s->time_ns).text);
        wf_table_add(&table, WF_PLAIN, "%s", s->name);
        wf_table_add(&table, WF_PLAIN, "%s", place);
        wf_table_add(&table, WF_PLAIN, "%s", procedure);
        free(place);
        free(procedure);
    }
    if (wf_table_rows(&table))
        wf_table_print(&table);
    wf_table_free(&table);
}

static void print_notes(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_program *program = &o->program;
    char line[1200];
    size_t unwell = 0;
    for (size_t i = 0; i < o->ranks.count; i++)
        unwell += !wf_rank_ended_well(&o->ranks.items[i]);
    if (unwell) {
        snprintf(line, sizeof line, "incomplete: %s of %s rank%s did not finish",
                 wf_unit_count((int64_t)unwell).text, wf_unit_count((int64_t)o->ranks.count).text,
                 o->ranks.count == 1 ? "" : "s");
        print_lines(page, 1, line);
    }
    if (program->note_count == 0)
        return;
    if (program->note_count > 1)
        snprintf(line, sizeof line, "%zu notes, the first: %s", program->note_count, program->notes[0]);
    else
        snprintf(line, sizeof line, "note: %s", program->notes[0]);
    print_lines(page, 2, line);
}

void wf_summary_print(FILE *out, struct wf_profile *profile)
{
    struct wf_page page;
    struct wf_overview overview;
    struct wf_error error;
    wf_page_init(&page, out, 0);
    if (wf_overview_read(&overview, profile, &error)) {
        wf_page_wrap(&page, WF_PLAIN, prefix, "%s", error.text);
        return;
    }
    print_program(&page, &overview);
    print_cost(&page, &overview);
    print_statements(&page, &overview);
    print_wait(&page, &overview);
    print_notes(&page, &overview);
    if (overview.path.length_ns)
        wf_critical_path_print_top(&page, &overview, "weft:");
    wf_page_print(&page, WF_PLAIN, "%sfor more: weft report %s", prefix, wf_profile_path(profile));
    fputc('\n', out);
    wf_overview_free(&overview);
}
