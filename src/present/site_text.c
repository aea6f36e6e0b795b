/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/pair.h"
#include "analyse/place.h"
#include "analyse/sum.h"
#include "format/segment.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/text_table.h"
#include "present/quantity.h"

enum { SKETCH = 16, BROADEST = 24, NARROWEST = 4, SENTENCE = 14 };

static const struct {
    int64_t partner;
    const char *name;
} unnumbered[] = {
    {WF_PARTNER_ALL, "all (collective)"},
    {WF_PARTNER_NONE, "no partner"},
    {WF_PARTNER_OUTSIDE, "outside this world"},
};

/* ---- the statement as a whole ---- */

static void site_text_print_title(struct wf_page *page, const struct wf_statement *s)
{
    char *place = wf_place_text(s);
    fputc('\n', page->out);
    wf_page_wrap(page, WF_BOLD, "", "%s%s%s", s->name, *s->procedure ? " in " : "", s->procedure);
    wf_page_wrap(page, WF_PLAIN, "  ", "%s%s%s", place, s->line ? "" : " in ", s->line ? "" : s->module);
    if (!s->line)
        wf_page_wrap(page, WF_DIM, "  ", "no debug information for this call: compile with -g to see its source line");
    free(place);
}

static void site_text_print_totals(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s)
{
    const char *dot = page->glyphs->dot;
    double share = o->statements.time_ns ? (double)s->time_ns / (double)o->statements.time_ns : 0;
    char part[64] = "not part of the wall time";
    if (s->kind != WF_CALL_START_END)
        snprintf(part, sizeof part, "%s of MPI time", wf_quantity_percent(share).text);
    struct wf_parts parts = wf_statement_parts(s);
    char *split = wf_parts_text(page, &parts);
    wf_page_wrap(page, WF_PLAIN, "  ", "%s%s%s %s %s %s %s call%s %s %s %s longest call %s",
                 wf_quantity_time(page, s->time_ns).text, *split ? ": " : "", split, dot, part, dot,
                 wf_quantity_count(s->calls).text, s->calls == 1 ? "" : "s", dot,
                 s->bytes ? wf_quantity_bytes(s->bytes).text : "no data", dot,
                 wf_quantity_time(page, s->longest_ns).text);
    free(split);
}

static void site_text_print_spread(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s)
{
    size_t count = o->ranks.count;
    int64_t *times = wf_memory_array(count, sizeof *times);
    for (size_t i = 0; i < count; i++)
        times[i] = s->by_rank[i].time_ns;
    if (count > 1)
        wf_page_wrap(page, WF_PLAIN, "  ", "over the ranks: min %s, mean %s, max %s on rank %" PRId64 "  %s",
                     wf_quantity_time(page, s->min_ns).text, wf_quantity_time(page, s->mean_ns).text,
                     wf_quantity_time(page, s->max_ns).text, o->ranks.items[s->worst].rank,
                     wf_bar_sketch(page, times, count, SKETCH).text);
    free(times);
}

/* ---- by partner ---- */

/* There are columns about waiting if any was recorded, and columns of raw times if they are wanted. */
struct site_layout {
    struct wf_column columns[WF_TABLE_COLUMNS];
    int count;
    bool waits, raw;
};

static void site_text_lay_out(struct site_layout *t, const struct wf_pair_list *list, bool raw)
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
        {"subtracted", false, raw},
        {"mean", false, !raw},
        {"transfer", false, !raw && list->sync_delay_ns > 0},
        {"waiting", false, list->sync_delay_ns > 0},
        {"raw", false, raw && list->sync_delay_ns > 0},
        {"", true, true},
    };
    *t = (struct site_layout){.waits = list->sync_delay_ns > 0, .raw = raw};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (columns[i].shown)
            t->columns[t->count++] = (struct wf_column){columns[i].heading, !columns[i].left, WF_CUT_NEVER};
}

static const char *site_text_arrow(const struct wf_page *page, enum wf_call_kind kind, int64_t partner)
{
    if (partner < 0 && partner != WF_PARTNER_OUTSIDE)
        return "";
    return kind == WF_CALL_SEND || kind == WF_CALL_ONE_SIDED ? page->glyphs->to
           : kind == WF_CALL_RECEIVE                         ? page->glyphs->from
                                                             : page->glyphs->with;
}

static void site_text_add_partner(struct wf_text_table *table, int64_t partner)
{
    for (size_t i = 0; i < sizeof unnumbered / sizeof *unnumbered; i++) {
        if (unnumbered[i].partner == partner) {
            wf_text_table_add(table, WF_PLAIN, "%s", unnumbered[i].name);
            return;
        }
    }
    wf_text_table_add(table, WF_PLAIN, "%" PRId64, partner);
}

static void site_text_add_times(struct wf_text_table *table, const struct site_layout *t, const struct wf_pair *pair)
{
    struct wf_page *page = table->page;
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, pair->time_ns).text);
    if (t->raw) {
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, pair->time_raw_ns).text);
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_difference(page, pair->time_raw_ns, pair->time_ns).text);
    } else {
        wf_text_table_add(table, WF_PLAIN, "%s",
                          wf_quantity_time(page, pair->count > 0 ? pair->time_ns / pair->count : 0).text);
    }
    if (t->waits && !t->raw)
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, pair->transfer_ns).text);
    if (t->waits)
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, pair->sync_delay_ns).text);
    if (t->waits && t->raw)
        wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, pair->sync_delay_raw_ns).text);
}

static void site_text_add_pair(struct wf_text_table *table, const struct site_layout *t, const struct wf_statement *s,
                               const struct wf_pair_list *list, const struct wf_pair *pair, int bar)
{
    int64_t longest = list->items[0].time_ns; /* sorted */
    wf_text_table_add(table, WF_PLAIN, "%" PRId64, pair->rank);
    wf_text_table_add(table, WF_PLAIN, "%s", site_text_arrow(table->page, s->kind, pair->partner));
    site_text_add_partner(table, pair->partner);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(pair->count).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_bytes(pair->bytes).text);
    site_text_add_times(table, t, pair);
    double share = longest ? (double)pair->time_ns / (double)longest : 0;
    wf_text_table_add(table, WF_PLAIN, "%s", bar ? wf_bar_draw(table->page, share, bar, false).text : "");
}

static void site_text_print_rest(struct wf_page *page, const struct wf_pair_list *list, size_t shown)
{
    int64_t rest_ns = 0;
    for (size_t i = shown; i < list->count; i++)
        wf_sum_add(&rest_ns, list->items[i].time_ns);
    if (shown == list->count)
        return;
    double share = list->time_ns ? (double)rest_ns / (double)list->time_ns : 0;
    wf_page_wrap(page, WF_DIM, "  ", "%s and %s more pair%s with %s of the time of all pairs (--all)",
                 page->glyphs->ellipsis, wf_quantity_count((int64_t)(list->count - shown)).text,
                 list->count - shown == 1 ? "" : "s", wf_quantity_percent(share).text);
}

/* Idle time belongs to no partner. */
static void site_text_print_idle(struct wf_page *page, const struct wf_statement *s)
{
    struct wf_parts parts = {0}, all = wf_statement_parts(s);
    memcpy(parts.ns + WF_PART_POLLING, all.ns + WF_PART_POLLING, (WF_PARTS - WF_PART_POLLING) * sizeof *parts.ns);
    char *text = wf_parts_text(page, &parts);
    if (*text)
        wf_page_wrap(page, WF_DIM, "  ", "with no partner, and in no row: %s", text);
    free(text);
}

static void site_text_fill(struct wf_text_table *table, struct wf_page *page, const struct site_layout *t,
                           const struct wf_statement *s, const struct wf_pair_list *list, size_t shown, int bar)
{
    wf_text_table_init(table, page, t->columns, t->count, 2);
    for (size_t i = 0; i < shown; i++)
        site_text_add_pair(table, t, s, list, &list->items[i], bar);
}

static void site_text_print_pairs(struct wf_page *page, const struct wf_statement *s, const struct wf_pair_list *list,
                                  size_t top, bool raw)
{
    size_t shown = list->count < top ? list->count : top;
    struct site_layout layout;
    struct wf_text_table table;
    site_text_lay_out(&layout, list, raw);
    /* The first pass is without bars, to measure the room for them. */
    site_text_fill(&table, page, &layout, s, list, shown, 0);
    int left = wf_text_table_left(&table);
    wf_text_table_free(&table);
    site_text_fill(&table, page, &layout, s, list, shown, left > BROADEST ? BROADEST : left < NARROWEST ? 0 : left);
    fputc('\n', page->out);
    wf_text_table_print(&table);
    wf_text_table_free(&table);
    site_text_print_rest(page, list, shown);
    site_text_print_idle(page, s);
}

/* ---- who made it wait ---- */

static void site_text_print_waits(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s,
                                  size_t top)
{
    for (size_t i = 0; i < o->waits.count; i++) {
        const struct wf_wait *wait = &o->waits.items[i];
        if (wait->site != s->id)
            continue;
        fputc('\n', page->out);
        wf_page_wrap(page, WF_BOLD, "  ", "%s: %s, longest wait %s", wf_wait_states[wait->state].name,
                     wf_quantity_time(page, wait->sum.time_ns).text, wf_quantity_time(page, wait->sum.max_ns).text);
        wf_wait_print_culprits(page, o, wait, top, SENTENCE);
    }
}

int wf_site_print(struct wf_page *page, const struct wf_overview *o, const struct wf_statement *s, size_t top, bool raw,
                  struct wf_error *error)
{
    struct wf_pair_list pairs;
    if (wf_pair_list_read(&pairs, o->profile, s, &o->ranks, error))
        return -1;
    wf_pair_list_sort(&pairs);
    site_text_print_title(page, s);
    site_text_print_totals(page, o, s);
    site_text_print_spread(page, o, s);
    if (pairs.count)
        site_text_print_pairs(page, s, &pairs, top, raw);
    site_text_print_waits(page, o, s, top);
    wf_pair_list_free(&pairs);
    return 0;
}
