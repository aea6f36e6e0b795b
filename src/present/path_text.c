/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path, in the form of Hollingsworth's tables: a region's time, its share of the path and what
 * making it faster would save, side by side.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/name.h"
#include "analyse/sum.h"
#include "present/bar.h"
#include "present/report_text.h"
#include "present/table.h"
#include "present/text.h"
#include "present/unit.h"

enum {
    TOP = 5,
    TOP_HOT = 3,
    TOP_TRANSFERS = 10,
    TOP_PLACES = 8,
    BAR = 24,
    WIDE = 100,
    FIGURES = 7,
    ALL = WF_CRITICAL_STEPS - 1
};

/* A clock that steps back may leave a figure just below 0. */
static int64_t positive(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static struct wf_unit percent(int64_t part, int64_t whole)
{
    return wf_unit_short_percent(whole > 0 ? (double)positive(part) / (double)whole : 0);
}

static struct wf_unit time_of(const struct wf_page *page, int64_t ns)
{
    return wf_unit_time(page, positive(ns));
}

/* What savings are a part of. */
static const char *whole_name(const struct wf_critical_path *path)
{
    return path->cpu ? "path" : "run";
}

static bool is_on_path(const struct wf_critical_region *region)
{
    return region->share_ns > 0 || region->all_share_ns > 0 || region->saved_ns[ALL] > 0;
}

/* "relax", "MPI_Recv", "after MPI_Recv", "relax and 3 more". To be freed. */
static char *region_name(const struct wf_critical_region *region)
{
    char *name = wf_name_short(region->name), *text;
    if (region->regions < 2)
        return name;
    if (asprintf(&text, "%s and %s more", name, wf_unit_count(region->regions - 1).text) < 0)
        return name;
    free(name);
    return text;
}

/* "relax (heat.c:88)". To be freed. */
static char *region_text(const struct wf_critical_region *region)
{
    char *name = region_name(region), *place = wf_critical_region_place(region), *text;
    if (asprintf(&text, *place ? "%s (%s)" : "%s%s", name, place) < 0)
        text = wf_memory_text("");
    free(name);
    free(place);
    return text;
}

/* ---- the first five, and what is hot ---- */

static const struct wf_column top_columns[] = {
    {"", false, WF_CUT_NEVER},      {"of path", true, WF_CUT_NEVER}, {"-25 %", true, WF_CUT_NEVER},
    {"-50 %", true, WF_CUT_NEVER},  {"-75 %", true, WF_CUT_NEVER},   {"-100 %", true, WF_CUT_NEVER},
    {"region", false, WF_CUT_NAME}, {"place", false, WF_CUT_PATH}};

static void add_top(struct wf_table *table, const struct wf_critical_path *path,
                    const struct wf_critical_region *region, const char *prefix)
{
    char *name = region_name(region), *place = wf_critical_region_place(region);
    wf_table_add(table, WF_PLAIN, "%s", prefix);
    wf_table_add(table, WF_BOLD, "%s", percent(region->share_ns, path->length_ns).text);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_table_add(table, WF_PLAIN, "%s", percent(region->saved_ns[step], path->whole_ns).text);
    wf_table_add(table, WF_BOLD, "%s", name);
    wf_table_add(table, WF_PLAIN, "%s", place);
    free(name);
    free(place);
}

/* The headings stand behind the prefix, too: they are a row like the others. */
static void add_top_headings(struct wf_table *table, const char *prefix)
{
    for (int i = 0; i < table->column_count; i++)
        wf_table_add(table, WF_DIM, "%s", i ? top_columns[i].heading : prefix);
}

static void print_top_table(struct wf_page *page, const struct wf_critical_path *path, const char *prefix)
{
    struct wf_table table;
    wf_table_init(&table, page, top_columns, sizeof top_columns / sizeof *top_columns, 0);
    table.gap = 1;
    add_top_headings(&table, prefix);
    for (size_t i = 0; i < path->count && i < TOP && path->regions[i].share_ns > 0; i++)
        add_top(&table, path, &path->regions[i], prefix);
    wf_table_fit(&table);
    wf_table_spread(&table, 2);
    for (size_t row = 0; row < wf_table_rows(&table); row++)
        wf_table_print_row(&table, row);
    wf_table_free(&table);
}

static void print_top_hot(struct wf_page *page, const struct wf_critical_path *path, const char *first)
{
    const struct wf_critical_region **hot = wf_critical_path_hot(path);
    char *list = wf_memory_text("");
    size_t count = 0;
    for (; count < TOP_HOT && hot[count]; count++) {
        char *text = region_text(hot[count]), *longer;
        if (asprintf(&longer, "%s%s%s, %s of all ranks' time", list, count ? "; " : "", text,
                     percent(wf_critical_region_busy_ns(hot[count]), path->time_ns).text) >= 0) {
            free(list);
            list = longer;
        }
        free(text);
    }
    if (count)
        wf_page_wrap(page, WF_PLAIN, first, "hot, but making it faster saves nothing: %s", list);
    free(list);
    free(hot);
}

void wf_critical_path_print_top(struct wf_page *page, const struct wf_overview *o, const char *prefix)
{
    const struct wf_critical_path *path = &o->path;
    char first[32];
    snprintf(first, sizeof first, "%s ", prefix);
    if (path->count == 0 || path->regions[0].share_ns <= 0) {
        wf_page_wrap(page, WF_PLAIN, first, "critical path %s; no tracked region is on it",
                     time_of(page, path->length_ns).text);
        return;
    }
    wf_page_wrap(page, WF_PLAIN, first, "critical path %s; if one of these took less, the %s would save:",
                 time_of(page, path->length_ns).text, whole_name(path));
    print_top_table(page, path, prefix);
    print_top_hot(page, path, first);
}

/* ---- all regions ---- */

static const struct wf_column columns[] = {{"own", true, WF_CUT_NEVER},    {"all", true, WF_CUT_NEVER},
                                           {"time", true, WF_CUT_NEVER},   {"-25 %", true, WF_CUT_NEVER},
                                           {"-50 %", true, WF_CUT_NEVER},  {"-75 %", true, WF_CUT_NEVER},
                                           {"-100 %", true, WF_CUT_NEVER}, {"region", false, WF_CUT_NEVER}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void add_blanks(struct wf_table *table, int count)
{
    for (int i = 0; i < count; i++)
        wf_table_add(table, WF_PLAIN, "%s", "");
}

/* Three lines for a region: savings as parts, the same as times, and those of all inside it where they
 * differ. */
static void add_parts(struct wf_table *table, const struct wf_critical_path *path,
                      const struct wf_critical_region *region)
{
    wf_table_add(table, WF_BOLD, "%s", percent(region->share_ns, path->length_ns).text);
    wf_table_add(table, WF_PLAIN, "%s", percent(region->all_share_ns, path->length_ns).text);
    wf_table_add(table, WF_PLAIN, "%s",
                 region->time_known ? time_of(table->page, region->time_ns).text : table->page->glyphs->dash);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_table_add(table, WF_BOLD, "%s", percent(region->saved_ns[step], path->whole_ns).text);
}

static void add_times(struct wf_table *table, const struct wf_critical_region *region)
{
    add_blanks(table, FIGURES - WF_CRITICAL_STEPS);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_table_add(table, WF_PLAIN, "%s", time_of(table->page, region->saved_ns[step]).text);
}

static void add_all(struct wf_table *table, const struct wf_critical_path *path,
                    const struct wf_critical_region *region)
{
    add_blanks(table, FIGURES - WF_CRITICAL_STEPS);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_table_add(table, WF_DIM, "%s", percent(region->all_saved_ns[step], path->whole_ns).text);
}

static bool all_differs(const struct wf_critical_region *region)
{
    return region->all_known && memcmp(region->all_saved_ns, region->saved_ns, sizeof region->saved_ns) != 0;
}

/* Names are cut at their end, places at their front: so before they come into one column. */
static void add_label(struct wf_table *table, enum wf_style style, char *text, int room,
                      char *(*cut)(const char *text, int columns, const char *ellipsis))
{
    char *shown = cut(wf_text_clean(text), room, table->page->glyphs->ellipsis);
    wf_table_add(table, style, "%s", shown);
    free(shown);
    free(text);
}

static void add_region(struct wf_table *table, const struct wf_critical_path *path,
                       const struct wf_critical_region *region, int room)
{
    add_parts(table, path, region);
    add_label(table, WF_BOLD, region_name(region), room, wf_text_cut_name);
    add_times(table, region);
    add_label(table, WF_PLAIN, wf_critical_region_place(region), room, wf_text_cut_path);
    if (!all_differs(region))
        return;
    add_all(table, path, region);
    add_label(table, WF_DIM, wf_memory_text("with all inside it"), room, wf_text_cut);
}

static void fill_regions(struct wf_table *table, struct wf_page *page, const struct wf_critical_path *path,
                         size_t shown, int room)
{
    wf_table_init(table, page, columns, COLUMNS, 2);
    table->gap = page->width < WIDE ? 1 : 2;
    for (size_t i = 0; i < shown; i++)
        add_region(table, path, &path->regions[i], room);
}

static void print_regions(struct wf_page *page, const struct wf_critical_path *path, size_t shown)
{
    struct wf_table table;
    /* With the names at their shortest first, to see how much is left for them. */
    fill_regions(&table, page, path, shown, 1);
    int room = wf_table_left(&table) + table.widths[FIGURES];
    wf_table_free(&table);
    fill_regions(&table, page, path, shown, room);
    wf_table_print_headings(&table);
    wf_page_rule(page, table.indent, wf_table_wants(&table));
    for (size_t row = 0; row < wf_table_rows(&table); row++)
        wf_table_print_row(&table, row);
    wf_table_free(&table);
}

static void print_rest(struct wf_page *page, const struct wf_critical_path *path, size_t shown)
{
    int64_t rest_ns = 0;
    for (size_t i = shown; i < path->count; i++)
        wf_sum_add(&rest_ns, path->regions[i].share_ns);
    if (shown < path->count)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more with %s of the path (--all)", page->glyphs->ellipsis,
                     wf_unit_count((int64_t)(path->count - shown)).text,
                     percent(rest_ns, path->length_ns).text);
}

/* Without those that are not on the path, unless all are wanted. */
static size_t count_shown(const struct wf_critical_path *path, size_t top, bool all)
{
    size_t shown = 0;
    while (shown < path->count && (all || (shown < top && is_on_path(&path->regions[shown]))))
        shown++;
    return shown;
}

static void print_explained(struct wf_page *page, const struct wf_critical_path *path, size_t top, bool all)
{
    size_t shown = count_shown(path, top, all);
    wf_page_wrap(
        page, WF_DIM, "  ",
        "Own and all: what a region has of the path while it is the innermost one, and with what is inside "
        "it. Time: its own, over all "
        "ranks. -25 %% to -100 %%: what the %s would save if it took that much less of its own time.",
        whole_name(path));
    fputc('\n', page->out);
    if (shown)
        print_regions(page, path, shown);
    print_rest(page, path, shown);
}

/* ---- the hot ones ---- */

static void print_hot(struct wf_page *page, const struct wf_critical_path *path)
{
    static const struct wf_column hot_columns[] = {
        {"time", true, WF_CUT_NEVER},  {"of all ranks", true, WF_CUT_NEVER}, {"of path", true, WF_CUT_NEVER},
        {"saves", true, WF_CUT_NEVER}, {"region", false, WF_CUT_NAME},       {"place", false, WF_CUT_PATH}};
    const struct wf_critical_region **hot = wf_critical_path_hot(path);
    struct wf_table table;
    wf_table_init(&table, page, hot_columns, sizeof hot_columns / sizeof *hot_columns, 2);
    for (size_t i = 0; hot[i]; i++) {
        char *name = region_name(hot[i]), *place = wf_critical_region_place(hot[i]);
        int64_t busy_ns = wf_critical_region_busy_ns(hot[i]);
        wf_table_add(&table, WF_WARN, "%s", time_of(page, busy_ns).text);
        wf_table_add(&table, WF_PLAIN, "%s", percent(busy_ns, path->time_ns).text);
        wf_table_add(&table, WF_PLAIN, "%s", percent(hot[i]->share_ns, path->length_ns).text);
        wf_table_add(&table, WF_BOLD, "%s", percent(hot[i]->saved_ns[ALL], path->whole_ns).text);
        wf_table_add(&table, WF_BOLD, "%s", name);
        wf_table_add(&table, WF_PLAIN, "%s", place);
        free(name);
        free(place);
    }
    if (hot[0]) {
        wf_page_heading(page, "Hot, but making it faster saves nothing");
        wf_table_print(&table);
    }
    wf_table_free(&table);
    free(hot);
}

/* ---- transfers ---- */

static void print_statements(struct wf_page *page, const struct wf_critical_path *path)
{
    static const struct wf_column transfer_columns[] = {{"of path", true, WF_CUT_NEVER},
                                                        {"time", true, WF_CUT_NEVER},
                                                        {"call", false, WF_CUT_NEVER},
                                                        {"place", false, WF_CUT_PATH},
                                                        {"procedure", false, WF_CUT_NAME}};
    struct wf_table table;
    wf_table_init(&table, page, transfer_columns, sizeof transfer_columns / sizeof *transfer_columns, 2);
    for (size_t i = 0; i < path->count && wf_table_rows(&table) < TOP_TRANSFERS; i++) {
        const struct wf_critical_region *region = &path->regions[i];
        if (strcmp(region->kind, "statement") != 0 || region->share_ns <= 0)
            continue;
        char *place = wf_critical_region_place(region), *procedure = wf_name_short(region->procedure);
        wf_table_add(&table, WF_BOLD, "%s", percent(region->share_ns, path->length_ns).text);
        wf_table_add(&table, WF_PLAIN, "%s", time_of(page, region->share_ns).text);
        wf_table_add(&table, WF_PLAIN, "%s", region->name);
        wf_table_add(&table, WF_PLAIN, "%s", place);
        wf_table_add(&table, WF_PLAIN, "%s", procedure);
        free(place);
        free(procedure);
    }
    if (wf_table_rows(&table))
        wf_table_print(&table);
    wf_table_free(&table);
}

static void print_transfers(struct wf_page *page, const struct wf_critical_path *path)
{
    const struct wf_critical_region *transfer = &path->transfer;
    if (transfer->all_share_ns <= 0)
        return;
    wf_page_heading(page, "Transfers: %s, %s of the path", time_of(page, transfer->all_share_ns).text,
                    percent(transfer->all_share_ns, path->length_ns).text);
    if (transfer->all_known)
        wf_page_wrap(page, WF_PLAIN, "  ", "if they took no time, the %s would save %s (%s)",
                     whole_name(path), percent(transfer->all_saved_ns[ALL], path->whole_ns).text,
                     time_of(page, transfer->all_saved_ns[ALL]).text);
    if (transfer->share_ns > 0)
        wf_page_wrap(page, WF_PLAIN, "  ", "%s of the path in statements that are not tracked",
                     percent(transfer->share_ns, path->length_ns).text);
    print_statements(page, path);
}

/* ---- where it runs ---- */

static void add_place(struct wf_table *table, const struct wf_critical_path *path,
                      const struct wf_critical_place *place, int bar)
{
    int64_t most = path->places[0].share_ns;
    if (place->first_rank == place->last_rank)
        wf_table_add(table, WF_PLAIN, "rank %" PRId64, place->first_rank);
    else
        wf_table_add(table, WF_PLAIN, "ranks %" PRId64 " to %" PRId64, place->first_rank, place->last_rank);
    wf_table_add(table, WF_BOLD, "%s", percent(place->share_ns, path->length_ns).text);
    wf_table_add(table, WF_PLAIN, "%s", time_of(table->page, place->share_ns).text);
    wf_table_add(table, WF_PLAIN, "%s", wf_unit_short_count(place->arrivals).text);
    wf_table_add(
        table, WF_PLAIN, "%s",
        wf_bar_draw(table->page, most > 0 ? (double)positive(place->share_ns) / (double)most : 0, bar, false)
            .text);
}

static void print_places(struct wf_page *page, const struct wf_critical_path *path, size_t top)
{
    static const struct wf_column place_columns[] = {{"", false, WF_CUT_NEVER},
                                                     {"of path", true, WF_CUT_NEVER},
                                                     {"time", true, WF_CUT_NEVER},
                                                     {"arrivals", true, WF_CUT_NEVER},
                                                     {"", false, WF_CUT_NEVER}};
    struct wf_table table;
    int64_t moves = 0, rest_ns = 0;
    for (size_t i = 0; i < path->place_count; i++)
        wf_sum_add(&moves, path->places[i].arrivals);
    if (path->place_count == 0)
        return;
    wf_page_heading(page, "Where it runs: it goes from rank to rank %s time%s", wf_unit_count(moves).text,
                    moves == 1 ? "" : "s");
    wf_table_init(&table, page, place_columns, sizeof place_columns / sizeof *place_columns, 2);
    for (size_t i = 0; i < path->place_count; i++) {
        if (i < top)
            add_place(&table, path, &path->places[i], BAR);
        else
            wf_sum_add(&rest_ns, path->places[i].share_ns);
    }
    wf_table_print(&table);
    wf_table_free(&table);
    if (path->place_count > top)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more with %s of the path (--all)", page->glyphs->ellipsis,
                     wf_unit_count((int64_t)(path->place_count - top)).text,
                     percent(rest_ns, path->length_ns).text);
}

/* ---- all of it ---- */

static void print_head(struct wf_page *page, const struct wf_critical_path *path)
{
    if (path->cpu)
        wf_page_heading(page, "Critical path: %s of CPU time", time_of(page, path->length_ns).text);
    else
        wf_page_heading(page, "Critical path: %s, %s of the run", time_of(page, path->length_ns).text,
                        percent(path->length_ns, path->whole_ns).text);
    if (path->from_ns > path->whole_ns / 100)
        wf_page_wrap(page, WF_PLAIN, "  ", "it starts %s after the beginning of the run", time_of(page, path->from_ns).text);
    if (path->other.share_ns > 0)
        wf_page_wrap(page, WF_PLAIN, "  ", "%s of it (%s) is computing in regions that are not tracked",
                     percent(path->other.share_ns, path->length_ns).text,
                     time_of(page, path->other.share_ns).text);
}

void wf_critical_path_print(struct wf_page *page, const struct wf_overview *o, size_t top, bool all)
{
    const struct wf_critical_path *path = &o->path;
    if (path->length_ns == 0) {
        wf_page_heading(page, "Critical path");
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "not computed: weft run does so unless it is told --path=off, or --path=later and "
                     "nobody starts it");
        return;
    }
    print_head(page, path);
    print_explained(page, path, top, all);
    print_hot(page, path);
    print_transfers(page, path);
    print_places(page, path, all ? SIZE_MAX : TOP_PLACES);
}
