/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Races between messages as JSON, for programs.
 */
#ifndef WF_RACE_JSON_H
#define WF_RACE_JSON_H

#include <jansson.h>

#include "analyse/overview.h"

/* null: they were not looked for. */
json_t *wf_race_json(const struct wf_overview *overview);

#endif
