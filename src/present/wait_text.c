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
#include "present/table.h"
#include "present/text.h"
#include "present/unit.h"

enum { CULPRITS = 3, BROADEST = 24 };

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* ---- who was late ---- */

static void write_rank(FILE *to, int64_t rank)
{
    if (rank == WF_PARTNER_OUTSIDE)
        fputs("a process outside this world", to);
    else
        fprintf(to, "rank %" PRId64, rank);
}

/* "was late for 37 of these 40 barriers" */
static void write_calls(FILE *to, const char *noun, int64_t late, int64_t of)
{
    if (of == 1)
        fprintf(to, "was late for this %s", noun);
    else
        fprintf(to, "was late for %s of these %s %ss", wf_unit_count(late).text, wf_unit_count(of).text,
                noun);
}

/* "was late with 37 of 40 messages to rank 0" */
static void write_messages(FILE *to, const struct wf_wait_state *state, const struct wf_culprit *c,
                           int64_t of)
{
    fprintf(to, "was late %s ", state->culprit_receives ? "to take" : "with");
    if (of == 1)
        fputs("a message ", to);
    else
        fprintf(to, "%s of %s messages ", wf_unit_count(c->late).text, wf_unit_count(of).text);
    fputs(state->culprit_receives ? "from " : "to ", to);
    if (c->waiters == 1)
        write_rank(to, c->waiter);
    else
        fprintf(to, "%s ranks", wf_unit_count((int64_t)c->waiters).text);
    if (!strcmp(state->name, WEFT_WAIT_WRONG_ORDER))
        fputs(" while another one lay ready", to);
}

static void write_occasions(FILE *to, const struct wf_wait *wait, const struct wf_culprit *c)
{
    const struct wf_wait_state *state = &wf_wait_states[wait->state];
    int64_t of = c->chances < c->late ? c->late : c->chances;
    if (state->collective)
        write_calls(to, !strcmp(state->name, WEFT_WAIT_BARRIER) ? "barrier" : "call", c->late, of);
    else
        write_messages(to, state, c, of);
}

/* ", mostly through solve.c:88 (MPI_Recv)" */
static void write_place(FILE *to, const struct wf_overview *o, const struct wf_culprit *c)
{
    const struct wf_statement *s = c->site ? wf_statement_list_by_id(&o->statements, c->site) : NULL;
    if (!s)
        return;
    char *place = wf_place_text(s);
    fprintf(to, ", %sthrough %s (%s)", c->elsewhere ? "mostly " : "", place, s->name);
    free(place);
}

char *wf_culprit_text(const struct wf_overview *o, const struct wf_wait *wait,
                      const struct wf_culprit *culprit)
{
    char *text = NULL;
    size_t bytes;
    FILE *to = open_memstream(&text, &bytes);
    if (!to)
        return wf_memory_text("");
    write_rank(to, culprit->rank);
    fputc(' ', to);
    write_occasions(to, wait, culprit);
    write_place(to, o, culprit);
    fclose(to);
    return text ? text : wf_memory_text("");
}

static void print_culprit(struct wf_page *page, const struct wf_overview *o, const struct wf_wait *wait,
                          const struct wf_culprit *culprit, int column)
{
    char first[128], *text = wf_culprit_text(o, wait, culprit);
    struct wf_unit time = wf_unit_time(page, culprit->sum.time_ns);
    snprintf(first, sizeof first, "%*s%s  ", column - 2 - wf_text_columns(time.text), "", time.text);
    wf_page_wrap(page, WF_PLAIN, first, "%s", text);
    free(text);
}

void wf_wait_print_culprits(struct wf_page *page, const struct wf_overview *o, const struct wf_wait *wait,
                            size_t top, int column)
{
    size_t rest = wait->culprit_count > top ? wait->culprit_count - top : 0;
    int64_t rest_ns = 0;
    char first[64];
    snprintf(first, sizeof first, "%*s", column, "");
    for (size_t i = 0; i < wait->culprit_count; i++) {
        if (i < top)
            print_culprit(page, o, wait, &wait->culprits[i], column);
        else
            wf_sum_add(&rest_ns, wait->culprits[i].sum.time_ns);
    }
    if (rest)
        wf_page_wrap(page, WF_DIM, first, "%s and %s more rank%s with %s of it", page->glyphs->ellipsis,
                     wf_unit_count((int64_t)rest).text, rest == 1 ? "" : "s",
                     wf_unit_percent(share(rest_ns, wait->sum.time_ns)).text);
}

/* ---- where ---- */

static const struct wf_column columns[] = {{"share", true, WF_CUT_NEVER},  {"waiting", true, WF_CUT_NEVER},
                                           {"state", false, WF_CUT_NEVER}, {"call", false, WF_CUT_NEVER},
                                           {"place", false, WF_CUT_PATH},  {"procedure", false, WF_CUT_NAME}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_wait(struct wf_table *table, const struct wf_overview *o, const struct wf_wait *wait)
{
    const struct wf_statement *s = wf_statement_list_by_id(&o->statements, wait->site);
    char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    wf_table_add(table, WF_BOLD, "%s",
                 wf_unit_short_percent(share(wait->sum.time_ns, o->waits.sum.time_ns)).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(table->page, wait->sum.time_ns).text);
    wf_table_add(table, WF_BOLD, "%s", wf_wait_states[wait->state].name);
    wf_table_add(table, WF_PLAIN, "%s", s->name);
    wf_table_add(table, WF_PLAIN, "%s", place);
    if (table->column_count == COLUMNS)
        wf_table_add(table, WF_PLAIN, "%s", procedure);
    free(place);
    free(procedure);
}

/* Where the page is too narrow, procedures are left out. */
static void fill_waits(struct wf_table *table, struct wf_page *page, const struct wf_overview *o,
                       size_t shown)
{
    for (int count = COLUMNS;; count--) {
        wf_table_init(table, page, columns, count, 2);
        for (size_t i = 0; i < shown; i++)
            add_wait(table, o, &o->waits.items[i]);
        if (count < COLUMNS || wf_table_wants(table) <= page->width)
            return;
        wf_table_free(table);
    }
}

static void print_waits(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    struct wf_table table;
    fill_waits(&table, page, o, shown);
    wf_table_fit(&table);
    wf_table_print_headings(&table);
    wf_page_rule(page, table.indent, wf_table_wants(&table));
    int column = table.indent + table.widths[0] + table.widths[1] + 3 * table.gap;
    for (size_t i = 0; i < shown; i++) {
        wf_table_print_row(&table, i);
        wf_wait_print_culprits(page, o, &o->waits.items[i], CULPRITS, column);
    }
    wf_table_free(&table);
}

static void print_rest(struct wf_page *page, const struct wf_overview *o, size_t shown)
{
    int64_t rest_ns = 0;
    for (size_t i = shown; i < o->waits.count; i++)
        wf_sum_add(&rest_ns, o->waits.items[i].sum.time_ns);
    if (shown < o->waits.count)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more with %s of the waiting (--all)",
                     page->glyphs->ellipsis, wf_unit_count((int64_t)(o->waits.count - shown)).text,
                     wf_unit_percent(share(rest_ns, o->waits.sum.time_ns)).text);
}

/* ---- by state ---- */

static const struct wf_column state_columns[] = {
    {"", false, WF_CUT_NEVER},     {"time", true, WF_CUT_NEVER},    {"of run", true, WF_CUT_NEVER},
    {"waits", true, WF_CUT_NEVER}, {"longest", true, WF_CUT_NEVER}, {"", false, WF_CUT_NEVER}};

static int by_time(const void *left, const void *right, void *context)
{
    const struct wf_wait_sum *sums = context;
    int a = *(const int *)left, b = *(const int *)right;
    int64_t x = sums[a].time_ns, y = sums[b].time_ns;
    return x != y ? (x < y) - (x > y) : (a > b) - (a < b);
}

static void fill_states(struct wf_table *table, struct wf_page *page, const struct wf_wait_sum *sums,
                        int64_t wall_ns, int bar)
{
    int order[WF_WAIT_STATES];
    for (int i = 0; i < WF_WAIT_STATES; i++)
        order[i] = i;
    qsort_r(order, WF_WAIT_STATES, sizeof *order, by_time, (void *)(uintptr_t)sums);
    wf_table_init(table, page, state_columns, sizeof state_columns / sizeof *state_columns, 2);
    for (int i = 0; i < WF_WAIT_STATES; i++) {
        const struct wf_wait_sum *sum = &sums[order[i]];
        if (sum->num == 0 && sum->time_ns == 0)
            continue;
        double part = share(sum->time_ns, sums[order[0]].time_ns);
        wf_table_add(table, WF_PLAIN, "%s", wf_wait_states[order[i]].name);
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, sum->time_ns).text);
        wf_table_add(table, WF_BOLD, "%s", wf_unit_short_percent(share(sum->time_ns, wall_ns)).text);
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_short_count(sum->num).text);
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, sum->max_ns).text);
        wf_table_add(table, WF_PLAIN, "%s", bar ? wf_bar_draw(page, part, bar, false).text : "");
    }
}

static void print_states(struct wf_page *page, const struct wf_overview *o, int64_t wall_ns)
{
    struct wf_table table;
    /* Without bars first, to see how much is left for them. */
    fill_states(&table, page, o->waits.by_state, wall_ns, 0);
    int left = wf_table_left(&table);
    wf_table_free(&table);
    fill_states(&table, page, o->waits.by_state, wall_ns, left > BROADEST ? BROADEST : left > 0 ? left : 0);
    wf_table_print(&table);
    wf_table_free(&table);
}

void wf_wait_list_print(struct wf_page *page, const struct wf_overview *o, size_t top)
{
    size_t shown = o->waits.count < top ? o->waits.count : top;
    int64_t wall_ns = 0;
    if (o->waits.count == 0)
        return;
    for (size_t i = 0; i < o->ranks.count; i++)
        wf_sum_add(&wall_ns, o->ranks.items[i].wall_ns);
    wf_page_heading(page, "Waiting for others: %s over %s rank%s, %s of their time",
                    wf_unit_time(page, o->waits.sum.time_ns).text,
                    wf_unit_count((int64_t)o->ranks.count).text, o->ranks.count == 1 ? "" : "s",
                    wf_unit_percent(share(o->waits.sum.time_ns, wall_ns)).text);
    print_states(page, o, wall_ns);
    fputc('\n', page->out);
    if (shown)
        print_waits(page, o, shown);
    print_rest(page, o, shown);
}
