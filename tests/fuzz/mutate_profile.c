/* SPDX-License-Identifier: BSD-3-Clause */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

enum { MOST_COLUMNS = 512 };

struct column {
    char table[64], name[64];
};

static size_t find_columns(sqlite3 *profile, struct column *columns)
{
    sqlite3_stmt *rows;
    size_t count = 0;
    sqlite3_prepare_v2(
        profile, "SELECT m.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'",
        -1, &rows, NULL);
    while (count < MOST_COLUMNS && sqlite3_step(rows) == SQLITE_ROW) {
        snprintf(columns[count].table, sizeof columns->table, "%s", (const char *)sqlite3_column_text(rows, 0));
        snprintf(columns[count++].name, sizeof columns->name, "%s", (const char *)sqlite3_column_text(rows, 1));
    }
    sqlite3_finalize(rows);
    return count;
}

static char *value(struct chance *chance)
{
    switch (chance_below(chance, 8)) {
    case 0:
        return sqlite3_mprintf("NULL");
    case 1:
        return sqlite3_mprintf("x'ff00fe'");
    case 2:
        return sqlite3_mprintf("%s", chance_one_in(chance, 2) ? "1e308" : "-0.5");
    case 3:
    case 4:
        return sqlite3_mprintf("%Q", chance_text(chance));
    default:
        return sqlite3_mprintf("%lld", (long long)chance_number(chance));
    }
}

static char *change(struct chance *chance, const struct column *column)
{
    char *its = value(chance), *sql = NULL;
    switch (chance_below(chance, 10)) {
    case 0:
        sql = sqlite3_mprintf("DELETE FROM \"%w\" WHERE random() %% 2", column->table);
        break;
    case 1:
        sql = sqlite3_mprintf("INSERT OR IGNORE INTO \"%w\" SELECT * FROM \"%w\"", column->table, column->table);
        break;
    case 2:
        sql = chance_one_in(chance, 4) ? sqlite3_mprintf("DROP TABLE \"%w\"", column->table)
                                       : sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = -\"%w\"", column->table,
                                                         column->name, column->name);
        break;
    case 3:
    case 4:
        sql = sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s", column->table, column->name, its);
        break;
    default:
        sql = sqlite3_mprintf("UPDATE OR IGNORE \"%w\" SET \"%w\" = %s WHERE rowid %% %d = 0", column->table,
                              column->name, its, 1 + (int)chance_below(chance, 5));
    }
    sqlite3_free(its);
    return sql;
}

/* SQLite's random() does not follow the seed: rows are chosen by their number instead. */
static void take_over_random(sqlite3_context *context, int count, sqlite3_value **values)
{
    struct chance *chance = sqlite3_user_data(context);
    (void)count;
    (void)values;
    sqlite3_result_int(context, (int)chance_below(chance, 1000));
}

static void change_rows(struct chance *chance, const char *path)
{
    static struct column columns[MOST_COLUMNS];
    sqlite3 *profile;
    if (sqlite3_open(path, &profile) != SQLITE_OK)
        abort();
    sqlite3_exec(profile,
                 "PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA foreign_keys = OFF; PRAGMA "
                 "ignore_check_constraints = ON",
                 NULL, NULL, NULL);
    sqlite3_create_function(profile, "random", 0, SQLITE_UTF8, chance, take_over_random, NULL, NULL);
    size_t count = find_columns(profile, columns);
    for (size_t i = 1 + chance_below(chance, 3); i > 0 && count; i--) {
        char *sql = change(chance, &columns[chance_below(chance, count)]);
        sqlite3_exec(profile, sql, NULL, NULL, NULL); /* changes that the schema refuses are no damage */
        sqlite3_free(sql);
    }
    sqlite3_close(profile);
}

void mutate_profile(struct chance *chance, const char *path)
{
    if (!chance_one_in(chance, 3)) {
        change_rows(chance, path);
        return;
    }
    struct image image = {0};
    image_read(&image, path);
    if (chance_one_in(chance, 2))
        mutate_file(chance, &image);
    else
        mutate_bytes(chance, &image, 100, image.size - 100); /* not SQLite's header: damage there is found at once */
    image_write(&image, path);
    image_free(&image);
}
