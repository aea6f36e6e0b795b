/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/race.h"

#include <stdlib.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"

struct race_reader {
    struct wf_race_list *list;
    const struct wf_statement_list *statements;
};

/* Which of the two was taken does not matter here. */
static const char race_sql[] = "SELECT e.site, e.rank, min(r.took, r.other), max(r.took, r.other), r.num, r.unknown"
                               " FROM weft_race r JOIN weft_event e ON e.id = r.event ORDER BY 1, 2, 3, 4";

static int race_reader_read_row(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct race_reader *r = context;
    struct wf_race_list *list = r->list;
    struct wf_race race = {.site = wf_query_integer(query, 0),
                           .rank = wf_query_integer(query, 1),
                           .first = wf_query_integer(query, 2),
                           .second = wf_query_integer(query, 3),
                           .num = wf_query_integer(query, 4)};
    struct wf_race *last = list->count ? &list->items[list->count - 1] : NULL;
    if (!wf_statement_list_by_id(r->statements, race.site))
        return 0;
    wf_sum_add(&list->num, race.num);
    wf_sum_add(&list->unknown, wf_query_integer(query, 5));
    if (race.num == 0)
        return 0;
    if (last && last->site == race.site && last->rank == race.rank && last->first == race.first &&
        last->second == race.second) {
        wf_sum_add(&last->num, race.num);
        return 0;
    }
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = race;
    return 0;
}

static int race_compare(const void *left, const void *right)
{
    const struct wf_race *a = left, *b = right;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->num != b->num)
        return a->num < b->num ? 1 : -1;
    if (a->first != b->first)
        return a->first < b->first ? -1 : 1;
    return (a->second > b->second) - (a->second < b->second);
}

int wf_race_list_read(struct wf_race_list *list, struct wf_profile *profile, const struct wf_program *program,
                      const struct wf_statement_list *statements, struct wf_error *error)
{
    *list = (struct wf_race_list){.wanted = wf_program_integer(program, "races") != 0};
    struct race_reader reader = {.list = list, .statements = statements};
    if (wf_query_each(profile, race_sql, race_reader_read_row, &reader, error)) {
        wf_race_list_free(list);
        return -1;
    }
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, race_compare);
    return 0;
}

void wf_race_list_free(struct wf_race_list *list)
{
    free(list->items);
    *list = (struct wf_race_list){0};
}
