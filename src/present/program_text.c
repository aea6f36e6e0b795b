/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyse/memory.h"
#include "analyse/place.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

enum { BAR = 20, NAMED = 3 };
static const double worth_telling = 0.01; /* share of the run */
static const double good = 0.9;           /* an efficiency */

/* ---- what, when, where ---- */

/* "2026-08-17 14:03:22" in local time; the profile has it in UTC. */
static void program_text_print_started(FILE *to, const struct wf_program *program)
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

static void program_text_print_ranks(FILE *to, const struct wf_overview *o)
{
    const struct wf_rank_list *ranks = &o->ranks;
    int64_t watched = (int64_t)ranks->first_world, size = wf_program_integer(&o->program, "size");
    if (size > watched)
        fprintf(to, "%s of ", wf_quantity_count(watched).text);
    else
        size = watched;
    fprintf(to, "%s rank%s", wf_quantity_count(size).text, size == 1 ? "" : "s");
    if (ranks->hosts == 1)
        fprintf(to, " on %s", ranks->items[0].host);
    else if (ranks->hosts > 1)
        fprintf(to, " on %s hosts", wf_quantity_count((int64_t)ranks->hosts).text);
    if (ranks->count > ranks->first_world)
        fprintf(to, " and %s spawned", wf_quantity_count((int64_t)(ranks->count - ranks->first_world)).text);
}

static void program_text_print_origin(struct wf_page *page, const struct wf_overview *o)
{
    char *line = NULL;
    size_t bytes;
    FILE *to = open_memstream(&line, &bytes);
    if (!to)
        return;
    program_text_print_started(to, &o->program);
    fprintf(to, " %s ", page->glyphs->dot);
    program_text_print_ranks(to, o);
    const char *rest[] = {wf_program_text(&o->program, "mpi"), wf_profile_path(o->profile)};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        if (*rest[i])
            fprintf(to, " %s %s", page->glyphs->dot, rest[i]);
    fclose(to);
    wf_page_wrap(page, WF_DIM, "", "%s", line);
    free(line);
}

/* ---- facts, one a line ---- */

static void program_text_fact(struct wf_page *page, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static void program_text_fact(struct wf_page *page, const char *name, const char *format, ...)
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

static void program_text_print_traffic(struct wf_page *page, const struct wf_traffic *t)
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
            program_text_fact(page, kinds[i].name, "%s%s%s%s", wf_quantity_count(kinds[i].count).text, kinds[i].unit,
                              data ? " with " : "", data ? wf_quantity_bytes(kinds[i].bytes).text : "");
    }
}

static void program_text_print_share(struct wf_page *page, const char *name, double share, const char *meaning)
{
    program_text_fact(page, name, "%6s  %s  of the run%s", wf_quantity_percent(share).text,
                      wf_bar_draw(page, share, BAR, true).text, meaning);
}

static void program_text_print_no_core(struct wf_page *page, const struct wf_overview *o)
{
    char *cores = wf_cores_text(o), *meaning;
    double waiting = o->no_core_share - o->part_share[WF_PART_NO_CORE] - o->outside_share;
    if (asprintf(&meaning, "%s%s; %s in MPI, %s outside, %s while waiting", *cores ? ": " : "", cores,
                 wf_quantity_percent(o->part_share[WF_PART_NO_CORE]).text, wf_quantity_percent(o->outside_share).text,
                 wf_quantity_percent(waiting > 0 ? waiting : 0).text) < 0)
        meaning = wf_memory_text("");
    program_text_print_share(page, "no core", o->no_core_share, meaning);
    free(meaning);
    free(cores);
}

/* Names the statements with most of it. */
static void program_text_print_unexplained(struct wf_page *page, const struct wf_overview *o)
{
    char *meaning = NULL;
    size_t bytes;
    FILE *to = open_memstream(&meaning, &bytes);
    const struct wf_statement *s = NULL;
    for (int i = 0; i < NAMED && (s = wf_statement_list_most(&o->statements, WF_PART_UNEXPLAINED, s)); i++) {
        double share = wf_overview_share(o, s->idle.unexplained_ns);
        if (!to || (i > 0 && share < 0.01))
            break;
        char *place = wf_place_text(s);
        fprintf(to, "%s%s at %s", i ? ", " : "; most in ", s->name, place);
        if (share <= o->part_share[WF_PART_UNEXPLAINED]) /* else it is that of other threads or worlds, too */
            fprintf(to, " (%s)", wf_quantity_percent(share).text);
        free(place);
    }
    if (to)
        fclose(to);
    program_text_print_share(page, "unexplained", o->part_share[WF_PART_UNEXPLAINED], meaning ? meaning : "");
    free(meaning);
}

/* The parts of time in MPI that matter. */
static void program_text_print_parts(struct wf_page *page, const struct wf_overview *o)
{
    if (o->waits.count)
        program_text_print_share(page, "waiting", o->sync_share, ", for other ranks");
    if (o->parts_known && o->matters[WF_PART_TRANSFER])
        program_text_print_share(page, "transfer", o->part_share[WF_PART_TRANSFER], ", with MPI's own work");
    if (o->matters[WF_PART_POLLING])
        program_text_print_share(page, "polling", o->part_share[WF_PART_POLLING], ", asking in vain");
    if (o->no_core_costs)
        program_text_print_no_core(page, o);
    if (o->matters[WF_PART_UNEXPLAINED])
        program_text_print_unexplained(page, o);
}

/* Time of the run that is of no rank's own time. */
static void program_text_print_absent(struct wf_page *page, const struct wf_overview *o)
{
    if (o->absent_share >= worth_telling)
        program_text_print_share(page, "absent", o->absent_share,
                                 o->paused_ns ? ": ranks had not begun, had ended, or were paused"
                                              : ": ranks had not begun yet, or had ended");
}

static void program_text_print_facts(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_rank *busiest = wf_rank_list_largest(&o->ranks, offsetof(struct wf_rank, threads));
    char *cost = wf_cost_text(page, o);
    program_text_fact(page, "wall time", "%s", wf_quantity_time(page, wf_program_integer(&o->program, "wall_ns")).text);
    program_text_print_share(page, "in MPI", o->mpi_share, ", mean over the ranks");
    program_text_print_parts(page, o);
    program_text_print_absent(page, o);
    program_text_print_traffic(page, &o->statements.traffic);
    if (busiest && busiest->threads > 1)
        program_text_fact(page, "threads",
                          "up to %" PRId64 " of a rank call MPI; statements show sums over them, ranks the main thread",
                          busiest->threads);
    if (o->paused_ns)
        program_text_fact(page, "paused", "%s by MPI_Pcontrol, mean over the ranks; not counted",
                          wf_quantity_time(page, o->paused_ns).text);
    program_text_fact(page, "start, end", "%s in MPI_Init%s%s%s; not in the wall time",
                      wf_quantity_time(page, o->init_ns).text, o->finalize_ns ? ", " : "",
                      o->finalize_ns ? wf_quantity_time(page, o->finalize_ns).text : "",
                      o->finalize_ns ? " in MPI_Finalize" : "");
    if (wf_program_integer(&o->program, "clock_error_ns"))
        program_text_fact(page, "clocks", "the clocks of the hosts were compared and agree within %s",
                          wf_quantity_time(page, wf_program_integer(&o->program, "clock_error_ns")).text);
    program_text_fact(page, "watching", "%s", cost);
    free(cost);
}

/* ---- efficiency ---- */

static const struct factor_label {
    const char *name, *label;
    const char *needs; /* what the factor needs to be known */
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
} verdicts[] = {{good, "good", WF_GOOD}, {0.8, "fair", WF_PLAIN}, {0.6, "poor", WF_WARN}, {-INFINITY, "bad", WF_BAD}};

/* Names the rank behind a load imbalance. */
static void program_text_print_hint(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_rank *most = wf_rank_list_largest(&o->ranks, offsetof(struct wf_rank, useful_ns));
    const struct wf_factor *balance = wf_efficiency_find(&o->efficiency, "load_balance");
    /* A rank that works 1.02 times the mean is not worth a line. */
    if (most && balance && !o->cores_short && balance->value > 0 && balance->value < 0.95)
        wf_page_wrap(page, WF_PLAIN, "  ", "rank %" PRId64 " works longest: %s, %.2f %s the mean", most->rank,
                     wf_quantity_time(page, most->useful_ns).text, 1 / balance->value, page->glyphs->times);
}

static void program_text_add_factor(struct wf_text_table *table, const struct factor_label *label,
                                    const struct wf_factor *factor)
{
    size_t v = 0;
    while (factor->value < verdicts[v].from)
        v++;
    wf_text_table_add(table, WF_PLAIN, "%s", label->label);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_percent(factor->value).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_bar_draw(table->page, factor->value, BAR, true).text);
    wf_text_table_add(table, verdicts[v].style, "%s", verdicts[v].word);
}

/* "not known: x, y (needs z)", one line for each reason. */
static void program_text_print_unknown(struct wf_page *page, const struct wf_overview *o, const bool *unknown)
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
            length += snprintf(names + length, sizeof names - (size_t)length, "%s%s", count++ ? ", " : "", label);
        }
        const char *reason = wf_efficiency_reason(&o->efficiency, labels[i].name);
        if (*reason)
            wf_page_wrap(page, WF_PLAIN, "  ", "not known: %s, because %s", names, reason);
        else
            wf_page_wrap(page, WF_DIM, "  ", "not known: %s (need%s %s)", names, count == 1 ? "s" : "",
                         labels[i].needs);
    }
}

/* Idle time is no transfer: it is on the ideal network, too. */
static void program_text_print_idle(struct wf_page *page, const struct wf_overview *o)
{
    double idle = o->part_share[WF_PART_POLLING] + o->part_share[WF_PART_NO_CORE] + o->part_share[WF_PART_UNEXPLAINED];
    const struct wf_factor *serial = wf_efficiency_find(&o->efficiency, "serialisation_efficiency");
    if (idle >= worth_telling && serial && serial->value < good)
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "serialisation efficiency also has what is polling, no core or unexplained: %s of the run",
                     wf_quantity_percent(idle).text);
}

static void program_text_print_efficiency(struct wf_page *page, const struct wf_overview *o)
{
    static const struct wf_column columns[] = {
        {"", false, WF_CUT_NEVER}, {"", true, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER}};
    struct wf_text_table table;
    bool unknown[LABELS] = {false};
    wf_page_heading(page, "Efficiency");
    wf_text_table_init(&table, page, columns, sizeof columns / sizeof *columns, 2);
    for (size_t i = 0; i < LABELS; i++) {
        const struct wf_factor *factor = wf_efficiency_find(&o->efficiency, labels[i].name);
        unknown[i] = !factor;
        if (factor)
            program_text_add_factor(&table, &labels[i], factor);
    }
    wf_text_table_print(&table);
    wf_text_table_free(&table);
    program_text_print_hint(page, o);
    program_text_print_idle(page, o);
    program_text_print_unknown(page, o, unknown);
}

void wf_program_print_head(struct wf_page *page, const struct wf_overview *overview)
{
    const char *command = wf_program_text(&overview->program, "command");
    wf_page_wrap(page, WF_BOLD, "", "%s", *command ? command : wf_profile_path(overview->profile));
    program_text_print_origin(page, overview);
    wf_ending_print(page, overview);
}

void wf_program_print(struct wf_page *page, const struct wf_overview *overview)
{
    struct wf_headline headline = wf_headline_find(overview);
    char *sentence = wf_headline_text(overview, &headline);
    fputc('\n', page->out);
    wf_page_wrap(page, WF_BOLD, "  in short     ", "%s", sentence);
    free(sentence);
    program_text_print_facts(page, overview);
    program_text_print_efficiency(page, overview);
}
