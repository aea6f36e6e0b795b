/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What compensation did: virtual times, raw times, and the difference.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/word.h"
#include "present/report_text.h"
#include "present/text_table.h"
#include "present/quantity.h"

enum { MANY = 40 /* more ranks than this are cut */ };

static void raw_text_add_three(struct wf_text_table *table, int64_t ns, int64_t raw_ns)
{
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(table->page, ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_time(table->page, raw_ns).text);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_difference(table->page, raw_ns, ns).text);
}

/* ---- ranks ---- */

static const struct wf_column rank_columns[] = {
    {"rank", true, WF_CUT_NEVER},       {"wall", true, WF_CUT_NEVER},   {"raw", true, WF_CUT_NEVER},
    {"subtracted", true, WF_CUT_NEVER}, {"MPI", true, WF_CUT_NEVER},    {"raw", true, WF_CUT_NEVER},
    {"subtracted", true, WF_CUT_NEVER}, {"probes", true, WF_CUT_NEVER}, {"waiting", true, WF_CUT_NEVER},
    {"raw", true, WF_CUT_NEVER},
};
enum { RANK_COLUMNS = sizeof rank_columns / sizeof *rank_columns, WITHOUT_WAITING = RANK_COLUMNS - 2 };

static int raw_text_by_intrusion(const void *left, const void *right)
{
    const struct wf_rank *a = *(const struct wf_rank *const *)left, *b = *(const struct wf_rank *const *)right;
    return a->intrusion_ns != b->intrusion_ns
               ? (a->intrusion_ns < b->intrusion_ns) - (a->intrusion_ns > b->intrusion_ns)
               : (a->rank > b->rank) - (a->rank < b->rank);
}

static void raw_text_print_ranks(struct wf_page *page, const struct wf_rank *const *ranks, size_t count)
{
    struct wf_text_table table;
    bool waits = false;
    for (size_t i = 0; i < count; i++)
        waits |= ranks[i]->sync_ns || ranks[i]->sync_raw_ns;
    /* If the page is too narrow, the columns about waiting are left out; --site shows them. */
    for (int columns = waits ? RANK_COLUMNS : WITHOUT_WAITING;; columns = WITHOUT_WAITING) {
        wf_text_table_init(&table, page, rank_columns, columns, 2);
        for (size_t i = 0; i < count; i++) {
            const struct wf_rank *rank = ranks[i];
            wf_text_table_add(&table, WF_PLAIN, "%" PRId64, rank->rank);
            raw_text_add_three(&table, rank->wall_ns, rank->wall_raw_ns);
            raw_text_add_three(&table, rank->mpi_ns, rank->mpi_raw_ns);
            wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, rank->overhead_ns).text);
            if (columns == WITHOUT_WAITING)
                continue;
            wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, rank->sync_ns).text);
            wf_text_table_add(&table, WF_PLAIN, "%s", wf_quantity_time(page, rank->sync_raw_ns).text);
        }
        if (columns == WITHOUT_WAITING || wf_text_table_wants(&table) <= page->width)
            break;
        wf_text_table_free(&table);
    }
    wf_text_table_print(&table);
    wf_text_table_free(&table);
}

void wf_rank_list_print_raw(struct wf_page *page, const struct wf_overview *o, bool all)
{
    size_t count = o->ranks.count;
    const struct wf_rank **ranks = wf_memory_array(count, sizeof *ranks);
    bool cut = count > MANY && !all;
    for (size_t i = 0; i < count; i++)
        ranks[i] = &o->ranks.items[i];
    if (cut)
        qsort(ranks, count, sizeof *ranks, raw_text_by_intrusion);
    wf_page_heading(page, "Ranks: wall time %s raw, %s of it subtracted",
                    wf_quantity_time(page, wf_program_integer(&o->program, "wall_raw_ns")).text,
                    wf_quantity_time(page, wf_program_integer(&o->program, "intrusion_ns")).text);
    raw_text_print_ranks(page, ranks, cut ? MANY / 4 : count);
    if (cut)
        wf_page_wrap(page, WF_DIM, "  ", "%s only the %d ranks with the most subtracted time; every rank: --all",
                     page->glyphs->ellipsis, MANY / 4);
    free(ranks);
}

/* ---- procedures, loops, regions ---- */

static const struct wf_column region_columns[] = {
    {"time", true, WF_CUT_NEVER}, {"raw", true, WF_CUT_NEVER},   {"subtracted", true, WF_CUT_NEVER},
    {"self", true, WF_CUT_NEVER}, {"raw", true, WF_CUT_NEVER},   {"subtracted", true, WF_CUT_NEVER},
    {"", false, WF_CUT_END},      {"place", false, WF_CUT_PATH}, {"count", true, WF_CUT_NEVER},
};
enum { REGION_COLUMNS = sizeof region_columns / sizeof *region_columns };

/* On a narrow page the place follows the name, without directories, and counts are left out. */
static void raw_text_add_region(struct wf_text_table *table, const struct wf_region *region, bool brief)
{
    raw_text_add_three(table, region->time_ns, region->time_raw_ns);
    raw_text_add_three(table, region->self_ns, region->self_raw_ns);
    if (brief) {
        wf_text_table_add(table, WF_BOLD, "%s %s:%" PRId64, region->name, wf_word_base_name(region->file),
                          region->line);
        return;
    }
    wf_text_table_add(table, WF_BOLD, "%s", region->name);
    wf_text_table_add(table, WF_PLAIN, "%s:%" PRId64, region->file, region->line);
    wf_text_table_add(table, WF_PLAIN, "%s", wf_quantity_short_count(region->calls).text);
}

void wf_region_list_print(struct wf_page *page, const struct wf_region_list *regions, size_t top)
{
    size_t shown = regions->count < top ? regions->count : top;
    struct wf_text_table table;
    if (regions->count == 0)
        return;
    wf_page_heading(page, "Procedures, loops and regions by raw time, over all ranks");
    for (int brief = 0;; brief = 1) {
        wf_text_table_init(&table, page, region_columns, brief ? REGION_COLUMNS - 2 : REGION_COLUMNS, 2);
        for (size_t i = 0; i < shown; i++)
            raw_text_add_region(&table, &regions->items[i], brief);
        if (brief || wf_text_table_wants(&table) <= page->width)
            break;
        wf_text_table_free(&table);
    }
    wf_text_table_print(&table);
    wf_text_table_free(&table);
    if (shown < regions->count)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more (--all)", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)(regions->count - shown)).text);
}
