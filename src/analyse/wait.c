/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/wait.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"
#include "weft/profile.h"

const struct wf_wait_state wf_wait_states[WF_WAIT_STATES] = {
    {WEFT_WAIT_LATE_SENDER, false, false},  {WEFT_WAIT_WRONG_ORDER, false, false},
    {WEFT_WAIT_LATE_RECEIVER, false, true}, {WEFT_WAIT_BARRIER, true, false},
    {WEFT_WAIT_ALL_TO_ALL, true, false},    {WEFT_WAIT_LATE_BROADCAST, true, false},
    {WEFT_WAIT_EARLY_REDUCE, true, false},  {WEFT_WAIT_SCAN, true, false},
    {WEFT_WAIT_NEIGHBOUR, true, false},
};

static bool is_name(const char *name, const char *word)
{
    for (; *name && *word; name++, word++)
        if (*name != *word && !(*name == ' ' && *word == '-'))
            return false;
    return *name == *word;
}

int wf_wait_state_find(const char *name)
{
    for (int i = 0; i < WF_WAIT_STATES; i++)
        if (is_name(wf_wait_states[i].name, name))
            return i;
    return -1;
}

/* ---- reading ---- */

/* One record: a waiting rank, and a statement of the culprit. */
struct row {
    int64_t site, culprit, waiter, place, messages;
    int state;
    struct wf_wait_sum sum;
};

struct place {
    int64_t site, time_ns;
};

/* Rows come by statement, kind, culprit and waiting rank: what they are added to is the last of each. */
struct reader {
    struct wf_wait_list *list;
    const struct wf_rank_list *ranks;
    const struct wf_statement_list *statements;
    struct row last;
    int64_t waiter_num, waiter_ns, longest_ns; /* of the waiting rank at hand, and the longest of any */
    struct place *places;                      /* of the culprit at hand */
    size_t place_count;
};

static void add_sum(struct wf_wait_sum *sum, const struct wf_wait_sum *more)
{
    wf_sum_add(&sum->num, more->num);
    wf_sum_add(&sum->time_ns, more->time_ns);
    wf_sum_add(&sum->time_raw_ns, more->time_raw_ns);
    sum->max_ns = more->max_ns > sum->max_ns ? more->max_ns : sum->max_ns;
}

static void begin_wait(struct reader *r, const struct row *row)
{
    struct wf_wait_list *list = r->list;
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = (struct wf_wait){.site = row->site, .state = row->state};
}

static int64_t most_calls(const struct reader *r, int64_t site)
{
    const struct wf_statement *s = wf_statement_list_by_id(r->statements, site);
    int64_t most = 0;
    for (size_t i = 0; s && i < r->ranks->count; i++)
        most = s->by_rank[i].calls > most ? s->by_rank[i].calls : most;
    return most;
}

static struct wf_culprit *begin_culprit(struct reader *r, struct wf_wait *wait, const struct row *row)
{
    wait->culprits = wf_memory_grow(wait->culprits, wait->culprit_count, sizeof *wait->culprits);
    struct wf_culprit *culprit = &wait->culprits[wait->culprit_count++];
    *culprit = (struct wf_culprit){.rank = row->culprit};
    if (wf_wait_states[row->state].collective)
        culprit->chances = most_calls(r, row->site);
    r->place_count = 0;
    r->longest_ns = -1;
    return culprit;
}

static void begin_waiter(struct reader *r, struct wf_culprit *culprit, const struct row *row)
{
    culprit->waiters++;
    if (!wf_wait_states[row->state].collective)
        wf_sum_add(&culprit->chances, row->messages);
    r->waiter_num = r->waiter_ns = 0;
}

static void add_waiting(struct reader *r, struct wf_culprit *culprit, const struct row *row)
{
    wf_sum_add(&r->waiter_num, row->sum.num);
    wf_sum_add(&r->waiter_ns, row->sum.time_ns);
    if (!wf_wait_states[row->state].collective)
        wf_sum_add(&culprit->late, row->sum.num);
    else if (r->waiter_num > culprit->late)
        culprit->late = r->waiter_num;
    if (r->waiter_ns > r->longest_ns) {
        r->longest_ns = r->waiter_ns;
        culprit->waiter = row->waiter;
    }
}

static void add_place(struct reader *r, struct wf_culprit *culprit, const struct row *row)
{
    size_t i = 0, most = 0;
    while (i < r->place_count && r->places[i].site != row->place)
        i++;
    if (i == r->place_count) {
        r->places = wf_memory_grow(r->places, r->place_count, sizeof *r->places);
        r->places[r->place_count++] = (struct place){.site = row->place};
    }
    wf_sum_add(&r->places[i].time_ns, row->sum.time_ns);
    for (i = 1; i < r->place_count; i++)
        if (r->places[i].time_ns > r->places[most].time_ns)
            most = i;
    culprit->site = r->places[most].site;
    culprit->elsewhere = r->place_count > 1;
}

static void add_row(struct reader *r, const struct row *row)
{
    struct wf_wait_list *list = r->list;
    bool new_wait = list->count == 0 || r->last.site != row->site || r->last.state != row->state;
    if (new_wait)
        begin_wait(r, row);
    struct wf_wait *wait = &list->items[list->count - 1];
    bool new_culprit = new_wait || r->last.culprit != row->culprit;
    struct wf_culprit *culprit =
        new_culprit ? begin_culprit(r, wait, row) : &wait->culprits[wait->culprit_count - 1];
    if (new_culprit || r->last.waiter != row->waiter)
        begin_waiter(r, culprit, row);
    add_waiting(r, culprit, row);
    add_place(r, culprit, row);
    int rank = wf_rank_list_find(r->ranks, row->culprit);
    if (rank >= 0)
        wf_sum_add(&list->caused_ns[rank], row->sum.time_ns);
    struct wf_wait_sum *sums[] = {&culprit->sum, &wait->sum, &list->by_state[row->state], &list->sum};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        add_sum(sums[i], &row->sum);
    r->last = *row;
}

static const char sql[] = "SELECT e.site, w.kind, w.culprit, e.rank, w.culprit_site, coalesce(c.trans_num, "
                          "e.calls), w.num, w.time_ns,"
                          " w.time_raw_ns, w.max_ns FROM weft_wait w JOIN weft_event e ON e.id = w.event"
                          " LEFT JOIN weft_com c ON c.event = w.event AND c.dest_node = w.culprit"
                          " ORDER BY e.site, w.kind, w.culprit, e.rank, w.culprit_site";

static int read_row(struct reader *r, struct wf_query *query)
{
    char *kind = wf_query_text(query, 1);
    struct row row = {.site = wf_query_integer(query, 0),
                      .state = wf_wait_state_find(kind),
                      .culprit = wf_query_integer(query, 2),
                      .waiter = wf_query_integer(query, 3),
                      .place = wf_query_integer(query, 4),
                      .messages = wf_query_integer(query, 5),
                      .sum = {.num = wf_query_integer(query, 6),
                              .time_ns = wf_query_integer(query, 7),
                              .time_raw_ns = wf_query_integer(query, 8),
                              .max_ns = wf_query_integer(query, 9)}};
    free(kind);
    bool known =
        (r->list->count && row.site == r->last.site) || wf_statement_list_by_id(r->statements, row.site);
    if (row.state >= 0 && known)
        add_row(r, &row);
    return 0;
}

/* ---- order ---- */

static int by_culprit_time(const void *left, const void *right)
{
    const struct wf_culprit *a = left, *b = right;
    if (a->sum.time_ns != b->sum.time_ns)
        return a->sum.time_ns < b->sum.time_ns ? 1 : -1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int by_time(const void *left, const void *right)
{
    const struct wf_wait *a = left, *b = right;
    if (a->sum.time_ns != b->sum.time_ns)
        return a->sum.time_ns < b->sum.time_ns ? 1 : -1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

static void sort(struct wf_wait_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        qsort(list->items[i].culprits, list->items[i].culprit_count, sizeof *list->items[i].culprits,
              by_culprit_time);
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, by_time);
}

int wf_wait_list_read(struct wf_wait_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                      const struct wf_statement_list *statements, struct wf_error *error)
{
    struct wf_query query;
    *list = (struct wf_wait_list){.caused_ns = wf_memory_array(ranks->count, sizeof *list->caused_ns)};
    struct reader reader = {.list = list, .ranks = ranks, .statements = statements};
    int result = wf_query_open(&query, profile, sql, error);
    while (result == 0 && (result = wf_query_next(&query, error)) == 1)
        result = read_row(&reader, &query);
    wf_query_close(&query);
    free(reader.places);
    if (result)
        wf_wait_list_free(list);
    else
        sort(list);
    return result;
}

void wf_wait_list_free(struct wf_wait_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].culprits);
    free(list->items);
    free(list->caused_ns);
    *list = (struct wf_wait_list){0};
}
