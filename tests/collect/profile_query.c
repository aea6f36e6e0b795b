/* SPDX-License-Identifier: BSD-3-Clause */
#include "profile_query.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(sqlite3 *profile, const char *what)
{
    fprintf(stderr, "%s: %s\n", what, sqlite3_errmsg(profile));
    abort();
}

sqlite3 *profile_open(const char *path)
{
    sqlite3 *profile;
    if (sqlite3_open_v2(path, &profile, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK)
        fail(profile, path);
    return profile;
}

void profile_close(sqlite3 *profile)
{
    if (sqlite3_close(profile) != SQLITE_OK)
        fail(profile, "close");
}

static sqlite3_stmt *first_row(sqlite3 *profile, const char *sql)
{
    sqlite3_stmt *statement;
    if (sqlite3_prepare_v2(profile, sql, -1, &statement, NULL) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_ROW)
        fail(profile, sql);
    return statement;
}

long long profile_number(sqlite3 *profile, const char *sql)
{
    sqlite3_stmt *statement = first_row(profile, sql);
    long long number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return number;
}

const char *profile_text(sqlite3 *profile, const char *sql)
{
    static char texts[4][4096];
    static int next;
    char *text = texts[next++ % 4];
    sqlite3_stmt *statement = first_row(profile, sql);
    const unsigned char *value = sqlite3_column_text(statement, 0);
    snprintf(text, sizeof texts[0], "%s", value ? (const char *)value : "NULL");
    sqlite3_finalize(statement);
    return text;
}

long long profile_notes(sqlite3 *profile, const char *text)
{
    char *sql = sqlite3_mprintf("SELECT count(*) FROM weft_note WHERE instr(sentence, %Q)", text);
    long long count = profile_number(profile, sql);
    sqlite3_free(sql);
    return count;
}
