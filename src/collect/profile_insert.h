/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer from inside: one row into one table. For the files that write rows; everybody else includes
 * profile_writer.h.
 */
#ifndef WF_COLLECT_PROFILE_INSERT_H
#define WF_COLLECT_PROFILE_INSERT_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/error.h"
#include "collect/profile_writer.h"

enum wf_profile_table {
    WF_ROW_RUN,
    WF_ROW_RANK,
    WF_ROW_CLOCK,
    WF_ROW_THREAD,
    WF_ROW_INSTRUMENTED,
    WF_ROW_PROCEDURE,
    WF_ROW_CYCLE,
    WF_ROW_SITE,
    WF_ROW_EVENT,
    WF_ROW_SELF,
    WF_ROW_THREAD_EVENT,
    WF_ROW_COM,
    WF_ROW_WAIT,
    WF_ROW_PROC,
    WF_ROW_LOOP,
    WF_ROW_REGION,
    WF_ROW_COUNTER,
    WF_ROW_OFF,
    WF_ROW_STATIC,
    WF_ROW_PLACE,
    WF_ROW_PATH,
    WF_ROW_PATH_SITE,
    WF_ROW_PATH_PLACE,
    WF_ROW_NOTE,
    WF_ROWS
};

struct wf_profile_writer {
    sqlite3 *database;
    sqlite3_stmt *statements[WF_ROWS];
    char *output;
    char *temporary;
    int64_t last_event;
};

struct wf_profile_value {
    enum { WF_VALUE_NOTHING, WF_VALUE_NUMBER, WF_VALUE_REAL, WF_VALUE_TEXT } kind;
    int64_t number;
    double real;
    const char *text;
};

#define NUMBER(x)                                       \
    {                                                   \
        .kind = WF_VALUE_NUMBER, .number = (int64_t)(x) \
    }
#define REAL(x)                            \
    {                                      \
        .kind = WF_VALUE_REAL, .real = (x) \
    }
#define TEXT(x)                            \
    {                                      \
        .kind = WF_VALUE_TEXT, .text = (x) \
    }
#define NOTHING()                \
    {                            \
        .kind = WF_VALUE_NOTHING \
    }

int wf_profile_insert(struct wf_profile_writer *writer, enum wf_profile_table table,
                      const struct wf_profile_value *values, int count, struct wf_error *error);

#define INSERT(writer, table, error, ...)                                                                \
    wf_profile_insert(                                                                                   \
        writer, table, (const struct wf_profile_value[]){__VA_ARGS__},                                   \
        (int)(sizeof((const struct wf_profile_value[]){__VA_ARGS__}) / sizeof(struct wf_profile_value)), \
        error)

/* Rows are numbered from 1; regions stand behind the communication statements. */
static inline int64_t wf_profile_site_id(uint32_t entry)
{
    return (int64_t)entry + 1;
}

static inline int64_t wf_profile_region_id(const struct wf_sites *sites, uint32_t entry)
{
    return (int64_t)wf_sites_count(sites) + (int64_t)entry + 1;
}

/* Of the procedure that stands for this one, which goes into the profile, then. */
static inline int64_t wf_profile_procedure_id(struct wf_program *program, uint32_t procedure)
{
    struct wf_procedure *one = &program->procedures.items[wf_procedures_one(&program->procedures, procedure)];
    one->used = true;
    return (int64_t)one->place + 1;
}

#endif
