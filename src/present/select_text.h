/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rows of a SELECT: in columns, as CSV (quoted as in RFC 4180), or as a JSON array of objects. Each function reads
 * all rows and returns 0, or -1 with the error set.
 */
#ifndef WF_SELECT_TEXT_H
#define WF_SELECT_TEXT_H

#include <stdio.h>

#include "analyse/select.h"

int wf_select_print(FILE *out, struct wf_select *select, struct wf_error *error);
int wf_select_write_csv(FILE *out, struct wf_select *select, struct wf_error *error);
int wf_select_write_json(FILE *out, struct wf_select *select, struct wf_error *error);

#endif
