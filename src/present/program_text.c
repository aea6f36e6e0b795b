/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/memory.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/table.h"
#include "present/text.h"
#include "present/unit.h"

enum { BAR = 20 };

/* ---- what, when, where ---- */

/* "2026-08-17 14:03:22" in local time; the profile has it in UTC. */
static void print_started(FILE *to, const struct wf_program *program)
{
    const char *started = wf_program_text(program, "started");
    struct tm utc = {0}, local;
    char text[32];
    const char *end = strptime(started, "%Y-%m-%dT%H:%M:%SZ", &utc);
    time_t seconds = timegm(&utc);
    if (end && !*end && localtime_r(&seconds, &local) && strftime(text, sizeof text, "%F %T", &local))
        started = text;
    fputs(started, to);
}

static void print_ranks(FILE *to, const struct wf_overview *o)
{
    const struct wf_rank_list *ranks = &o->ranks;
    int64_t watched = (int64_t)ranks->first_world, size = wf_program_integer(&o->program, "size");
    if (size > watched)
        fprintf(to, "%s of ", wf_unit_count(watched).text);
    else
        size = watched;
    fprintf(to, "%s rank%s", wf_unit_count(size).text, size == 1 ? "" : "s");
    if (ranks->hosts == 1)
        fprintf(to, " on %s", ranks->items[0].host);
    else if (ranks->hosts > 1)
        fprintf(to, " on %s hosts", wf_unit_count((int64_t)ranks->hosts).text);
    if (ranks->count > ranks->first_world)
        fprintf(to, " and %s spawned", wf_unit_count((int64_t)(ranks->count - ranks->first_world)).text);
}

static void print_origin(struct wf_page *page, const struct wf_overview *o)
{
    char *line = NULL;
    size_t bytes;
    FILE *to = open_memstream(&line, &bytes);
    if (!to)
        return;
    print_started(to, &o->program);
    fprintf(to, " %s ", page->glyphs->dot);
    print_ranks(to, o);
    const char *rest[] = {wf_program_text(&o->program, "mpi"), wf_profile_path(o->profile)};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (*rest[i])
            fprintf(to, " %s %s", page->glyphs->dot, rest[i]);
    fclose(to);
    wf_page_wrap(page, WF_DIM, "", "%s", line);
    free(line);
}

/* ---- facts, one a line ---- */

static void fact(struct wf_page *page, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void fact(struct wf_page *page, const char *name, const char *format, ...)
{
    char first[32], *text;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = wf_memory_text("");
    va_end(arguments);
    snprintf(first, sizeof first, "  %-13s", name);
    wf_page_wrap(page, WF_PLAIN, first, "%s", text);
    free(text);
}

static void print_traffic(struct wf_page *page, const struct wf_traffic *t)
{
    const struct {
        const char *name, *unit;
        int64_t count, bytes;
    } kinds[] = {
        {"messages", "", t->messages, t->message_bytes},
        {"one-sided", " transfers", t->one_sided, t->one_sided_bytes},
        {"collectives", " calls", t->collective_calls, t->collective_bytes},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        bool data = kinds[i].bytes > 0;
        if (kinds[i].count || data)
            fact(page, kinds[i].name, "%s%s%s%s", wf_unit_count(kinds[i].count).text, kinds[i].unit,
                 data ? " with " : "", data ? wf_unit_bytes(kinds[i].bytes).text : "");
    }
}

static void print_facts(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_rank *busiest = wf_rank_list_largest(&o->ranks, offsetof(struct wf_rank, threads));
    char *cost = wf_cost_text(page, o);
    fact(page, "wall time", "%s", wf_unit_time(page, wf_program_integer(&o->program, "wall_ns")).text);
    fact(page, "in MPI", "%s  %s  of the run, mean over the ranks", wf_unit_percent(o->mpi_share).text,
         wf_bar_draw(page, o->mpi_share, BAR, true).text);
    if (o->waits.count)
        fact(page, "waiting", "%s  %s  of the run, for other ranks", wf_unit_percent(o->sync_share).text,
             wf_bar_draw(page, o->sync_share, BAR, true).text);
    print_traffic(page, &o->statements.traffic);
    if (busiest && busiest->threads > 1)
        fact(page, "threads", "up to %" PRId64 " on a rank are in MPI; statements sum over them",
             busiest->threads);
    if (o->paused_ns)
        fact(page, "paused", "%s by MPI_Pcontrol, mean over the ranks; counted nowhere",
             wf_unit_time(page, o->paused_ns).text);
    fact(page, "start, end", "%s in MPI_Init%s%s%s; not in the wall time",
         wf_unit_time(page, o->init_ns).text, o->finalize_ns ? ", " : "",
         o->finalize_ns ? wf_unit_time(page, o->finalize_ns).text : "",
         o->finalize_ns ? " in MPI_Finalize" : "");
    if (wf_program_integer(&o->program, "clock_error_ns"))
        fact(page, "clocks", "of the hosts were compared: they agree within %s",
             wf_unit_time(page, wf_program_integer(&o->program, "clock_error_ns")).text);
    fact(page, "watching", "%s", cost);
    free(cost);
}

/* ---- efficiency ---- */

static const struct factor_label {
    const char *name, *label;
    const char *needs; /* why it may be unknown */
} labels[] = {
    {"parallel_efficiency", "parallel efficiency", "a finished run"},
    {"load_balance", "  load balance", "a finished run"},
    {"communication_efficiency", "  communication efficiency", "a finished run"},
    {"serialisation_efficiency", "    serialisation efficiency", "virtual time"},
    {"transfer_efficiency", "    transfer efficiency", "virtual time"},
};
enum { LABELS = sizeof labels / sizeof *labels };

static const struct {
    double from;
    const char *word;
    enum wf_style style;
} verdicts[] = {
    {0.9, "good", WF_GOOD}, {0.8, "fair", WF_PLAIN}, {0.6, "poor", WF_WARN}, {-INFINITY, "bad", WF_BAD}};

/* Who is behind a bad balance. */
static void print_hint(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_rank *most = wf_rank_list_largest(&o->ranks, offsetof(struct wf_rank, useful_ns));
    const struct wf_factor *balance = wf_efficiency_find(&o->efficiency, "load_balance");
    /* A rank that works 1.02 times the mean is no finding. */
    if (most && balance && balance->value > 0 && balance->value < 0.95)
        wf_page_wrap(page, WF_PLAIN, "  ", "rank %" PRId64 " works longest: %s, %.2f %s the mean", most->rank,
                     wf_unit_time(page, most->useful_ns).text, 1 / balance->value, page->glyphs->times);
}

static void add_factor(struct wf_table *table, const struct factor_label *label,
                       const struct wf_factor *factor)
{
    size_t v = 0;
    while (factor->value < verdicts[v].from)
        v++;
    wf_table_add(table, WF_PLAIN, "%s", label->label);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_percent(factor->value).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_bar_draw(table->page, factor->value, BAR, true).text);
    wf_table_add(table, verdicts[v].style, "%s", verdicts[v].word);
}

/* "not known: x, y (needs z)", one line for each reason. */
static void print_unknown(struct wf_page *page, const bool *unknown)
{
    bool told[LABELS] = {false};
    for (size_t i = 0; i < LABELS; i++) {
        char names[256] = "";
        int length = 0, count = 0;
        if (!unknown[i] || told[i])
            continue;
        for (size_t j = i; j < LABELS; j++) {
            if (!unknown[j] || strcmp(labels[j].needs, labels[i].needs) != 0)
                continue;
            told[j] = true;
            const char *label = labels[j].label + strspn(labels[j].label, " ");
            length +=
                snprintf(names + length, sizeof names - (size_t)length, "%s%s", count++ ? ", " : "", label);
        }
        wf_page_wrap(page, WF_DIM, "  ", "not known: %s (need%s %s)", names, count == 1 ? "s" : "",
                     labels[i].needs);
    }
}

static void print_efficiency(struct wf_page *page, const struct wf_overview *o)
{
    static const struct wf_column columns[] = {{"", false, WF_CUT_NEVER},
                                               {"", true, WF_CUT_NEVER},
                                               {"", false, WF_CUT_NEVER},
                                               {"", false, WF_CUT_NEVER}};
    struct wf_table table;
    bool unknown[LABELS] = {false};
    wf_page_heading(page, "Efficiency");
    wf_table_init(&table, page, columns, sizeof columns / sizeof *columns, 2);
    for (size_t i = 0; i < LABELS; i++) {
        const struct wf_factor *factor = wf_efficiency_find(&o->efficiency, labels[i].name);
        unknown[i] = !factor;
        if (factor)
            add_factor(&table, &labels[i], factor);
    }
    wf_table_print(&table);
    wf_table_free(&table);
    print_hint(page, o);
    print_unknown(page, unknown);
}

void wf_program_print_head(struct wf_page *page, const struct wf_overview *overview)
{
    const char *command = wf_program_text(&overview->program, "command");
    wf_page_wrap(page, WF_BOLD, "", "%s", *command ? command : wf_profile_path(overview->profile));
    print_origin(page, overview);
    wf_ending_print(page, overview);
}

void wf_program_print(struct wf_page *page, const struct wf_overview *overview)
{
    fputc('\n', page->out);
    print_facts(page, overview);
    print_efficiency(page, overview);
}
