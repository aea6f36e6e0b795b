/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wait states and their causes as JSON.
 */
#ifndef WF_WAIT_JSON_H
#define WF_WAIT_JSON_H

#include <jansson.h>

#include "analyse/overview.h"

/* {"num", "time_ns", ..., "states": {"late sender": {...}, ...}, "statements": [...]}. To be freed. */
json_t *wf_wait_json(const struct wf_overview *overview);

/* Sets a statement in an object, by its id; null: it is not known. */
void wf_json_set_statement(json_t *object, const char *key, const struct wf_overview *overview, int64_t site);

#endif
