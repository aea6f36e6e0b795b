/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path in the form of Hollingsworth's tables: a region's time, its share of the path, and what the run
 * would save if it were faster, side by side.
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
#include "present/text_table.h"
#include "present/text.h"
#include "present/quantity.h"

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

static const double nearly_all = 0.95; /* of the run: a shorter path is told */

/* A clock that steps back can leave a value slightly below 0. */
static int64_t path_text_positive(int64_t ns)
{
    return ns > 0 ? ns : 0;
}

static struct wf_quantity path_text_percent(int64_t part, int64_t whole)
{
    return wf_quantity_short_percent(whole > 0 ? (double)path_text_positive(part) / (double)whole : 0);
}

static struct wf_quantity path_text_time(const struct wf_page *page, int64_t ns)
{
    return wf_quantity_time(page, path_text_positive(ns));
}

/* The name of what savings are a percentage of. */
static const char *path_text_whole(const struct wf_critical_path *path)
{
    return path->cpu ? "path" : "run";
}

static bool path_text_is_on_path(const struct wf_critical_region *region)
{
    return region->share_ns > 0 || region->all_share_ns > 0 || region->saved_ns[ALL] > 0;
}

/* "relax", "MPI_Recv", "after MPI_Recv". To be freed. */
static char *path_text_region_name(const struct wf_critical_region *region)
{
    return wf_name_short(region->name);
}

/* A dash where it has not been computed. */
static const char *path_text_known(const struct wf_page *page, bool known, struct wf_quantity quantity)
{
    static char text[sizeof quantity.text];
    memcpy(text, quantity.text, sizeof text);
    return known ? text : page->glyphs->dash;
}

/* "relax (heat.c:88)". To be freed. */
static char *path_text_region(const struct wf_critical_region *region)
{
    char *name = path_text_region_name(region), *place = wf_critical_region_place(region), *text;
    if (asprintf(&text, *place ? "%s (%s)" : "%s%s", name, place) < 0)
        text = wf_memory_text("");
    free(name);
    free(place);
    return text;
}

/* What is in no region's row, if it is enough to be seen. */
#define REST "not followed"

static bool path_text_rest_matters(const struct wf_critical_path *path)
{
    return (double)path->rest_ns >= 0.001 * (double)path->length_ns && path->rest_ns > 0;
}

/* ---- the first five, and what is hot ---- */

static const struct wf_column top_columns[] = {{"", false, WF_CUT_NEVER},      {"of path", true, WF_CUT_NEVER},
                                               {"-25 %", true, WF_CUT_NEVER},  {"-50 %", true, WF_CUT_NEVER},
                                               {"-75 %", true, WF_CUT_NEVER},  {"-100 %", true, WF_CUT_NEVER},
                                               {"region", false, WF_CUT_NAME}, {"place", false, WF_CUT_PATH}};

static void path_text_add_top(struct wf_text_table *table, const struct wf_critical_path *path,
                              const struct wf_critical_region *region, const char *prefix)
{
    char *name = path_text_region_name(region), *place = wf_critical_region_place(region);
    wf_text_table_add(table, WF_PLAIN, "%s", prefix);
    wf_text_table_add(table, WF_BOLD, "%s", path_text_percent(region->share_ns, path->length_ns).text);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_text_table_add(table, WF_PLAIN, "%s",
                          path_text_known(table->page, region->saved_known,
                                          path_text_percent(region->saved_ns[step], path->whole_ns)));
    wf_text_table_add(table, WF_BOLD, "%s", name);
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    free(name);
    free(place);
}

/* The headings also follow the prefix, so they are a row like the others. */
static void path_text_add_top_headings(struct wf_text_table *table, const char *prefix)
{
    for (int i = 0; i < table->column_count; i++)
        wf_text_table_add(table, WF_DIM, "%s", i ? top_columns[i].heading : prefix);
}

static void path_text_print_top_table(struct wf_page *page, const struct wf_critical_path *path, const char *prefix)
{
    struct wf_text_table table;
    wf_text_table_init(&table, page, top_columns, sizeof top_columns / sizeof *top_columns, 0);
    table.gap = 1;
    path_text_add_top_headings(&table, prefix);
    for (size_t i = 0; i < path->count && i < TOP && path->regions[i].share_ns > 0; i++)
        path_text_add_top(&table, path, &path->regions[i], prefix);
    if (path_text_rest_matters(path))
        path_text_add_top(&table, path,
                          &(struct wf_critical_region){.name = REST, .file = "", .share_ns = path->rest_ns}, prefix);
    wf_text_table_fit(&table);
    wf_text_table_spread(&table, 2);
    for (size_t row = 0; row < wf_text_table_rows(&table); row++)
        wf_text_table_print_row(&table, row);
    wf_text_table_free(&table);
}

static void path_text_print_top_hot(struct wf_page *page, const struct wf_critical_path *path, const char *first)
{
    const struct wf_critical_region **hot = wf_critical_path_hot(path);
    char *list = wf_memory_text("");
    size_t count = 0;
    for (; count < TOP_HOT && hot[count]; count++) {
        char *text = path_text_region(hot[count]), *longer;
        if (asprintf(&longer, "%s%s%s, %s of all ranks' time", list, count ? "; " : "", text,
                     path_text_percent(wf_critical_region_busy_ns(hot[count]), path->time_ns).text) >= 0) {
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
        wf_page_wrap(page, WF_PLAIN, first, "critical path %s; no region that is followed is on it",
                     path_text_time(page, path->length_ns).text);
        return;
    }
    char part[64] = "";
    if (!path->cpu && (double)path->length_ns < nearly_all * (double)path->whole_ns)
        snprintf(part, sizeof part, ", %s of the run", path_text_percent(path->length_ns, path->whole_ns).text);
    wf_page_wrap(page, WF_PLAIN, first, "critical path %s%s; if one of these took less, the %s would save:",
                 path_text_time(page, path->length_ns).text, part, path_text_whole(path));
    path_text_print_top_table(page, path, prefix);
    path_text_print_top_hot(page, path, first);
}

/* ---- all regions ---- */

static const struct wf_column columns[] = {{"own", true, WF_CUT_NEVER},    {"all", true, WF_CUT_NEVER},
                                           {"time", true, WF_CUT_NEVER},   {"-25 %", true, WF_CUT_NEVER},
                                           {"-50 %", true, WF_CUT_NEVER},  {"-75 %", true, WF_CUT_NEVER},
                                           {"-100 %", true, WF_CUT_NEVER}, {"region", false, WF_CUT_NEVER}};

enum { COLUMNS = sizeof columns / sizeof *columns };

static void path_text_add_blanks(struct wf_text_table *table, int count)
{
    for (int i = 0; i < count; i++)
        wf_text_table_add(table, WF_PLAIN, "%s", "");
}

/* A region has two or three lines: savings as percentages, savings as times, and, if different, the savings of
 * everything inside the region. */
static void path_text_add_parts(struct wf_text_table *table, const struct wf_critical_path *path,
                                const struct wf_critical_region *region)
{
    wf_text_table_add(table, WF_BOLD, "%s", path_text_percent(region->share_ns, path->length_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s",
                      path_text_known(table->page, region->all_share_known,
                                      path_text_percent(region->all_share_ns, path->length_ns)));
    wf_text_table_add(table, WF_PLAIN, "%s",
                      region->time_known ? path_text_time(table->page, region->time_ns).text
                                         : table->page->glyphs->dash);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_text_table_add(table, WF_BOLD, "%s",
                          path_text_known(table->page, region->saved_known,
                                          path_text_percent(region->saved_ns[step], path->whole_ns)));
}

static void path_text_add_times(struct wf_text_table *table, const struct wf_critical_region *region)
{
    path_text_add_blanks(table, FIGURES - WF_CRITICAL_STEPS);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_text_table_add(table, WF_PLAIN, "%s",
                          region->saved_known ? path_text_time(table->page, region->saved_ns[step]).text : "");
}

static void path_text_add_all(struct wf_text_table *table, const struct wf_critical_path *path,
                              const struct wf_critical_region *region)
{
    path_text_add_blanks(table, FIGURES - WF_CRITICAL_STEPS);
    for (int step = 0; step < WF_CRITICAL_STEPS; step++)
        wf_text_table_add(table, WF_DIM, "%s", path_text_percent(region->all_saved_ns[step], path->whole_ns).text);
}

static bool path_text_all_differs(const struct wf_critical_region *region)
{
    return region->all_known && memcmp(region->all_saved_ns, region->saved_ns, sizeof region->saved_ns) != 0;
}

/* Names are cut at their end and places at their front, so both are cut before they share a column. */
static void path_text_add_label(struct wf_text_table *table, enum wf_style style, char *text, int room,
                                char *(*cut)(const char *text, int columns, const char *ellipsis))
{
    char *shown = cut(wf_text_clean(text), room, table->page->glyphs->ellipsis);
    wf_text_table_add(table, style, "%s", shown);
    free(shown);
    free(text);
}

static void path_text_add_region(struct wf_text_table *table, const struct wf_critical_path *path,
                                 const struct wf_critical_region *region, int room)
{
    path_text_add_parts(table, path, region);
    path_text_add_label(table, WF_BOLD, path_text_region_name(region), room, wf_text_cut_name);
    path_text_add_times(table, region);
    path_text_add_label(table, WF_PLAIN, wf_critical_region_place(region), room, wf_text_cut_path);
    if (!path_text_all_differs(region))
        return;
    path_text_add_all(table, path, region);
    path_text_add_label(table, WF_DIM, wf_memory_text("with all inside it"), room, wf_text_cut);
}

static void path_text_fill_regions(struct wf_text_table *table, struct wf_page *page,
                                   const struct wf_critical_path *path, size_t shown, int room)
{
    wf_text_table_init(table, page, columns, COLUMNS, 2);
    table->gap = page->width < WIDE ? 1 : 2;
    for (size_t i = 0; i < shown; i++)
        path_text_add_region(table, path, &path->regions[i], room);
    if (!path_text_rest_matters(path))
        return;
    path_text_add_parts(table, path, &(struct wf_critical_region){.share_ns = path->rest_ns});
    path_text_add_label(table, WF_BOLD, wf_memory_text(REST), room, wf_text_cut_name);
}

static void path_text_print_regions(struct wf_page *page, const struct wf_critical_path *path, size_t shown)
{
    struct wf_text_table table;
    /* The first pass uses the shortest names, to measure the room for them. */
    path_text_fill_regions(&table, page, path, shown, 1);
    int room = wf_text_table_left(&table) + table.widths[FIGURES];
    wf_text_table_free(&table);
    path_text_fill_regions(&table, page, path, shown, room);
    wf_text_table_print_headings(&table);
    wf_page_rule(page, table.indent, wf_text_table_wants(&table));
    for (size_t row = 0; row < wf_text_table_rows(&table); row++)
        wf_text_table_print_row(&table, row);
    wf_text_table_free(&table);
}

static void path_text_print_rest(struct wf_page *page, const struct wf_critical_path *path, size_t shown)
{
    int64_t rest_ns = 0;
    for (size_t i = shown; i < path->count; i++)
        wf_sum_add(&rest_ns, path->regions[i].share_ns);
    if (shown < path->count)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more region%s with %s of the path (--all)", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)(path->count - shown)).text, path->count - shown == 1 ? "" : "s",
                     path_text_percent(rest_ns, path->length_ns).text);
}

/* Counts the regions on the path, or all regions. */
static size_t path_text_count_shown(const struct wf_critical_path *path, size_t top, bool all)
{
    size_t shown = 0;
    while (shown < path->count && (all || (shown < top && path_text_is_on_path(&path->regions[shown]))))
        shown++;
    return shown;
}

static bool path_text_some_are_unknown(const struct wf_critical_path *path, size_t shown)
{
    bool some = path_text_rest_matters(path);
    for (size_t i = 0; i < shown; i++)
        some = some || !path->regions[i].saved_known;
    return some;
}

static void path_text_print_explained(struct wf_page *page, const struct wf_critical_path *path, size_t top, bool all)
{
    size_t shown = path_text_count_shown(path, top, all);
    wf_page_wrap(page, WF_DIM, "  ",
                 "own: the share of the path on which the region is the innermost one; all: with everything inside it. "
                 "time: its own time, over all ranks. -25 %% to -100 %%: what the %s would save if its own time were "
                 "that much shorter.",
                 path_text_whole(path));
    if (path_text_some_are_unknown(path, shown))
        wf_page_wrap(page, WF_DIM, "  ", "%s: not computed, because the region was not followed (--path-regions).",
                     page->glyphs->dash);
    fputc('\n', page->out);
    if (shown || path_text_rest_matters(path))
        path_text_print_regions(page, path, shown);
    path_text_print_rest(page, path, shown);
}

/* ---- the hot ones ---- */

static void path_text_print_hot(struct wf_page *page, const struct wf_critical_path *path)
{
    static const struct wf_column hot_columns[] = {
        {"time", true, WF_CUT_NEVER},  {"of all ranks", true, WF_CUT_NEVER}, {"of path", true, WF_CUT_NEVER},
        {"saves", true, WF_CUT_NEVER}, {"region", false, WF_CUT_NAME},       {"place", false, WF_CUT_PATH}};
    const struct wf_critical_region **hot = wf_critical_path_hot(path);
    struct wf_text_table table;
    wf_text_table_init(&table, page, hot_columns, sizeof hot_columns / sizeof *hot_columns, 2);
    for (size_t i = 0; hot[i]; i++) {
        char *name = path_text_region_name(hot[i]), *place = wf_critical_region_place(hot[i]);
        int64_t busy_ns = wf_critical_region_busy_ns(hot[i]);
        wf_text_table_add(&table, WF_WARN, "%s", path_text_time(page, busy_ns).text);
        wf_text_table_add(&table, WF_PLAIN, "%s", path_text_percent(busy_ns, path->time_ns).text);
        wf_text_table_add(&table, WF_PLAIN, "%s", path_text_percent(hot[i]->share_ns, path->length_ns).text);
        wf_text_table_add(&table, WF_BOLD, "%s", path_text_percent(hot[i]->saved_ns[ALL], path->whole_ns).text);
        wf_text_table_add(&table, WF_BOLD, "%s", name);
        wf_text_table_add(&table, WF_PLAIN, "%s", place);
        free(name);
        free(place);
    }
    if (hot[0]) {
        wf_page_heading(page, "Hot, but making it faster saves nothing");
        wf_text_table_print(&table);
    }
    wf_text_table_free(&table);
    free(hot);
}

/* ---- transfers ---- */

static void path_text_print_statements(struct wf_page *page, const struct wf_critical_path *path)
{
    static const struct wf_column transfer_columns[] = {{"of path", true, WF_CUT_NEVER},
                                                        {"time", true, WF_CUT_NEVER},
                                                        {"call", false, WF_CUT_NEVER},
                                                        {"place", false, WF_CUT_PATH},
                                                        {"procedure", false, WF_CUT_NAME}};
    struct wf_text_table table;
    wf_text_table_init(&table, page, transfer_columns, sizeof transfer_columns / sizeof *transfer_columns, 2);
    for (size_t i = 0; i < path->count && wf_text_table_rows(&table) < TOP_TRANSFERS; i++) {
        const struct wf_critical_region *region = &path->regions[i];
        if (strcmp(region->kind, "statement") != 0 || region->share_ns <= 0)
            continue;
        char *place = wf_critical_region_place(region), *procedure = wf_name_short(region->procedure);
        wf_text_table_add(&table, WF_BOLD, "%s", path_text_percent(region->share_ns, path->length_ns).text);
        wf_text_table_add(&table, WF_PLAIN, "%s", path_text_time(page, region->share_ns).text);
        wf_text_table_add(&table, WF_PLAIN, "%s", region->name);
        wf_text_table_add(&table, WF_PLAIN, "%s", place);
        wf_text_table_add(&table, WF_PLAIN, "%s", procedure);
        free(place);
        free(procedure);
    }
    if (wf_text_table_rows(&table))
        wf_text_table_print(&table);
    wf_text_table_free(&table);
}

static void path_text_print_transfers(struct wf_page *page, const struct wf_critical_path *path)
{
    const struct wf_critical_region *transfer = &path->transfer;
    if (transfer->all_share_ns <= 0)
        return;
    wf_page_heading(page, "Transfers: %s, %s of the path", path_text_time(page, transfer->all_share_ns).text,
                    path_text_percent(transfer->all_share_ns, path->length_ns).text);
    if (transfer->all_known)
        wf_page_wrap(page, WF_PLAIN, "  ", "if transfers took no time, the %s would be %s (%s) shorter",
                     path_text_whole(path), path_text_percent(transfer->all_saved_ns[ALL], path->whole_ns).text,
                     path_text_time(page, transfer->all_saved_ns[ALL]).text);
    if (transfer->share_ns > 0)
        wf_page_wrap(page, WF_PLAIN, "  ", "%s of the path is in statements that are not followed",
                     path_text_percent(transfer->share_ns, path->length_ns).text);
    path_text_print_statements(page, path);
}

/* ---- where it runs ---- */

static void path_text_add_place(struct wf_text_table *table, const struct wf_critical_path *path,
                                const struct wf_critical_place *place, int bar)
{
    int64_t most = path->places[0].share_ns;
    if (place->first_rank == place->last_rank)
        wf_text_table_add(table, WF_PLAIN, "rank %" PRId64, place->first_rank);
    else
        wf_text_table_add(table, WF_PLAIN, "ranks %" PRId64 " to %" PRId64, place->first_rank, place->last_rank);
    wf_text_table_add(table, WF_BOLD, "%s", path_text_percent(place->share_ns, path->length_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s", path_text_time(table->page, place->share_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(place->arrivals).text);
    wf_text_table_add(
        table, WF_PLAIN, "%s",
        wf_bar_draw(table->page, most > 0 ? (double)path_text_positive(place->share_ns) / (double)most : 0, bar, false)
            .text);
}

static void path_text_print_places(struct wf_page *page, const struct wf_critical_path *path, size_t top)
{
    static const struct wf_column place_columns[] = {{"", false, WF_CUT_NEVER},
                                                     {"of path", true, WF_CUT_NEVER},
                                                     {"time", true, WF_CUT_NEVER},
                                                     {"arrivals", true, WF_CUT_NEVER},
                                                     {"", false, WF_CUT_NEVER}};
    struct wf_text_table table;
    int64_t moves = 0, rest_ns = 0;
    for (size_t i = 0; i < path->place_count; i++)
        wf_sum_add(&moves, path->places[i].arrivals);
    if (path->place_count == 0)
        return;
    wf_page_heading(page, "Where the path runs: it moves from rank to rank %s time%s", wf_quantity_count(moves).text,
                    moves == 1 ? "" : "s");
    wf_text_table_init(&table, page, place_columns, sizeof place_columns / sizeof *place_columns, 2);
    for (size_t i = 0; i < path->place_count; i++) {
        if (i < top)
            path_text_add_place(&table, path, &path->places[i], BAR);
        else
            wf_sum_add(&rest_ns, path->places[i].share_ns);
    }
    wf_text_table_print(&table);
    wf_text_table_free(&table);
    if (path->place_count > top)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more with %s of the path (--all)", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)(path->place_count - top)).text,
                     path_text_percent(rest_ns, path->length_ns).text);
}

/* ---- all of it ---- */

static void path_text_print_head(struct wf_page *page, const struct wf_critical_path *path)
{
    if (path->cpu)
        wf_page_heading(page, "Critical path: %s of CPU time", path_text_time(page, path->length_ns).text);
    else
        wf_page_heading(page, "Critical path: %s, %s of the run", path_text_time(page, path->length_ns).text,
                        path_text_percent(path->length_ns, path->whole_ns).text);
    if (path->from_ns > path->whole_ns / 100)
        wf_page_wrap(page, WF_PLAIN, "  ", "it starts %s after the beginning of the run",
                     path_text_time(page, path->from_ns).text);
}

void wf_critical_path_print(struct wf_page *page, const struct wf_overview *o, size_t top, bool all)
{
    const struct wf_critical_path *path = &o->path;
    if (path->length_ns == 0) {
        wf_page_heading(page, "Critical path");
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "not computed: weft run computes it, except with --path=off, or with --path=later if it is never "
                     "started");
        return;
    }
    path_text_print_head(page, path);
    path_text_print_explained(page, path, top, all);
    path_text_print_hot(page, path);
    path_text_print_transfers(page, path);
    path_text_print_places(page, path, all ? SIZE_MAX : TOP_PLACES);
}
