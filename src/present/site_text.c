/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/pair.h"
#include "analyse/place.h"
#include "analyse/sum.h"
#include "format/segment.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/table.h"
#include "present/unit.h"

enum { SKETCH = 16, BROADEST = 24, NARROWEST = 4, SENTENCE = 14 };

static const struct {
    int64_t partner;
    const char *name;
} unnumbered[] = {
    {WF_PARTNER_ALL, "all (collective)"},
    {WF_PARTNER_NOBODY, "nobody"},
    {WF_PARTNER_OUTSIDE, "outside this world"},
};

/* ---- the statement as a whole ---- */

static void print_title(struct wf_page *page, const struct wf_statement *s)
{
    char *place = wf_place_text(s);
    fputc('\n', page->out);
    wf_page_wrap(page, WF_BOLD, "", "%s%s%s", s->name, *s->procedure ? " in " : "", s->procedure);
    wf_page_wrap(page, WF_PLAIN, "  ", "%s%s%s", place, s->line ? "" : " in ", s->line ? "" : s->module);
    if (!s->line)
        wf_page_wrap(page, WF_DIM, "  ",
                     "no debug information there: compile with -g to see the source line");
    free(place);
}

static void print_totals(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s)
{
    const char *dot = page->glyphs->dot;
    double share = o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0;
    char part[64] = "outside of the wall time";
    if (s->kind != WF_CALL_START_END)
        snprintf(part, sizeof part, "%s of MPI time", wf_unit_percent(share).text);
    char waiting[64] = "";
    if (s->sync_delay_ns)
        snprintf(waiting, sizeof waiting, ", %s of it waiting", wf_unit_time(page, s->sync_delay_ns).text);
    wf_page_wrap(page, WF_PLAIN, "  ", "%s%s %s %s %s %s call%s %s %s %s longest call %s",
                 wf_unit_time(page, s->time_ns).text, waiting, dot, part, dot, wf_unit_count(s->calls).text,
                 s->calls == 1 ? "" : "s", dot, s->bytes ? wf_unit_bytes(s->bytes).text : "no data", dot,
                 wf_unit_time(page, s->longest_ns).text);
}

static void print_spread(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s)
{
    size_t count = o->ranks.count;
    int64_t *times = wf_memory_array(count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = s->by_rank[i].time_ns;
    if (count > 1)
        wf_page_wrap(page, WF_PLAIN, "  ", "over the ranks: min %s, mean %s, max %s on rank %" PRId64 "  %s",
                     wf_unit_time(page, s->min_ns).text, wf_unit_time(page, s->mean_ns).text,
                     wf_unit_time(page, s->max_ns).text, o->ranks.items[s->worst].rank,
                     wf_bar_sketch(page, times, count, SKETCH).text);
    free(times);
}

/* ---- by partner ---- */

/* Waiting has columns where there was any, raw times where they are wanted. */
struct pair_table {
    struct wf_column columns[WF_TABLE_COLUMNS];
    int count;
    bool waits, raw;
};

static void lay_out(struct pair_table *t, const struct wf_pair_list *list, bool raw)
{
    const struct {
        const char *heading;
        bool left, shown;
    } columns[] = {
        {"rank", false, true},
        {"", true, true},
        {"partner", true, true},
        {"count", false, true},
        {"bytes", false, true},
        {"time", false, true},
        {"raw", false, raw},
        {"taken out", false, raw},
        {"mean", false, !raw},
        {"transfer", false, !raw && list->sync_delay_ns > 0},
        {"waiting", false, list->sync_delay_ns > 0},
        {"raw", false, raw && list->sync_delay_ns > 0},
        {"", true, true},
    };
    *t = (struct pair_table){.waits = list->sync_delay_ns > 0, .raw = raw};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].shown)
            t->columns[t->count++] = (struct wf_column){columns[i].heading, !columns[i].left, WF_CUT_NEVER};
}

static const char *arrow(const struct wf_page *page, enum wf_call_kind kind, int64_t partner)
{
    if (partner < 0 && partner != WF_PARTNER_OUTSIDE)
        return "";
    return kind == WF_CALL_SEND || kind == WF_CALL_ONE_SIDED ? page->glyphs->to
           : kind == WF_CALL_RECEIVE                         ? page->glyphs->from
                                                             : page->glyphs->with;
}

static void add_partner(struct wf_table *table, int64_t partner)
{
    for (size_t i = 0; i < sizeof unnumbered / sizeof *unnumbered; i++) {
        if (unnumbered[i].partner == partner) {
            wf_table_add(table, WF_PLAIN, "%s", unnumbered[i].name);
            return;
        }
    }
    wf_table_add(table, WF_PLAIN, "%" PRId64, partner);
}

static void add_times(struct wf_table *table, const struct pair_table *t, const struct wf_pair *pair)
{
    struct wf_page *page = table->page;
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, pair->time_ns).text);
    if (t->raw) {
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, pair->time_raw_ns).text);
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_difference(page, pair->time_raw_ns, pair->time_ns).text);
    } else {
        wf_table_add(table, WF_PLAIN, "%s",
                     wf_unit_time(page, pair->count > 0 ? pair->time_ns / pair->count : 0).text);
    }
    if (t->waits && !t->raw)
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, pair->transfer_ns).text);
    if (t->waits)
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, pair->sync_delay_ns).text);
    if (t->waits && t->raw)
        wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, pair->sync_delay_raw_ns).text);
}

static void add_pair(struct wf_table *table, const struct pair_table *t, const struct wf_statement *s,
                     const struct wf_pair_list *list, const struct wf_pair *pair, int bar)
{
    int64_t longest = list->items[0].time_ns; /* sorted */
    wf_table_add(table, WF_PLAIN, "%" PRId64, pair->rank);
    wf_table_add(table, WF_PLAIN, "%s", arrow(table->page, s->kind, pair->partner));
    add_partner(table, pair->partner);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_short_count(pair->count).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_bytes(pair->bytes).text);
    add_times(table, t, pair);
    double share = longest ? (double)pair->time_ns / (double)longest : 0;
    wf_table_add(table, WF_PLAIN, "%s", bar ? wf_bar_draw(table->page, share, bar, false).text : "");
}

static void print_rest(struct wf_page *page, const struct wf_pair_list *list, size_t shown)
{
    int64_t rest_ns = 0;
    for (size_t i = shown; i < list->count; i++)
        wf_sum_add(&rest_ns, list->items[i].time_ns);
    if (shown == list->count)
        return;
    double share = list->time_ns ? (double)rest_ns / (double)list->time_ns : 0;
    wf_page_wrap(page, WF_DIM, "  ", "%s and %s more pair%s with %s of this statement's time (--all)",
                 page->glyphs->ellipsis, wf_unit_count((int64_t)(list->count - shown)).text,
                 list->count - shown == 1 ? "" : "s", wf_unit_percent(share).text);
}

static void fill(struct wf_table *table, struct wf_page *page, const struct pair_table *t,
                 const struct wf_statement *s, const struct wf_pair_list *list, size_t shown, int bar)
{
    wf_table_init(table, page, t->columns, t->count, 2);
    for (size_t i = 0; i < shown; i++)
        add_pair(table, t, s, list, &list->items[i], bar);
}

static void print_pairs(struct wf_page *page, const struct wf_statement *s, const struct wf_pair_list *list,
                        size_t top, bool raw)
{
    size_t shown = list->count < top ? list->count : top;
    struct pair_table layout;
    struct wf_table table;
    lay_out(&layout, list, raw);
    /* Without bars first, to see how much is left for them. */
    fill(&table, page, &layout, s, list, shown, 0);
    int left = wf_table_left(&table);
    wf_table_free(&table);
    fill(&table, page, &layout, s, list, shown, left > BROADEST ? BROADEST : left < NARROWEST ? 0 : left);
    fputc('\n', page->out);
    wf_table_print(&table);
    wf_table_free(&table);
    print_rest(page, list, shown);
}

/* ---- who made it wait ---- */

static void print_waits(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s,
                        size_t top)
{
    for (size_t i = 0; i < o->waits.count; i++) {
        const struct wf_wait *wait = &o->waits.items[i];
        if (wait->site != s->id)
            continue;
        fputc('\n', page->out);
        wf_page_wrap(page, WF_BOLD, "  ", "%s: %s, the longest %s", wf_wait_states[wait->state].name,
                     wf_unit_time(page, wait->sum.time_ns).text, wf_unit_time(page, wait->sum.max_ns).text);
        wf_wait_print_culprits(page, o, wait, top, SENTENCE);
    }
}

int wf_site_print(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s, size_t top,
                  bool raw, struct wf_error *error)
{
    struct wf_pair_list pairs;
    if (wf_pair_list_read(&pairs, o->profile, s, &o->ranks, error))
        return -1;
    wf_pair_list_sort(&pairs);
    print_title(page, s);
    print_totals(page, o, s);
    print_spread(page, o, s);
    if (pairs.count)
        print_pairs(page, s, &pairs, top, raw);
    print_waits(page, o, s, top);
    wf_pair_list_free(&pairs);
    return 0;
}
