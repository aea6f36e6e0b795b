/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The order of receives from any source as JSON, for programs.
 */
#ifndef WF_ORDER_JSON_H
#define WF_ORDER_JSON_H

#include <jansson.h>

#include "analyse/overview.h"

json_t *wf_order_json(const struct wf_overview *overview);

#endif
