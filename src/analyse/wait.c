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
    {WEFT_WAIT_NEIGHBOUR, true, false},     {WEFT_WAIT_WINDOW, true, false},
    {WEFT_WAIT_LATE_POST, true, false},     {WEFT_WAIT_LATE_COMPLETE, true, false},
    {WEFT_WAIT_LOCK, true, false},          {WEFT_WAIT_FILE, true, false},
};

static bool wait_state_is_name(const char *name, const char *word)
{
    for (; *name && *word; name++, word++)
        if (*name != *word && !(*name == ' ' && *word == '-'))
            return false;
    return *name == *word;
}

int wf_wait_state_find(const char *name)
{
    for (int i = 0; i < WF_WAIT_STATES; i++)
        if (wait_state_is_name(wf_wait_states[i].name, name))
            return i;
    return -1;
}

/* ---- reading ---- */

/* One record: a waiting rank, and a statement of the culprit. */
struct wait_row {
    int64_t site, culprit, waiter, place, messages, calls, passed_ns;
    int state;
    bool far;
    struct wf_wait_sum sum;
};

struct culprit_place {
    int64_t site, time_ns;
};

/* Rows are in the order of statement, kind, culprit and waiting rank: each is added to the last wait, culprit and
 * waiter, or begins a new one. */
struct wait_reader {
    struct wf_wait_list *list;
    const struct wf_rank_list *ranks;
    const struct wf_statement_list *statements;
    struct wait_row last;
    int64_t waiter_num, waiter_ns, longest_ns; /* of the current waiting rank, and the longest of any */
    struct culprit_place *places;              /* of the current culprit */
    size_t place_count;
};

static void wait_sum_add(struct wf_wait_sum *sum, const struct wf_wait_sum *more)
{
    wf_sum_add(&sum->num, more->num);
    wf_sum_add(&sum->time_ns, more->time_ns);
    wf_sum_add(&sum->time_raw_ns, more->time_raw_ns);
    sum->max_ns = more->max_ns > sum->max_ns ? more->max_ns : sum->max_ns;
}

static void wait_reader_begin_wait(struct wait_reader *r, const struct wait_row *row)
{
    struct wf_wait_list *list = r->list;
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    list->items[list->count++] = (struct wf_wait){.site = row->site, .state = row->state};
}

static int64_t wait_reader_most_calls(const struct wait_reader *r, int64_t site)
{
    const struct wf_statement *s = wf_statement_list_by_id(r->statements, site);
    int64_t most = 0;
    for (size_t i = 0; s && i < r->ranks->count; i++)
        most = s->by_rank[i].calls > most ? s->by_rank[i].calls : most;
    return most;
}

/* A statement that completes receives and sends counts both as transfers, but waits once a call at most. */
static bool wait_reader_counts_calls(const struct wait_reader *r, const struct wait_row *row)
{
    const struct wf_statement *s = wf_statement_list_by_id(r->statements, row->site);
    return !wf_wait_states[row->state].collective && s && s->kind != WF_CALL_RECEIVE && s->kind != WF_CALL_SEND;
}

static struct wf_culprit *wait_reader_begin_culprit(struct wait_reader *r, struct wf_wait *wait,
                                                    const struct wait_row *row)
{
    wait->culprits = wf_memory_grow(wait->culprits, wait->culprit_count, sizeof *wait->culprits);
    struct wf_culprit *culprit = &wait->culprits[wait->culprit_count++];
    *culprit = (struct wf_culprit){.rank = row->culprit, .of_calls = wait_reader_counts_calls(r, row)};
    if (wf_wait_states[row->state].collective)
        culprit->chances = wait_reader_most_calls(r, row->site);
    r->place_count = 0;
    r->longest_ns = -1;
    return culprit;
}

static void wait_reader_begin_waiter(struct wait_reader *r, struct wf_culprit *culprit, const struct wait_row *row)
{
    culprit->waiters++;
    if (!wf_wait_states[row->state].collective)
        wf_sum_add(&culprit->chances, culprit->of_calls ? row->calls : row->messages);
    r->waiter_num = r->waiter_ns = 0;
}

static void wait_reader_add_waiting(struct wait_reader *r, struct wf_culprit *culprit, const struct wait_row *row)
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

static void wait_reader_add_place(struct wait_reader *r, struct wf_culprit *culprit, const struct wait_row *row)
{
    size_t i = 0, most = 0;
    while (i < r->place_count && r->places[i].site != row->place)
        i++;
    if (i == r->place_count) {
        r->places = wf_memory_grow(r->places, r->place_count, sizeof *r->places);
        r->places[r->place_count++] = (struct culprit_place){.site = row->place};
    }
    wf_sum_add(&r->places[i].time_ns, row->sum.time_ns);
    for (i = 1; i < r->place_count; i++)
        if (r->places[i].time_ns > r->places[most].time_ns)
            most = i;
    culprit->site = r->places[most].site;
    culprit->elsewhere = r->place_count > 1;
}

static void wait_reader_add_row(struct wait_reader *r, const struct wait_row *row)
{
    struct wf_wait_list *list = r->list;
    bool new_wait = list->count == 0 || r->last.site != row->site || r->last.state != row->state;
    if (new_wait)
        wait_reader_begin_wait(r, row);
    struct wf_wait *wait = &list->items[list->count - 1];
    bool new_culprit = new_wait || r->last.culprit != row->culprit;
    struct wf_culprit *culprit =
        new_culprit ? wait_reader_begin_culprit(r, wait, row) : &wait->culprits[wait->culprit_count - 1];
    if (new_culprit || r->last.waiter != row->waiter)
        wait_reader_begin_waiter(r, culprit, row);
    wait_reader_add_waiting(r, culprit, row);
    wait_reader_add_place(r, culprit, row);
    int rank = wf_rank_list_find(r->ranks, row->culprit);
    if (rank >= 0)
        wf_sum_add(&list->caused_ns[rank], row->sum.time_ns);
    struct wf_wait_sum *sums[] = {&culprit->sum, &wait->sum, &list->by_state[row->state], &list->sum};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++)
        wait_sum_add(sums[i], &row->sum);
    wf_sum_add(&culprit->passed_ns, row->passed_ns);
    culprit->far = culprit->far || row->far;
    r->last = *row;
}

static const char wait_sql[] =
    "SELECT e.site, w.kind, w.culprit, e.rank, w.culprit_site, coalesce(c.trans_num, e.calls), w.num, w.time_ns,"
    " w.time_raw_ns, w.max_ns, e.calls, coalesce(p.passed_ns, 0), coalesce(late.host <> waits.host, 0)"
    " FROM weft_wait w JOIN weft_event e ON e.id = w.event"
    " LEFT JOIN weft_com c ON c.event = w.event AND c.dest_node = w.culprit"
    " LEFT JOIN weft_passed p USING (event, culprit, kind, culprit_site)"
    " LEFT JOIN weft_rank waits ON waits.rank = e.rank LEFT JOIN weft_rank late ON late.rank = w.culprit"
    " ORDER BY e.site, w.kind, w.culprit, e.rank, w.culprit_site";

static int wait_reader_read_row(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct wait_reader *r = context;
    char *kind = wf_query_text(query, 1);
    struct wait_row row = {.site = wf_query_integer(query, 0),
                           .state = wf_wait_state_find(kind),
                           .culprit = wf_query_integer(query, 2),
                           .waiter = wf_query_integer(query, 3),
                           .place = wf_query_integer(query, 4),
                           .messages = wf_query_integer(query, 5),
                           .sum = {.num = wf_query_integer(query, 6),
                                   .time_ns = wf_query_integer(query, 7),
                                   .time_raw_ns = wf_query_integer(query, 8),
                                   .max_ns = wf_query_integer(query, 9)},
                           .calls = wf_query_integer(query, 10),
                           .passed_ns = wf_query_integer(query, 11),
                           .far = wf_query_integer(query, 12) != 0};
    free(kind);
    bool known = (r->list->count && row.site == r->last.site) || wf_statement_list_by_id(r->statements, row.site);
    if (row.state >= 0 && known)
        wait_reader_add_row(r, &row);
    return 0;
}

/* ---- order ---- */

static int culprit_by_time(const void *left, const void *right)
{
    const struct wf_culprit *a = left, *b = right;
    if (a->sum.time_ns != b->sum.time_ns)
        return a->sum.time_ns < b->sum.time_ns ? 1 : -1;
    return (a->rank > b->rank) - (a->rank < b->rank);
}

static int wait_by_time(const void *left, const void *right)
{
    const struct wf_wait *a = left, *b = right;
    if (a->sum.time_ns != b->sum.time_ns)
        return a->sum.time_ns < b->sum.time_ns ? 1 : -1;
    if (a->site != b->site)
        return a->site < b->site ? -1 : 1;
    return (a->state > b->state) - (a->state < b->state);
}

static void wait_list_sort(struct wf_wait_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        qsort(list->items[i].culprits, list->items[i].culprit_count, sizeof *list->items[i].culprits, culprit_by_time);
    if (list->count)
        qsort(list->items, list->count, sizeof *list->items, wait_by_time);
}

int wf_wait_list_read(struct wf_wait_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                      const struct wf_statement_list *statements, struct wf_error *error)
{
    *list = (struct wf_wait_list){.caused_ns = wf_memory_array(ranks->count, sizeof *list->caused_ns)};
    struct wait_reader reader = {.list = list, .ranks = ranks, .statements = statements};
    int result = wf_query_each(profile, wait_sql, wait_reader_read_row, &reader, error);
    free(reader.places);
    if (result)
        wf_wait_list_free(list);
    else
        wait_list_sort(list);
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
