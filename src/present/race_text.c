/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Races between messages, as text: where, and between whom.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "analyse/name.h"
#include "analyse/place.h"
#include "present/quantity.h"
#include "present/report_text.h"
#include "present/text_table.h"

static const struct wf_column columns[] = {{"races", true, WF_CUT_NEVER},    {"senders", false, WF_CUT_NEVER},
                                           {"receiver", true, WF_CUT_NEVER}, {"call", false, WF_CUT_NEVER},
                                           {"place", false, WF_CUT_PATH},    {"procedure", false, WF_CUT_NAME}};

static void race_text_add(struct wf_text_table *table, const struct wf_overview *o, const struct wf_race *race)
{
    const struct wf_statement *s = wf_statement_list_by_id(&o->statements, race->site);
    char *place = wf_place_text(s), *procedure = wf_name_short(s->procedure);
    wf_text_table_add(table, WF_BOLD, "%s", wf_quantity_short_count(race->num).text);
    wf_text_table_add(table, WF_PLAIN, "%" PRId64 " and %" PRId64, race->first, race->second);
    wf_text_table_add(table, WF_PLAIN, "%" PRId64, race->rank);
    wf_text_table_add(table, WF_PLAIN, "%s", s->name);
    wf_text_table_add(table, WF_PLAIN, "%s", place);
    wf_text_table_add(table, WF_PLAIN, "%s", procedure);
    free(place);
    free(procedure);
}

static void race_text_print_table(struct wf_page *page, const struct wf_overview *o, size_t top)
{
    struct wf_text_table table;
    wf_text_table_init(&table, page, columns, sizeof columns / sizeof *columns, 2);
    for (size_t i = 0; i < o->races.count && i < top; i++)
        race_text_add(&table, o, &o->races.items[i]);
    if (wf_text_table_rows(&table))
        wf_text_table_print(&table);
    wf_text_table_free(&table);
    if (o->races.count > top)
        wf_page_wrap(page, WF_DIM, "  ", "%s and %s more (--all)", page->glyphs->ellipsis,
                     wf_quantity_count((int64_t)(o->races.count - top)).text);
}

void wf_race_list_print(struct wf_page *page, const struct wf_overview *o, size_t top)
{
    const struct wf_race_list *races = &o->races;
    if (!races->wanted)
        return;
    wf_page_heading(page, "Races between messages");
    if (races->num > 0)
        wf_page_wrap(page, WF_PLAIN, "  ",
                     "Receives and probes from any source took a message while one of another sender could have come "
                     "first, by what happened before: %s pairs.",
                     wf_quantity_count(races->num).text);
    else
        wf_page_wrap(page, WF_PLAIN, "  ", "No races were found%s.",
                     races->unknown > 0 ? "" : ": what happened before left no other order");
    race_text_print_table(page, o, top);
    if (races->unknown > 0)
        wf_page_wrap(page, WF_DIM, "  ",
                     "Further pairs of which it is not known whether they raced: %s. What happened before could not be "
                     "followed everywhere.",
                     wf_quantity_count(races->unknown).text);
}
