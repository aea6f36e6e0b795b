/* SPDX-License-Identifier: BSD-3-Clause */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/table.h"
#include "present/text.h"
#include "present/unit.h"

enum {
    MANY = 40,    /* more ranks than this are summed up */
    EXTREMES = 5, /* ranks shown at each end then */
    BROADEST = 48,
    NARROWEST = 4, /* cells of a bar */
};

/* ---- one rank a line ---- */

/* What each rank is compared with. */
struct scale {
    const struct wf_rank *works,
        *waits;        /* the ranks with most useful time and most time in MPI; NULL if there is one rank */
    double longest_ns; /* wall time */
    int bar;           /* cells */
};

static struct scale scale_of(const struct wf_rank_list *ranks)
{
    struct scale scale = {.longest_ns = 1, .bar = 1};
    for (size_t i = 0; i < ranks->count; i++)
        scale.longest_ns = fmax(scale.longest_ns, (double)ranks->items[i].wall_ns);
    if (ranks->first_world > 1) {
        scale.works = wf_rank_list_largest(ranks, offsetof(struct wf_rank, useful_ns));
        scale.waits = wf_rank_list_largest(ranks, offsetof(struct wf_rank, mpi_ns));
    }
    return scale;
}

static const char *mark_of(const struct scale *scale, const struct wf_rank *rank)
{
    if (rank == scale->works && rank == scale->waits)
        return "most work, most MPI";
    return rank == scale->works ? "most work" : rank == scale->waits ? "most MPI" : "";
}

enum { COLUMNS = 9 };

/* Those of waiting are left out where nobody waited, as is the host where there is one. */
static int choose_columns(struct wf_column *chosen, const struct wf_overview *o)
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

static void add_waiting(struct wf_table *table, const struct wf_overview *o, const struct wf_rank *rank)
{
    if (o->waits.count == 0)
        return;
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(table->page, rank->sync_ns).text);
    wf_table_add(table, WF_PLAIN, "%s",
                 wf_unit_time(table->page, o->waits.caused_ns[rank - o->ranks.items]).text);
}

static void add_rank(struct wf_table *table, const struct wf_overview *o, const struct scale *scale,
                     const struct wf_rank *rank)
{
    struct wf_page *page = table->page;
    double useful = (double)rank->useful_ns, mpi = (double)rank->mpi_ns,
           wall = rank->wall_ns ? (double)rank->wall_ns : 1;
    wf_table_add(table, WF_PLAIN, "%" PRId64, rank->rank);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, rank->useful_ns).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_time(page, rank->mpi_ns).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_short_percent(mpi / wall).text);
    add_waiting(table, o, rank);
    wf_table_add(table, WF_PLAIN, "%s",
                 wf_bar_draw_two(page, useful / scale->longest_ns, mpi / scale->longest_ns, scale->bar).text);
    wf_table_add(table, WF_WARN, "%s", mark_of(scale, rank));
    wf_table_add(table, WF_DIM, "%s", o->ranks.hosts > 1 ? rank->host : "");
}

static void print_ending(struct wf_page *page, const struct wf_overview *o, const struct wf_rank *rank)
{
    char *ending = wf_ending_text(o, rank);
    if (*ending)
        wf_page_wrap(page, WF_WARN, "        ! ", "%s", ending);
    free(ending);
}

static void fill(struct wf_table *table, struct wf_page *page, const struct wf_overview *o,
                 const struct wf_column *heads, int columns, const struct scale *scale,
                 const struct wf_rank *const *ranks, size_t count)
{
    wf_table_init(table, page, heads, columns, 2);
    for (size_t i = 0; i < count; i++)
        add_rank(table, o, scale, ranks[i]);
}

static void print_ranks(struct wf_page *page, const struct wf_overview *o, const struct wf_rank *const *ranks,
                        size_t count)
{
    struct wf_table table;
    struct scale scale = scale_of(&o->ranks);
    struct wf_column heads[COLUMNS];
    int columns = choose_columns(heads, o);
    /* Everything but the bar first, to see how much is left for it. */
    fill(&table, page, o, heads, columns, &scale, ranks, count);
    int left = wf_table_left(&table) + scale.bar;
    scale.bar = left > BROADEST ? BROADEST : left < NARROWEST ? NARROWEST : left;
    wf_table_free(&table);
    fill(&table, page, o, heads, columns, &scale, ranks, count);
    wf_table_fit(&table);
    wf_table_print_headings(&table);
    for (size_t i = 0; i < count; i++) {
        wf_table_print_row(&table, i);
        print_ending(page, o, ranks[i]);
    }
    wf_table_free(&table);
}

/* ---- many ranks: how their values are spread ---- */

static const struct {
    const char *name;
    size_t place;
} spread[] = {
    {"useful", offsetof(struct wf_rank, useful_ns)},
    {"in MPI", offsetof(struct wf_rank, mpi_ns)},
    {"waiting", offsetof(struct wf_rank, sync_ns)},
    {"wall", offsetof(struct wf_rank, wall_ns)},
};
static const struct {
    const char *name;
    double part;
} quantiles[] = {{"min", 0},     {"10 %", 0.1}, {"25 %", 0.25}, {"median", 0.5},
                 {"75 %", 0.75}, {"90 %", 0.9}, {"max", 1}};
enum { QUANTILES = sizeof quantiles / sizeof *quantiles };

static int64_t value_at(const struct wf_rank *rank, size_t place)
{
    return *(const int64_t *)((const char *)rank + place);
}

static int by_place(const void *a, const void *b, void *place)
{
    int64_t left = value_at(*(const struct wf_rank *const *)a, *(size_t *)place);
    int64_t right = value_at(*(const struct wf_rank *const *)b, *(size_t *)place);
    return left != right ? (left < right) - (left > right)
           : (*(const struct wf_rank *const *)a > *(const struct wf_rank *const *)b) ? 1
                                                                                     : -1;
}

static void sort_by(const struct wf_rank **ranks, size_t count, size_t place)
{
    qsort_r(ranks, count, sizeof *ranks, by_place, &place);
}

static void print_quantiles(struct wf_page *page, const struct wf_rank **ranks, size_t count, bool waits)
{
    struct wf_column heads[QUANTILES + 1] = {{"", false, WF_CUT_NEVER}};
    struct wf_table table;
    for (size_t i = 0; i < QUANTILES; i++)
        heads[i + 1] = (struct wf_column){quantiles[i].name, true, WF_CUT_NEVER};
    wf_table_init(&table, page, heads, QUANTILES + 1, 2);
    for (size_t s = 0; s < sizeof spread / sizeof *spread; s++) {
        if (spread[s].place == offsetof(struct wf_rank, sync_ns) && !waits)
            continue;
        sort_by(ranks, count, spread[s].place);
        wf_table_add(&table, WF_PLAIN, "%s", spread[s].name);
        for (size_t i = 0; i < QUANTILES; i++) {
            size_t at = (size_t)lround((1 - quantiles[i].part) * (double)(count - 1)); /* largest first */
            wf_table_add(&table, WF_PLAIN, "%s",
                         wf_unit_time(page, value_at(ranks[at], spread[s].place)).text);
        }
    }
    wf_table_print(&table);
    wf_table_free(&table);
}

static void print_unwell(struct wf_page *page, const struct wf_overview *o)
{
    const struct wf_rank_list *list = &o->ranks;
    const struct wf_rank **ranks = wf_memory_array(list->count, sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        if (!wf_rank_ended_well(&list->items[i]) && count < 2 * EXTREMES)
            ranks[count++] = &list->items[i];
    if (count) {
        wf_page_heading(page, "Did not finish");
        print_ranks(page, o, ranks, count);
    }
    free(ranks);
}

static void print_many(struct wf_page *page, const struct wf_overview *o, const struct wf_rank **ranks,
                       size_t count)
{
    print_quantiles(page, ranks, count, o->waits.count > 0);
    wf_page_heading(page, "Most useful work");
    sort_by(ranks, count, offsetof(struct wf_rank, useful_ns));
    print_ranks(page, o, ranks, EXTREMES);
    wf_page_heading(page, "Most time in MPI");
    sort_by(ranks, count, offsetof(struct wf_rank, mpi_ns));
    print_ranks(page, o, ranks, EXTREMES);
    print_unwell(page, o);
    wf_page_wrap(page, WF_DIM, "  ", "%s every rank: --all", page->glyphs->ellipsis);
}

void wf_rank_list_print(struct wf_page *page, const struct wf_overview *o, bool all)
{
    size_t count = o->ranks.count;
    const struct wf_rank **ranks = wf_memory_array(count, sizeof *ranks);
    for (size_t i = 0; i < count; i++)
        ranks[i] = &o->ranks.items[i];
    wf_page_heading(page, "Ranks: %s useful, %s MPI, wall time %s", page->glyphs->useful, page->glyphs->mpi,
                    wf_unit_time(page, wf_program_integer(&o->program, "wall_ns")).text);
    if (o->waits.count)
        wf_page_wrap(page, WF_DIM, "  ",
                     "waits: of MPI, for other ranks; caused: how long others waited for this rank");
    if (count > MANY && !all)
        print_many(page, o, ranks, count);
    else
        print_ranks(page, o, ranks, count);
    free(ranks);
}
