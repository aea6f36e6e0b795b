/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path as JSON.
 */
#ifndef WF_PATH_JSON_H
#define WF_PATH_JSON_H

#include <jansson.h>

#include "analyse/overview.h"

/* {"length_ns", ..., "regions": [...], "other": {...}, "transfer": {...}, "places": [...]}; null if there is
 * none. To be freed. */
json_t *wf_path_json(const struct wf_overview *overview);

#endif
