/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/statement.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"
#include "analyse/sum.h"
#include "format/segment.h"

/* The statement and rank of a record of weft_event, kept while weft_com is read: both are in the order of the event's
 * id. */
struct statement_event {
    int64_t id;
    uint32_t statement, rank;
};

struct statement_reader {
    struct wf_statement_list *list;
    struct wf_profile *profile;
    const struct wf_rank_list *ranks;
    struct statement_event *events;
    size_t count, at;
    int64_t halves, half_bytes; /* transfers of statements that send and receive: they count each message at both ends
                                 */
};

/* ---- the statements ---- */

static int statement_reader_add(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct statement_reader *reader = context;
    struct wf_statement_list *list = reader->list;
    int64_t line = wf_query_integer(query, 3);
    list->items = wf_memory_grow(list->items, list->count, sizeof *list->items);
    struct wf_statement *s = &list->items[list->count++];
    *s = (struct wf_statement){
        .id = wf_query_integer(query, 0),
        .name = wf_query_text(query, 1),
        .file = wf_query_text(query, 2),
        .line = line < 0 || line > INT_MAX ? 0 : line,
        .procedure = wf_query_text(query, 4),
        .module = wf_query_text(query, 5),
        .offset = wf_query_integer(query, 6),
        .by_rank = wf_memory_array(reader->ranks->count, sizeof *s->by_rank),
    };
    s->kind = wf_call_kind_of(s->name);
    return 0;
}

static const char statement_sql[] =
    "SELECT s.id, s.name, s.file, s.line, p.name, s.module, s.offset FROM weft_site s "
    "LEFT JOIN weft_procedure p ON p.id = s.procedure WHERE s.type = 'communication' ORDER BY s.id";

static int statement_by_id(const void *key, const void *item)
{
    int64_t id = *(const int64_t *)key, other = ((const struct wf_statement *)item)->id;
    return (id > other) - (id < other);
}

/* ---- their events: one for each rank ---- */

static int statement_reader_add_event(void *context, struct wf_query *query, struct wf_error *error)
{
    struct statement_reader *reader = context;
    int64_t site = wf_query_integer(query, 1);
    int rank = wf_rank_list_find(reader->ranks, wf_query_integer(query, 2));
    struct wf_statement_list *list = reader->list;
    struct wf_statement *s = list->count ? bsearch(&site, list->items, list->count, sizeof *s, statement_by_id) : NULL;
    if (!s) /* a loop or a procedure */
        return 0;
    if (rank < 0)
        return wf_profile_damaged(reader->profile, error, "a statement was counted on a rank that is not there");
    if (s->by_rank[rank].present)
        return wf_profile_damaged(reader->profile, error, "a statement was counted twice on one rank");
    s->by_rank[rank] = (struct wf_statement_rank){
        .present = true,
        .event = wf_query_integer(query, 0),
        .calls = wf_query_integer(query, 3),
        .time_ns = wf_query_integer(query, 4),
        .time_raw_ns = wf_query_integer(query, 5),
        .longest_ns = wf_query_integer(query, 6),
    };
    reader->events = wf_memory_grow(reader->events, reader->count, sizeof *reader->events);
    reader->events[reader->count++] =
        (struct statement_event){wf_query_integer(query, 0), (uint32_t)(s - list->items), (uint32_t)rank};
    return 0;
}

static const char statement_event_sql[] =
    "SELECT id, site, rank, calls, time_ns, time_raw_ns, max_ns FROM weft_event ORDER BY id";

/* ---- their transfers ---- */

static void statement_reader_add_traffic(struct statement_reader *reader, enum wf_call_kind kind, int64_t partner,
                                         int64_t num, int64_t bytes)
{
    struct wf_traffic *t = &reader->list->traffic;
    bool to_all = partner == WF_PARTNER_ALL;
    if (partner == WF_PARTNER_NONE)
        return;
    if (to_all && (kind == WF_CALL_COLLECTIVE || kind == WF_CALL_EXCHANGE)) {
        wf_sum_add(&t->collective_calls, num);
        wf_sum_add(&t->collective_bytes, bytes);
    } else if (kind == WF_CALL_SEND) {
        wf_sum_add(&t->messages, num);
        wf_sum_add(&t->message_bytes, bytes);
    } else if (kind == WF_CALL_EXCHANGE) {
        wf_sum_add(&reader->halves, num);
        wf_sum_add(&reader->half_bytes, bytes);
    } else if (kind == WF_CALL_ONE_SIDED) {
        wf_sum_add(&t->one_sided, num);
        wf_sum_add(&t->one_sided_bytes, bytes);
    }
}

static int statement_reader_add_transfers(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct statement_reader *reader = context;
    int64_t event = wf_query_integer(query, 0), num = wf_query_integer(query, 2), bytes = wf_query_integer(query, 3);
    while (reader->at < reader->count && reader->events[reader->at].id < event)
        reader->at++;
    if (reader->at == reader->count || reader->events[reader->at].id != event)
        return 0;
    const struct statement_event *e = &reader->events[reader->at];
    struct wf_statement *s = &reader->list->items[e->statement];
    wf_sum_add(&s->by_rank[e->rank].bytes, bytes);
    wf_sum_add(&s->by_rank[e->rank].sync_delay_ns, wf_query_integer(query, 4));
    wf_sum_add(&s->by_rank[e->rank].sync_delay_raw_ns, wf_query_integer(query, 5));
    statement_reader_add_traffic(reader, s->kind, wf_query_integer(query, 1), num, bytes);
    return 0;
}

static int statement_reader_read_transfers(struct statement_reader *reader, struct wf_error *error)
{
    int result = wf_query_each(
        reader->profile,
        "SELECT event, dest_node, trans_num, bytes, sync_delay, sync_delay_raw FROM weft_com ORDER BY event",
        statement_reader_add_transfers, reader, error);
    wf_sum_add(&reader->list->traffic.messages, reader->halves / 2);
    wf_sum_add(&reader->list->traffic.message_bytes, reader->half_bytes / 2);
    return result;
}

/* ---- their idle time ---- */

static int statement_reader_add_idle(void *context, struct wf_query *query, struct wf_error *error)
{
    (void)error;
    struct statement_reader *reader = context;
    int64_t event = wf_query_integer(query, 0);
    while (reader->at < reader->count && reader->events[reader->at].id < event)
        reader->at++;
    if (reader->at == reader->count || reader->events[reader->at].id != event)
        return 0;
    const struct statement_event *e = &reader->events[reader->at];
    reader->list->items[e->statement].by_rank[e->rank].idle =
        (struct wf_idle){wf_query_integer(query, 1), wf_query_integer(query, 2), wf_query_integer(query, 3)};
    return 0;
}

static int statement_reader_read_idle(struct statement_reader *reader, struct wf_error *error)
{
    reader->at = 0;
    return wf_query_each(reader->profile,
                         "SELECT event, polling_ns, no_core_ns, unexplained_ns FROM weft_idle ORDER BY event",
                         statement_reader_add_idle, reader, error);
}

/* ---- sums ---- */

/* Marks the ranks in whose world the statement occurs. The list has the ranks of one world after those of another. */
static void statement_mark_worlds(const struct wf_statement *s, const struct wf_rank_list *ranks, bool *counts)
{
    for (size_t from = 0, to; from < ranks->count; from = to) {
        bool occurs = false;
        for (to = from; to < ranks->count && ranks->items[to].world == ranks->items[from].world; to++)
            occurs |= s->by_rank[to].present;
        memset(counts + from, occurs, to - from);
    }
}

static void statement_sum_up(struct wf_statement *s, const struct wf_rank_list *ranks, bool *counts)
{
    statement_mark_worlds(s, ranks, counts);
    for (size_t i = 0; i < ranks->count; i++) {
        const struct wf_statement_rank *r = &s->by_rank[i];
        if (!counts[i])
            continue;
        if (s->ranks == 0 || r->time_ns < s->min_ns)
            s->min_ns = r->time_ns;
        if (s->ranks == 0 || r->time_ns > s->max_ns) {
            s->max_ns = r->time_ns;
            s->worst = i;
        }
        if (r->longest_ns > s->longest_ns)
            s->longest_ns = r->longest_ns;
        s->ranks++;
        wf_sum_add(&s->calls, r->calls);
        wf_sum_add(&s->bytes, r->bytes);
        wf_sum_add(&s->time_ns, r->time_ns);
        wf_sum_add(&s->time_raw_ns, r->time_raw_ns);
        wf_sum_add(&s->sync_delay_ns, r->sync_delay_ns);
        wf_sum_add(&s->sync_delay_raw_ns, r->sync_delay_raw_ns);
        wf_idle_add(&s->idle, &r->idle);
    }
    if (s->ranks)
        s->mean_ns = s->time_ns / (int64_t)s->ranks;
}

/* The part of the list that a statement belongs to. */
static size_t statement_part(const struct wf_statement *s)
{
    return s->ranks == 0 ? 2 : s->kind == WF_CALL_START_END ? 1 : 0;
}

static void statement_list_sum_up(struct wf_statement_list *list, const struct wf_rank_list *ranks)
{
    bool *counts = wf_memory_array(ranks->count, sizeof *counts);
    for (size_t i = 0; i < list->count; i++) {
        struct wf_statement *s = &list->items[i];
        statement_sum_up(s, ranks, counts);
        size_t part = statement_part(s);
        list->ranked += part == 0;
        list->start_end += part == 1;
        wf_sum_add(&list->time_ns, part == 0 ? s->time_ns : 0);
        wf_sum_add(&list->sync_delay_ns, part == 0 ? s->sync_delay_ns : 0);
    }
    free(counts);
}

int wf_statement_list_read(struct wf_statement_list *list, struct wf_profile *profile, const struct wf_rank_list *ranks,
                           struct wf_error *error)
{
    struct statement_reader reader = {.list = list, .profile = profile, .ranks = ranks};
    *list = (struct wf_statement_list){0};
    int result = wf_query_each(profile, statement_sql, statement_reader_add, &reader, error);
    if (result == 0)
        result = wf_query_each(profile, statement_event_sql, statement_reader_add_event, &reader, error);
    if (result == 0)
        result = statement_reader_read_transfers(&reader, error);
    if (result == 0)
        result = statement_reader_read_idle(&reader, error);
    free(reader.events);
    if (result) {
        wf_statement_list_free(list);
        return -1;
    }
    statement_list_sum_up(list, ranks);
    return wf_statement_list_sort(list, "time");
}

void wf_statement_list_free(struct wf_statement_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct wf_statement *s = &list->items[i];
        free(s->name);
        free(s->file);
        free(s->procedure);
        free(s->module);
        free(s->by_rank);
    }
    free(list->items);
    *list = (struct wf_statement_list){0};
}

/* ---- parts ---- */

struct wf_parts wf_statement_parts(const struct wf_statement *statement)
{
    return wf_parts_of(statement->time_ns, statement->sync_delay_ns, &statement->idle);
}

struct wf_parts wf_statement_rank_parts(const struct wf_statement_rank *rank)
{
    return wf_parts_of(rank->time_ns, rank->sync_delay_ns, &rank->idle);
}

static bool statement_has_less(const struct wf_statement *s, const struct wf_statement *than, enum wf_part part)
{
    int64_t a = wf_statement_parts(s).ns[part], b = wf_statement_parts(than).ns[part];
    return a != b ? a < b : s->id > than->id;
}

int64_t wf_statement_list_part_ns(const struct wf_statement_list *list, size_t rank, enum wf_part part)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind != WF_CALL_START_END)
            wf_sum_add(&sum_ns, wf_statement_rank_parts(&list->items[i].by_rank[rank]).ns[part]);
    return sum_ns;
}

const struct wf_statement *wf_statement_list_most(const struct wf_statement_list *list, enum wf_part part,
                                                  const struct wf_statement *after)
{
    const struct wf_statement *most = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct wf_statement *s = &list->items[i];
        if (s->kind == WF_CALL_START_END || wf_statement_parts(s).ns[part] <= 0)
            continue;
        if ((!after || statement_has_less(s, after, part)) && (!most || statement_has_less(most, s, part)))
            most = s;
    }
    return most;
}

/* ---- order ---- */

int64_t wf_statement_imbalance_ns(const struct wf_statement *statement)
{
    int64_t imbalance = statement->max_ns;
    wf_sum_add(&imbalance, statement->mean_ns == INT64_MIN ? INT64_MAX : -statement->mean_ns);
    return imbalance;
}

static int64_t statement_time_ns(const struct wf_statement *s)
{
    return s->time_ns;
}
static int64_t statement_waiting_ns(const struct wf_statement *s)
{
    return s->sync_delay_ns;
}
static int64_t statement_idle_ns(const struct wf_statement *s)
{
    int64_t idle_ns = s->idle.polling_ns;
    wf_sum_add(&idle_ns, s->idle.no_core_ns);
    wf_sum_add(&idle_ns, s->idle.unexplained_ns);
    return idle_ns;
}
static int64_t statement_calls(const struct wf_statement *s)
{
    return s->calls;
}
static int64_t statement_bytes(const struct wf_statement *s)
{
    return s->bytes;
}

static const struct {
    const char *name;
    int64_t (*value)(const struct wf_statement *);
} orders[] = {
    {"time", statement_time_ns}, {"waiting", statement_waiting_ns}, {"idle", statement_idle_ns},
    {"count", statement_calls},  {"bytes", statement_bytes},        {"imbalance", wf_statement_imbalance_ns},
};

static int statement_compare(const void *left, const void *right, void *value_of)
{
    const struct wf_statement *a = left, *b = right;
    int64_t (*value)(const struct wf_statement *) = *(int64_t(**)(const struct wf_statement *))value_of;
    if (statement_part(a) != statement_part(b))
        return statement_part(a) < statement_part(b) ? -1 : 1;
    if (value(a) != value(b))
        return value(a) < value(b) ? 1 : -1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? 1 : -1;
    return (a->id > b->id) - (a->id < b->id);
}

int wf_statement_list_sort(struct wf_statement_list *list, const char *order)
{
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        if (strcmp(orders[i].name, order) != 0)
            continue;
        int64_t (*value)(const struct wf_statement *) = orders[i].value;
        if (list->count)
            qsort_r(list->items, list->count, sizeof *list->items, statement_compare, &value);
        return 0;
    }
    return -1;
}

const struct wf_statement *wf_statement_list_by_id(const struct wf_statement_list *list, int64_t id)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].id == id)
            return &list->items[i];
    return NULL;
}
