/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/query.h"

#include <sqlite3.h>

#include "analyse/memory.h"

static int query_failed(struct wf_profile *profile, struct wf_error *error)
{
    return wf_profile_damaged(profile, error, sqlite3_errmsg(profile->database));
}

int wf_query_open(struct wf_query *query, struct wf_profile *profile, const char *sql, struct wf_error *error)
{
    *query = (struct wf_query){.profile = profile};
    if (sqlite3_prepare_v2(profile->database, sql, -1, &query->statement, NULL) != SQLITE_OK)
        return query_failed(profile, error);
    return 0;
}

void wf_query_close(struct wf_query *query)
{
    sqlite3_finalize(query->statement);
    query->statement = NULL;
}

void wf_query_bind(struct wf_query *query, int64_t value)
{
    sqlite3_reset(query->statement);
    sqlite3_bind_int64(query->statement, 1, value);
}

int wf_query_next(struct wf_query *query, struct wf_error *error)
{
    switch (sqlite3_step(query->statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return query_failed(query->profile, error);
    }
}

static int query_walk(struct wf_query *query, wf_query_add *add, void *context, struct wf_error *error)
{
    int result;
    while ((result = wf_query_next(query, error)) == 1)
        if (add(context, query, error) != 0)
            return -1;
    return result;
}

int wf_query_each_of(struct wf_profile *profile, const char *sql, int64_t value, wf_query_add *add, void *context,
                     struct wf_error *error)
{
    struct wf_query query;
    int result = wf_query_open(&query, profile, sql, error);
    if (result == 0) {
        wf_query_bind(&query, value);
        result = query_walk(&query, add, context, error);
    }
    wf_query_close(&query);
    return result;
}

int wf_query_each(struct wf_profile *profile, const char *sql, wf_query_add *add, void *context, struct wf_error *error)
{
    struct wf_query query;
    int result = wf_query_open(&query, profile, sql, error);
    if (result == 0)
        result = query_walk(&query, add, context, error);
    wf_query_close(&query);
    return result;
}

bool wf_query_null(struct wf_query *query, int column)
{
    return sqlite3_column_type(query->statement, column) == SQLITE_NULL;
}

bool wf_query_is_integer(struct wf_query *query, int column)
{
    return sqlite3_column_type(query->statement, column) == SQLITE_INTEGER;
}

int64_t wf_query_integer(struct wf_query *query, int column)
{
    return sqlite3_column_int64(query->statement, column);
}

double wf_query_real(struct wf_query *query, int column)
{
    return sqlite3_column_double(query->statement, column);
}

char *wf_query_text(struct wf_query *query, int column)
{
    const unsigned char *text = sqlite3_column_text(query->statement, column);
    return wf_memory_text(text ? (const char *)text : "");
}
