/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One SQL question to a profile, with damaged files turned into sentences at every step. Inside src/analyse
 * only.
 */
#ifndef WF_QUERY_H
#define WF_QUERY_H

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

int wf_query_open(struct wf_query *query, struct wf_profile *profile, const char *sql,
                  struct wf_error *error);
void wf_query_close(struct wf_query *query);

/* Asks again, with another value of ?1. */
void wf_query_bind(struct wf_query *query, int64_t value);

/* 1: there is a row; 0: no more; -1: the error is set. */
int wf_query_next(struct wf_query *query, struct wf_error *error);

bool wf_query_null(struct wf_query *query, int column);
bool wf_query_is_integer(struct wf_query *query, int column);
int64_t wf_query_integer(struct wf_query *query, int column);
double wf_query_real(struct wf_query *query, int column);
char *wf_query_text(struct wf_query *query, int column); /* a copy, "" for NULL */

#endif
