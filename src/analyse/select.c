/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/select.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "analyse/memory.h"
#include "analyse/query.h"

/* Statements that could read other files (ATTACH) or change how this one is read (PRAGMA) are refused, too. */
static int select_allow_reading(void *context, int action, const char *a, const char *b, const char *c, const char *d)
{
    (void)context, (void)a, (void)b, (void)c, (void)d;
    bool reads =
        action == SQLITE_SELECT || action == SQLITE_READ || action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE;
    return reads ? SQLITE_OK : SQLITE_DENY;
}

static int select_failed(struct wf_profile *profile, struct wf_error *error)
{
    const char *why = sqlite3_errmsg(profile->database);
    switch (sqlite3_errcode(profile->database)) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_IOERR:
        return wf_profile_damaged(profile, error, why);
    case SQLITE_AUTH:
        return wf_error_set(error,
                            "only SELECT is allowed: weft never changes a profile; change a copy with another tool");
    default:
        return wf_error_set(error, "the SQL cannot be answered: %s; docs/profile.md describes the views", why);
    }
}

/* Whether a second statement follows. */
static bool select_has_more(struct wf_profile *profile, const char *rest)
{
    sqlite3_stmt *next = NULL;
    int code = sqlite3_prepare_v2(profile->database, rest, -1, &next, NULL);
    bool more = code != SQLITE_OK || next;
    sqlite3_finalize(next);
    return more;
}

static int select_prepare(struct wf_select *select, const char *sql, struct wf_error *error)
{
    const char *rest = "";
    if (sqlite3_prepare_v2(select->profile->database, sql, -1, &select->statement, &rest) != SQLITE_OK)
        return select_failed(select->profile, error);
    if (!select->statement)
        return wf_error_set(error, "there is no SQL in '%s'; try: SELECT * FROM run", sql);
    if (select_has_more(select->profile, rest))
        return wf_error_set(error, "give one SELECT; it is followed by '%s'", rest + strspn(rest, " \t\n"));
    select->columns = sqlite3_column_count(select->statement);
    return 0;
}

int wf_select_open(struct wf_select *select, struct wf_profile *profile, const char *sql, struct wf_error *error)
{
    *select = (struct wf_select){.profile = profile};
    sqlite3_set_authorizer(profile->database, select_allow_reading, NULL);
    int result = select_prepare(select, sql, error);
    if (result)
        wf_select_close(select);
    return result;
}

void wf_select_close(struct wf_select *select)
{
    sqlite3_finalize(select->statement);
    sqlite3_set_authorizer(select->profile->database, NULL, NULL);
    select->statement = NULL;
}

const char *wf_select_name(const struct wf_select *select, int column)
{
    const char *name = sqlite3_column_name(select->statement, column);
    return name ? name : "";
}

int wf_select_next(struct wf_select *select, struct wf_error *error)
{
    switch (sqlite3_step(select->statement)) {
    case SQLITE_ROW:
        return 1;
    case SQLITE_DONE:
        return 0;
    default:
        return select_failed(select->profile, error);
    }
}

enum wf_value_type wf_select_type(const struct wf_select *select, int column)
{
    switch (sqlite3_column_type(select->statement, column)) {
    case SQLITE_NULL:
        return WF_VALUE_NULL;
    case SQLITE_INTEGER:
        return WF_VALUE_INTEGER;
    case SQLITE_FLOAT:
        return WF_VALUE_REAL;
    default:
        return WF_VALUE_TEXT;
    }
}

int64_t wf_select_integer(const struct wf_select *select, int column)
{
    return sqlite3_column_int64(select->statement, column);
}

double wf_select_real(const struct wf_select *select, int column)
{
    return sqlite3_column_double(select->statement, column);
}

static char *select_hexadecimal(const unsigned char *bytes, int count)
{
    char *text = wf_memory_array(2 * (size_t)count + sizeof "X''", 1), *to = stpcpy(text, "X'");
    for (int i = 0; i < count; i++)
        to += sprintf(to, "%02x", bytes[i]);
    strcpy(to, "'");
    return text;
}

char *wf_select_text(const struct wf_select *select, int column)
{
    if (sqlite3_column_type(select->statement, column) == SQLITE_BLOB)
        return select_hexadecimal(sqlite3_column_blob(select->statement, column),
                                  sqlite3_column_bytes(select->statement, column));
    const unsigned char *text = sqlite3_column_text(select->statement, column);
    return wf_memory_text(text ? (const char *)text : "");
}
