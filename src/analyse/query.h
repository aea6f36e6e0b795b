/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One SQL question to a profile; a damaged file is an error with a sentence at every step. Who opens a query closes it.
 * Inside src/analyse only.
 */
#ifndef WF_ANALYSE_QUERY_H
#define WF_ANALYSE_QUERY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyse/profile.h"

struct sqlite3;
struct sqlite3_stmt;

struct wf_profile {
    struct sqlite3 *database;
    char *path;
};

struct wf_query {
    struct wf_profile *profile;
    struct sqlite3_stmt *statement;
};

int wf_query_open(struct wf_query *query, struct wf_profile *profile, const char *sql, struct wf_error *error);
void wf_query_close(struct wf_query *query);

/* Asks again, with another value of ?1. */
void wf_query_bind(struct wf_query *query, int64_t value);

/* 1: there is a row; 0: no more; -1: the error is set. */
int wf_query_next(struct wf_query *query, struct wf_error *error);

/* Asks, and hands each row to `add`, which returns 0 to go on, or -1 with the error set. Returns 0, or -1. The second
 * asks with a value of ?1. */
typedef int wf_query_add(void *context, struct wf_query *query, struct wf_error *error);
int wf_query_each(struct wf_profile *profile, const char *sql, wf_query_add *add, void *context,
                  struct wf_error *error);
int wf_query_each_of(struct wf_profile *profile, const char *sql, int64_t value, wf_query_add *add, void *context,
                     struct wf_error *error);

bool wf_query_null(struct wf_query *query, int column);
bool wf_query_is_integer(struct wf_query *query, int column);
int64_t wf_query_integer(struct wf_query *query, int column);
double wf_query_real(struct wf_query *query, int column);
char *wf_query_text(struct wf_query *query, int column); /* a copy, "" for NULL */

#endif
