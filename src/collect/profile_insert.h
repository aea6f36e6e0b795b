/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The writer from inside: one row into one table. For the files that write rows (profile_*.c); others include
 * profile_writer.h.
 */
#ifndef WF_COLLECT_PROFILE_INSERT_H
#define WF_COLLECT_PROFILE_INSERT_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/error.h"
#include "collect/profile_writer.h"

enum wf_profile_table {
    WF_PROFILE_RUN,
    WF_PROFILE_RANK,
    WF_PROFILE_CLOCK,
    WF_PROFILE_RANK_IDLE,
    WF_PROFILE_RANK_LAST,
    WF_PROFILE_RANK_REGION,
    WF_PROFILE_THREAD,
    WF_PROFILE_INSTRUMENTED,
    WF_PROFILE_PROCEDURE,
    WF_PROFILE_CYCLE,
    WF_PROFILE_SITE,
    WF_PROFILE_EVENT,
    WF_PROFILE_SELF,
    WF_PROFILE_IDLE,
    WF_PROFILE_THREAD_EVENT,
    WF_PROFILE_COM,
    WF_PROFILE_WAIT,
    WF_PROFILE_PASSED,
    WF_PROFILE_ROOT,
    WF_PROFILE_ORDER,
    WF_PROFILE_PROC,
    WF_PROFILE_LOOP,
    WF_PROFILE_REGION,
    WF_PROFILE_COUNTER,
    WF_PROFILE_OFF,
    WF_PROFILE_STATIC,
    WF_PROFILE_PLACE,
    WF_PROFILE_PATH,
    WF_PROFILE_PATH_SITE,
    WF_PROFILE_PATH_PLACE,
    WF_PROFILE_NOTE,
    WF_PROFILE_TABLES
};

struct wf_profile_writer {
    sqlite3 *database;
    sqlite3_stmt *statements[WF_PROFILE_TABLES];
    char *output;
    char *temporary;
    int64_t last_event;
};

struct wf_profile_value {
    enum { WF_PROFILE_VALUE_NOTHING, WF_PROFILE_VALUE_NUMBER, WF_PROFILE_VALUE_REAL, WF_PROFILE_VALUE_TEXT } kind;
    int64_t number;
    double real;
    const char *text;
};

#define NUMBER(x)                                               \
    {                                                           \
        .kind = WF_PROFILE_VALUE_NUMBER, .number = (int64_t)(x) \
    }
#define REAL(x)                                    \
    {                                              \
        .kind = WF_PROFILE_VALUE_REAL, .real = (x) \
    }
#define TEXT(x)                                    \
    {                                              \
        .kind = WF_PROFILE_VALUE_TEXT, .text = (x) \
    }
#define NOTHING()                        \
    {                                    \
        .kind = WF_PROFILE_VALUE_NOTHING \
    }

int wf_profile_insert(struct wf_profile_writer *writer, enum wf_profile_table table,
                      const struct wf_profile_value *values, int count, struct wf_error *error);

#define INSERT(writer, table, error, ...)                                                                              \
    wf_profile_insert(writer, table, (const struct wf_profile_value[]){__VA_ARGS__},                                   \
                      (int)(sizeof((const struct wf_profile_value[]){__VA_ARGS__}) / sizeof(struct wf_profile_value)), \
                      error)

/* Rows are numbered from 1; regions follow the communication statements. */
static inline int64_t wf_profile_site_id(uint32_t entry)
{
    return (int64_t)entry + 1;
}

static inline int64_t wf_profile_region_id(const struct wf_sites *sites, uint32_t entry)
{
    return (int64_t)wf_sites_count(sites) + (int64_t)entry + 1;
}

/* The id of the procedure that stands for this one. It is marked as used, so that it goes into the profile. */
static inline int64_t wf_profile_procedure_id(struct wf_collected_program *program, uint32_t procedure)
{
    struct wf_procedure *one = &program->procedures.items[wf_procedures_one(&program->procedures, procedure)];
    one->used = true;
    return (int64_t)one->place + 1;
}

#endif
