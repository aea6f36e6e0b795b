/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A SELECT that a user wrote. Other statements are refused: a profile is never changed, and no other file is opened.
 * Who opens it closes it; one at a time for a profile.
 */
#ifndef WF_ANALYSE_SELECT_H
#define WF_ANALYSE_SELECT_H

#include <stdint.h>

#include "analyse/profile.h"

struct sqlite3_stmt;

struct wf_select {
    struct wf_profile *profile;
    struct sqlite3_stmt *statement;
    int columns;
};

enum wf_value_type { WF_VALUE_NULL, WF_VALUE_INTEGER, WF_VALUE_REAL, WF_VALUE_TEXT };

int wf_select_open(struct wf_select *select, struct wf_profile *profile, const char *sql, struct wf_error *error);
void wf_select_close(struct wf_select *select);

/* Valid until it is closed. */
const char *wf_select_name(const struct wf_select *select, int column);

/* 1: there is a row; 0: no more; -1: the error is set. */
int wf_select_next(struct wf_select *select, struct wf_error *error);

/* Of the current row. Bytes that are no text are given as X'0a1b'. */
enum wf_value_type wf_select_type(const struct wf_select *select, int column);
int64_t wf_select_integer(const struct wf_select *select, int column);
double wf_select_real(const struct wf_select *select, int column);
char *wf_select_text(const struct wf_select *select, int column); /* "" for NULL; to be freed */

#endif
