/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/place.h"
#include "analyse/sum.h"
#include "format/segment.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

enum { CULPRITS = 3, CAUSES = 5, BROADEST = 24 };
static const double worth_telling = 0.01; /* share of a culprit's waiting */

static double wait_text_share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* ---- who was late ---- */

static void wait_text_write_rank(FILE *to, int64_t rank)
{
    if (rank == WF_PARTNER_OUTSIDE)
        fputs("a process outside this world", to);
    else
        fprintf(to, "rank %" PRId64, rank);
}

/* "was late for 37 of these 40 barriers" */
static void wait_text_write_calls(FILE *to, const char *noun, int64_t late, int64_t of)
{
    if (of == 1)
        fprintf(to, "was late for this %s", noun);
    else
        fprintf(to, "was late for %s of these %s %ss", wf_quantity_count(late).text, wf_quantity_count(of).text, noun);
}

static void wait_text_write_waiters(FILE *to, const struct wf_culprit *c)
{
    if (c->waiters == 1)
        wait_text_write_rank(to, c->waiter);
    else
        fprintf(to, "%s ranks", wf_quantity_count((int64_t)c->waiters).text);
}

/* "was late with 37 of 40 messages to rank 0", "was late for 37 of 40 calls of rank 0" */
static void wait_text_write_messages(FILE *to, const struct wf_wait_state *state, const struct wf_culprit *c,
                                     int64_t of)
{
    const char *late = c->of_calls ? "for" : state->culprit_receives ? "to receive" : "with";
    const char *noun = c->of_calls ? "call" : "message";
    if (of == 1)
        fprintf(to, "was late %s a %s ", late, noun);
    else
        fprintf(to, "was late %s %s of %s %ss ", late, wf_quantity_count(c->late).text, wf_quantity_count(of).text,
                noun);
    fputs(c->of_calls ? "of " : state->culprit_receives ? "from " : "to ", to);
    wait_text_write_waiters(to, c);
    if (!strcmp(state->name, WEFT_WAIT_WRONG_ORDER))
        fputs(" while another message was ready", to);
}

static void wait_text_write_occasions(FILE *to, const struct wf_wait *wait, const struct wf_culprit *c)
{
    const struct wf_wait_state *state = &wf_wait_states[wait->state];
    int64_t of = c->chances < c->late ? c->late : c->chances;
    if (state->collective)
        wait_text_write_calls(to, !strcmp(state->name, WEFT_WAIT_BARRIER) ? "barrier" : "call", c->late, of);
    else
        wait_text_write_messages(to, state, c, of);
}

/* ", mostly through solve.c:88 (MPI_Recv)" */
static void wait_text_write_place(FILE *to, const struct wf_overview *o, int64_t site, bool elsewhere)
{
    const struct wf_statement *s = site ? wf_statement_list_by_id(&o->statements, site) : NULL;
    if (!s)
        return;
    char *place = wf_place_text(s);
    fprintf(to, ", %sthrough %s (%s)", elsewhere ? "mostly " : "", place, s->name);
    free(place);
}

/* "; 1.8 % own work, 98.2 % passed on" */
static void wait_text_write_passed(FILE *to, const struct wf_culprit *c)
{
    double passed = wait_text_share(c->passed_ns, c->sum.time_ns);
    if (passed >= worth_telling)
        fprintf(to, "; %s own work, %s passed on", wf_quantity_percent(1 - passed).text,
                wf_quantity_percent(passed).text);
}

char *wf_culprit_text(const struct wf_overview *o, const struct wf_wait *wait, const struct wf_culprit *culprit)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return wf_memory_text("");
    wait_text_write_rank(to, culprit->rank);
    fputc(' ', to);
    wait_text_write_occasions(to, wait, culprit);
    wait_text_write_place(to, o, culprit->site, culprit->elsewhere);
    wait_text_write_passed(to, culprit);
    fclose(to);
    return text ? text : wf_memory_text("");
}

char *wf_cause_text(const struct wf_overview *o)
{
    struct wf_cause_sum worst = wf_cause_list_worst(&o->causes, &o->ranks);
    char *text = NULL;
    size_t bytes;
    FILE *to = worst.time_ns ? open_memstream(&text, &bytes) : NULL;
    if (!to)
        return wf_memory_text("");
    fprintf(to, "%s of the waiting for rank %" PRId64 "'s own work",
            wf_quantity_percent(wait_text_share(worst.time_ns, o->causes.time_ns)).text, worst.rank);
    wait_text_write_place(to, o, worst.site, worst.elsewhere);
    fclose(to);
    return text ? text : wf_memory_text("");
}

static void wait_text_print_culprit(struct wf_page *page, const struct wf_overview *o, const struct wf_wait *wait,
                                    const struct wf_culprit *culprit, int column)
{
    char first[128], *text = wf_culprit_text(o, wait, culprit);
    struct wf_quantity time = wf_quantity_time(page, culprit->sum.time_ns);
    snprintf(first, sizeof first, "%*s%s  ", column - 2 - wf_text_columns(time.text), "", time.text);
    wf_page_wrap(page, WF_PLAIN, first, "%s", text);
    free(text);
}

void wf_wait_print_culprits(struct wf_page *page, const struct wf_overview *o, const struct wf_wait *wait, size_t top,
                            int column)
{
    size_t rest = wait->culprit_count > top ? wait->culprit_count - top : 0;
    int64_t rest_ns = 0;
    char first[64];
    snprintf(first, sizeof first, "%*s", column, "");
    for (size_t i = 0; i < wait->culprit_count; i++) {
        if (i < top)
            wait_text_print_culprit(page, o, wait, &wait->culprits[i], column);
        else
            wf_sum_add(&rest_ns, wait->culprits[i].sum.time_ns);
    }
    if (rest)
        wf_page_wrap(page, WF_DIM, first, "%s and %s more rank%s with %s of this waiting", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)rest).text, rest == 1 ? "" : "s",
                     wf_quantity_percent(wait_text_share(rest_ns, wait->sum.time_ns)).text);
}

/* ---- where ---- */

static const struct wf_column columns[] = {{"share", true, WF_CUT_NEVER},  {"waiting", true, WF_CUT_NEVER},
                                           {"state", false, WF_CUT_NEVER}, {"call", false, WF_CUT_NEVER},
                                           {"place", false, WF_CUT_PATH},  {"procedure", false, WF_CUT_NAME}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void wait_text_add_wait(struct wf_text_table *table, const struct wf_overview *o, const struct wf_wait *wait)
{
    const struct wf_statement *s = wf_statement_list_by_id(&o->statements, wait->site);
    char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    wf_text_table_add(table, WF_BOLD, "%s",
                      wf_quantity_short_percent(wait_text_share(wait->sum.time_ns, o->waits.sum.time_ns)).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(table->page, wait->sum.time_ns).text);
    wf_text_table_add(table, WF_BOLD, "%s", wf_wait_states[wait->state].name);
    wf_text_table_add(table, WF_PLAIN, "%s", s->name);
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    if (table->column_count == COLUMNS)
        wf_text_table_add(table, WF_PLAIN, "%s", procedure);
    free(place);
    free(procedure);
}

/* If the page is too narrow, procedures are left out. */
static void wait_text_fill_waits(struct wf_text_table *table, struct wf_page *page, const struct wf_overview *o,
                                 size_t shown)
{
    for (int count = COLUMNS;; count--) {
        wf_text_table_init(table, page, columns, count, 2);
        for (size_t i = 0; i < shown; i++)
            wait_text_add_wait(table, o, &o->waits.items[i]);
        if (count < COLUMNS || wf_text_table_wants(table) <= page->width)
            return;
        wf_text_table_free(table);
    }
}

static void wait_text_print_waits(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    struct wf_text_table table;
    wait_text_fill_waits(&table, page, o, shown);
    wf_text_table_fit(&table);
    wf_text_table_print_headings(&table);
    wf_page_rule(page, table.indent, wf_text_table_wants(&table));
    int column = table.indent + table.widths[0] + table.widths[1] + 3 * table.gap;
    for (size_t i = 0; i < shown; i++) {
        wf_text_table_print_row(&table, i);
        wf_wait_print_culprits(page, o, &o->waits.items[i], CULPRITS, column);
    }
    wf_text_table_free(&table);
}

static void wait_text_print_rest(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    int64_t rest_ns = 0;
    for (size_t i = shown; i < o->waits.count; i++)
        wf_sum_add(&rest_ns, o->waits.items[i].sum.time_ns);
    if (shown < o->waits.count)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more with %s of all waiting (--all)", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)(o->waits.count - shown)).text,
                     wf_quantity_percent(wait_text_share(rest_ns, o->waits.sum.time_ns)).text);
}

/* ---- by state ---- */

static const struct wf_column state_columns[] = {{"", false, WF_CUT_NEVER},       {"time", true, WF_CUT_NEVER},
                                                 {"of run", true, WF_CUT_NEVER},  {"waits", true, WF_CUT_NEVER},
                                                 {"longest", true, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER}};

static int wait_text_by_time(const void *left, const void *right, void *context)
{
    const struct wf_wait_sum *sums = context;
    int a = *(const int *)left, b = *(const int *)right;
    int64_t x = sums[a].time_ns, y = sums[b].time_ns;
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

static void wait_text_fill_states(struct wf_text_table *table, struct wf_page *page, const struct wf_wait_sum *sums,
                                  int64_t run_ns, int bar)
{
    int order[WF_WAIT_STATES];
    for (int i = 0; i < WF_WAIT_STATES; i++)
        order[i] = i;
    qsort_r(order, WF_WAIT_STATES, sizeof *order, wait_text_by_time, (void *)(uintptr_t)sums);
    wf_text_table_init(table, page, state_columns, sizeof state_columns / sizeof *state_columns, 2);
    for (int i = 0; i < WF_WAIT_STATES; i++) {
        const struct wf_wait_sum *sum = &sums[order[i]];
        if (sum->num == 0 && sum->time_ns == 0)
            continue;
        double part = wait_text_share(sum->time_ns, sums[order[0]].time_ns);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_wait_states[order[i]].name);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, sum->time_ns).text);
        wf_text_table_add(table, WF_BOLD, "%s", wf_quantity_short_percent(wait_text_share(sum->time_ns, run_ns)).text);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(sum->num).text);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, sum->max_ns).text);
        wf_text_table_add(table, WF_PLAIN, "%s", bar ? wf_bar_draw(page, part, bar, false).text : "");
    }
}

static void wait_text_print_states(struct wf_page *page, const struct wf_overview *o, int64_t run_ns)
{
    struct wf_text_table table;
    /* The first pass is without bars, to measure the room for them. */
    wait_text_fill_states(&table, page, o->waits.by_state, run_ns, 0);
    int left = wf_text_table_left(&table);
    wf_text_table_free(&table);
    wait_text_fill_states(&table, page, o->waits.by_state, run_ns, left > BROADEST ? BROADEST : left > 0 ? left : 0);
    wf_text_table_print(&table);
    wf_text_table_free(&table);
}

/* ---- first causes ---- */

static const struct wf_column cause_columns[] = {{"share", true, WF_CUT_NEVER},       {"waiting", true, WF_CUT_NEVER},
                                                 {"of run", true, WF_CUT_NEVER},      {"work of", false, WF_CUT_NEVER},
                                                 {"late through", false, WF_CUT_END}, {"place", false, WF_CUT_PATH}};

static void wait_text_add_cause(struct wf_text_table *table, const struct wf_overview *o, const struct wf_cause *cause,
                                int64_t run_ns)
{
    const struct wf_statement *s = cause->site ? wf_statement_list_by_id(&o->statements, cause->site) : NULL;
    char *place = s ? wf_place_text(s) : wf_memory_text("");
    double share = wait_text_share(cause->time_ns, o->causes.time_ns);
    wf_text_table_add(table, WF_BOLD, "%s", wf_quantity_short_percent(share).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(table->page, cause->time_ns).text);
    share = wait_text_share(cause->time_ns, run_ns);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_percent(share).text);
    if (cause->rank == WF_PARTNER_OUTSIDE)
        wf_text_table_add(table, WF_BOLD, "other world");
    else if (cause->rank == WF_PARTNER_NONE)
        wf_text_table_add(table, WF_BOLD, "not known");
    else
        wf_text_table_add(table, WF_BOLD, "rank %" PRId64, cause->rank);
    wf_text_table_add(table, WF_PLAIN, "%s", s ? s->name : "");
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    free(place);
}

static void wait_text_print_causes(struct wf_page *page, const struct wf_overview *o, size_t top, int64_t run_ns)
{
    const struct wf_cause_list *causes = &o->causes;
    struct wf_text_table table;
    int64_t rest_ns = 0;
    top = top < CAUSES ? CAUSES : top;
    wf_page_wrap(page, WF_BOLD, "  ", "First causes: whose own work all this waiting was for");
    wf_text_table_init(&table, page, cause_columns, sizeof cause_columns / sizeof *cause_columns, 2);
    for (size_t i = 0; i < causes->count; i++)
        if (i < top && wait_text_share(causes->items[i].time_ns, causes->time_ns) >= worth_telling)
            wait_text_add_cause(&table, o, &causes->items[i], run_ns);
        else
            wf_sum_add(&rest_ns, causes->items[i].time_ns);
    wf_text_table_print(&table);
    size_t rest = causes->count - wf_text_table_rows(&table);
    wf_text_table_free(&table);
    if (rest)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more with %s of all waiting", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)rest).text,
                     wf_quantity_percent(wait_text_share(rest_ns, causes->time_ns)).text);
    if (causes->unknown_ns)
        wf_page_wrap(page, WF_DIM, "  ",
                     "%s of all waiting is for ranks of other hosts: whether those waited themselves is not known",
                     wf_quantity_percent(wait_text_share(causes->unknown_ns, causes->time_ns)).text);
    fputc('\n', page->out);
}

/* Waits are those of spawned ranks and of all threads, too. */
static int64_t wait_text_threads(const struct wf_overview *o)
{
    int64_t count = 0;
    for (size_t i = 0; i < o->ranks.count; i++)
        wf_sum_add(&count, o->ranks.items[i].threads > 1 ? o->ranks.items[i].threads : 1);
    return count;
}

static int64_t wait_text_run_ns(const struct wf_overview *o)
{
    int64_t run_ns;
    bool over = __builtin_mul_overflow(wf_program_integer(&o->program, "wall_ns"), wait_text_threads(o), &run_ns);
    return over ? INT64_MAX : run_ns;
}

/* " and 6 threads", if some have several. */
static void wait_text_print_heading(struct wf_page *page, const struct wf_overview *o, int64_t run_ns)
{
    char threads[64] = "";
    if (wait_text_threads(o) > (int64_t)o->ranks.count)
        snprintf(threads, sizeof threads, " and %s threads", wf_quantity_count(wait_text_threads(o)).text);
    wf_page_heading(page, "Waiting for other ranks: %s over %s rank%s%s, %s of the run",
                    wf_quantity_time(page, o->waits.sum.time_ns).text, wf_quantity_count((int64_t)o->ranks.count).text,
                    o->ranks.count == 1 ? "" : "s", threads,
                    wf_quantity_percent(wait_text_share(o->waits.sum.time_ns, run_ns)).text);
}

void wf_wait_list_print(struct wf_page *page, const struct wf_overview *o, size_t top)
{
    size_t shown = o->waits.count < top ? o->waits.count : top;
    int64_t run_ns = wait_text_run_ns(o);
    if (o->waits.count == 0)
        return;
    wait_text_print_heading(page, o, run_ns);
    wait_text_print_states(page, o, run_ns);
    fputc('\n', page->out);
    wait_text_print_causes(page, o, top, run_ns);
    if (shown)
        wait_text_print_waits(page, o, shown);
    wait_text_print_rest(page, o, shown);
}
