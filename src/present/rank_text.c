/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

enum {
    MANY = 40,    /* more ranks than this are summarised */
    EXTREMES = 5, /* number of ranks shown at each end of a summary */
    BROADEST = 48,
    NARROWEST = 4, /* cells of a bar */
};

static const double noticeable = 0.01; /* a difference between ranks, as a part of the largest value */

/* ---- one rank a line ---- */

/* The values that each rank is compared with. */
struct rank_scale {
    const struct wf_rank *works, *waits; /* the ranks with most useful time and most time in MPI; NULL if none stands
                                            out */
    double longest_ns;                   /* wall time */
    int bar;                             /* cells */
};

static int64_t rank_text_value(const struct wf_rank *rank, size_t place)
{
    return *(const int64_t *)((const char *)rank + place);
}

/* The rank with the largest value, if that is more than others have. */
static const struct wf_rank *rank_text_marked(const struct wf_rank_list *ranks, size_t place)
{
    const struct wf_rank *largest = wf_rank_list_largest(ranks, place);
    double most = (double)rank_text_value(largest, place), least = most;
    for (size_t i = 0; i < ranks->first_world; i++)
        least = fmin(least, (double)rank_text_value(&ranks->items[i], place));
    return most > 0 && most - least >= noticeable * most ? largest : NULL;
}

static struct rank_scale rank_text_scale(const struct wf_rank_list *ranks)
{
    struct rank_scale scale = {.longest_ns = 1, .bar = 1};
    for (size_t i = 0; i < ranks->count; i++)
        scale.longest_ns = fmax(scale.longest_ns, (double)ranks->items[i].wall_ns);
    if (ranks->first_world > 1) {
        scale.works = rank_text_marked(ranks, offsetof(struct wf_rank, useful_ns));
        scale.waits = rank_text_marked(ranks, offsetof(struct wf_rank, mpi_ns));
    }
    return scale;
}

static const char *rank_text_mark(const struct rank_scale *scale, const struct wf_rank *rank)
{
    if (rank == scale->works && rank == scale->waits)
        return "most work, most MPI";
    return rank == scale->works ? "most work" : rank == scale->waits ? "most MPI" : "";
}

enum { COLUMNS = 9 };

/* Columns about waiting are left out if no rank waited, and the host if there is only one. */
static int rank_text_choose_columns(struct wf_column *chosen, const struct wf_overview *o)
{
    const struct {
        const char *heading;
        bool left, shown;
        enum wf_cut cut;
    } columns[COLUMNS] = {
        {"rank", false, true, WF_CUT_NEVER},
        {"useful", false, true, WF_CUT_NEVER},
        {"MPI", false, true, WF_CUT_NEVER},
        {"share", false, true, WF_CUT_NEVER},
        {"waits", false, o->waits.count > 0, WF_CUT_NEVER},
        {"caused", false, o->waits.count > 0, WF_CUT_NEVER},
        {"", true, true, WF_CUT_NEVER},
        {"", true, true, WF_CUT_NEVER},
        {o->ranks.hosts > 1 ? "host" : "", true, true, WF_CUT_END},
    };
    int count = 0;
    for (int i = 0; i < COLUMNS; i++)
        if (columns[i].shown)
            chosen[count++] = (struct wf_column){columns[i].heading, !columns[i].left, columns[i].cut};
    return count;
}

static void rank_text_add_waiting(struct wf_text_table *table, const struct wf_overview *o, const struct wf_rank *rank)
{
    if (o->waits.count == 0)
        return;
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(table->page, rank->sync_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s",
                      wf_quantity_time(table->page, o->causes.caused_ns[rank - o->ranks.items]).text);
}

static void rank_text_add_rank(struct wf_text_table *table, const struct wf_overview *o, const struct rank_scale *scale,
                               const struct wf_rank *rank)
{
    struct wf_page *page = table->page;
    double useful = (double)rank->useful_ns, mpi = (double)rank->mpi_ns,
           wall = rank->wall_ns ? (double)rank->wall_ns : 1;
    wf_text_table_add(table, WF_PLAIN, "%" PRId64, rank->rank);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, rank->useful_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(page, rank->mpi_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_percent(mpi / wall).text);
    rank_text_add_waiting(table, o, rank);
    wf_text_table_add(table, WF_PLAIN, "%s",
                      wf_bar_draw_two(page, useful / scale->longest_ns, mpi / scale->longest_ns, scale->bar).text);
    wf_text_table_add(table, WF_WARN, "%s", rank_text_mark(scale, rank));
    wf_text_table_add(table, WF_DIM, "%s", o->ranks.hosts > 1 ? rank->host : "");
}

static void rank_text_print_ending(struct wf_page *page, const struct wf_overview *o, const struct wf_rank *rank)
{
    char *ending = wf_ending_text(o, rank);
    if (*ending)
        wf_page_wrap(page, WF_WARN, "        ! ", "%s", ending);
    free(ending);
}

static void rank_text_fill(struct wf_text_table *table, struct wf_page *page, const struct wf_overview *o,
                           const struct wf_column *heads, int columns, const struct rank_scale *scale,
                           const struct wf_rank *const *ranks, size_t count)
{
    wf_text_table_init(table, page, heads, columns, 2);
    for (size_t i = 0; i < count; i++)
        rank_text_add_rank(table, o, scale, ranks[i]);
}

static void rank_text_print_ranks(struct wf_page *page, const struct wf_overview *o, const struct wf_rank *const *ranks,
                                  size_t count)
{
    struct wf_text_table table;
    struct rank_scale scale = rank_text_scale(&o->ranks);
    struct wf_column heads[COLUMNS];
    int columns = rank_text_choose_columns(heads, o);
    /* The first pass has the narrowest bar, to measure the room for it. */
    rank_text_fill(&table, page, o, heads, columns, &scale, ranks, count);
    int left = wf_text_table_left(&table) + scale.bar;
    scale.bar = left > BROADEST ? BROADEST : left < NARROWEST ? NARROWEST : left;
    wf_text_table_free(&table);
    rank_text_fill(&table, page, o, heads, columns, &scale, ranks, count);
    wf_text_table_fit(&table);
    wf_text_table_print_headings(&table);
    for (size_t i = 0; i < count; i++) {
        wf_text_table_print_row(&table, i);
        rank_text_print_ending(page, o, ranks[i]);
    }
    wf_text_table_free(&table);
}

/* ---- the parts of their time in MPI ---- */

/* Only if some time is more than waiting and transfer. Parts that matter nowhere have no column. */
static void rank_text_print_parts(struct wf_page *page, const struct wf_overview *o, const struct wf_rank *const *ranks,
                                  size_t count)
{
    struct wf_column columns[WF_PARTS + 3] = {{"rank", true, WF_CUT_NEVER}};
    struct wf_text_table table;
    int used = 1;
    bool idle = false;
    for (int part = 0; part < WF_PARTS; part++) {
        idle |= part >= WF_PART_POLLING && o->matters[part];
        if (part < WF_PART_POLLING || o->matters[part])
            columns[used++] = (struct wf_column){wf_part_names[part].name, true, WF_CUT_NEVER};
    }
    if (!idle)
        return;
    if (o->matters[WF_PART_NO_CORE]) {
        columns[used++] = (struct wf_column){"outside", true, WF_CUT_NEVER};
        columns[used++] = (struct wf_column){"in all", true, WF_CUT_NEVER};
    }
    wf_text_table_init(&table, page, columns, used, 2);
    for (size_t i = 0; i < count; i++) {
        struct wf_parts parts = wf_rank_parts(ranks[i]);
        wf_text_table_add(&table, WF_PLAIN, "%" PRId64, ranks[i]->rank);
        for (int part = 0; part < WF_PARTS; part++)
            if (part < WF_PART_POLLING || o->matters[part])
                wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, parts.ns[part]).text);
        if (o->matters[WF_PART_NO_CORE]) {
            wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, ranks[i]->no_core_outside_ns).text);
            wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, ranks[i]->no_core_all_ns).text);
        }
    }
    wf_page_heading(page, "Parts of their time in MPI%s",
                    o->matters[WF_PART_NO_CORE] ? "; without a core outside of MPI, and in all" : "");
    wf_text_table_print(&table);
    wf_text_table_free(&table);
}

/* ---- many ranks: how their values are spread ---- */

static const struct {
    const char *name;
    enum wf_part part; /* that it belongs to: shown if it matters; WF_PARTS: always */
    size_t place;
} spread[] = {
    {"useful", WF_PARTS, offsetof(struct wf_rank, useful_ns)},
    {"in MPI", WF_PARTS, offsetof(struct wf_rank, mpi_ns)},
    {"waiting", WF_PART_WAITING, offsetof(struct wf_rank, sync_ns)},
    {"polling", WF_PART_POLLING, offsetof(struct wf_rank, idle.polling_ns)},
    {"unexplained", WF_PART_UNEXPLAINED, offsetof(struct wf_rank, idle.unexplained_ns)},
    {"no core in MPI", WF_PART_NO_CORE, offsetof(struct wf_rank, idle.no_core_ns)},
    {"no core outside", WF_PART_NO_CORE, offsetof(struct wf_rank, no_core_outside_ns)},
    {"no core in all", WF_PART_NO_CORE, offsetof(struct wf_rank, no_core_all_ns)},
    {"wall", WF_PARTS, offsetof(struct wf_rank, wall_ns)},
};
static const struct {
    const char *name;
    double part;
} quantiles[] = {{"min", 0}, {"10 %", 0.1}, {"25 %", 0.25}, {"median", 0.5}, {"75 %", 0.75}, {"90 %", 0.9}, {"max", 1}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

static int rank_text_by_place(const void *a, const void *b, void *place)
{
    int64_t left = rank_text_value(*(const struct wf_rank *const *)a, *(size_t *)place);
    int64_t right = rank_text_value(*(const struct wf_rank *const *)b, *(size_t *)place);
    return left != right                                                             ? (left < right) - (left > right)
           : (*(const struct wf_rank *const *)a > *(const struct wf_rank *const *)b) ? 1
                                                                                     : -1;
}

static void rank_text_sort(const struct wf_rank **ranks, size_t count, size_t place)
{
    qsort_r(ranks, count, sizeof *ranks, rank_text_by_place, &place);
}

static bool rank_text_is_spread(const struct wf_overview *o, enum wf_part part)
{
    return part == WF_PARTS || (part == WF_PART_WAITING ? o->waits.count > 0 : o->matters[part]);
}

static void rank_text_print_quantiles(struct wf_page *page, const struct wf_overview *o, const struct wf_rank **ranks,
                                      size_t count)
{
    struct wf_column heads[QUANTILES + 1] = {{"", false, WF_CUT_NEVER}};
    struct wf_text_table table;
    for (size_t i = 0; i < QUANTILES; i++)
        heads[i + 1] = (struct wf_column){quantiles[i].name, true, WF_CUT_NEVER};
    wf_text_table_init(&table, page, heads, QUANTILES + 1, 2);
    for (size_t s = 0; s < sizeof spread / sizeof *spread; s++) {
        if (!rank_text_is_spread(o, spread[s].part))
            continue;
        rank_text_sort(ranks, count, spread[s].place);
        wf_text_table_add(&table, WF_PLAIN, "%s", spread[s].name);
        for (size_t i = 0; i < QUANTILES; i++) {
            size_t at = (size_t)lround((1 - quantiles[i].part) * (double)(count - 1)); /* largest first */
            wf_text_table_add(&table, WF_PLAIN, "%s",
                              wf_quantity_time(page, rank_text_value(ranks[at], spread[s].place)).text);
        }
    }
    wf_text_table_print(&table);
    wf_text_table_free(&table);
}

static void rank_text_print_unwell(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_rank_list *list = &o->ranks;
    const struct wf_rank **ranks = wf_memory_array(list->count, sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!wf_rank_ended_well(&list->items[i]) && count < 2 * EXTREMES)
            ranks[count++] = &list->items[i];
    if (count) {
        wf_page_heading(page, "Did not finish");
        rank_text_print_ranks(page, o, ranks, count);
    }
    free(ranks);
}

static void rank_text_print_many(struct wf_page *page, const struct wf_overview *o, const struct wf_rank **ranks,
                                 size_t count)
{
    rank_text_print_quantiles(page, o, ranks, count);
    wf_page_heading(page, "Most useful work");
    rank_text_sort(ranks, count, offsetof(struct wf_rank, useful_ns));
    rank_text_print_ranks(page, o, ranks, EXTREMES);
    wf_page_heading(page, "Most time in MPI");
    rank_text_sort(ranks, count, offsetof(struct wf_rank, mpi_ns));
    rank_text_print_ranks(page, o, ranks, EXTREMES);
    rank_text_print_unwell(page, o);
    wf_page_wrap(page, WF_DIM, "  ", "%s every rank: --all", page->glyphs->ellipsis);
}

void wf_rank_list_print(struct wf_page *page, const struct wf_overview *o, bool all)
{
    size_t count = o->ranks.count;
    const struct wf_rank **ranks = wf_memory_array(count, sizeof *ranks);
    for (size_t i = 0; i < count; i++)
        ranks[i] = &o->ranks.items[i];
    wf_page_heading(page, "Ranks: %s useful, %s MPI, wall time %s", page->glyphs->useful, page->glyphs->mpi,
                    wf_quantity_time(page, wf_program_integer(&o->program, "wall_ns")).text);
    if (o->waits.count)
        wf_page_wrap(page, WF_DIM, "  ",
                     "waits: time in MPI spent waiting for other ranks; caused: time that other ranks waited for this "
                     "rank's own work");
    wf_no_core_print(page, o, "  ", o->no_core_share > 0);
    if (count > MANY && !all) {
        rank_text_print_many(page, o, ranks, count);
    } else {
        rank_text_print_ranks(page, o, ranks, count);
        rank_text_print_parts(page, o, ranks, count);
    }
    free(ranks);
}
