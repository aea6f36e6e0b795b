/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small helpers around jansson.
 */
#ifndef WF_JSON_H
#define WF_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Any bytes as a JSON string: what is no UTF-8 becomes U+FFFD, because file names and command lines may be
 * anything. */
json_t *wf_json_text(const char *text);

/* Sets whole numbers and texts in an object. */
void wf_json_set(json_t *object, const char *key, int64_t value);
void wf_json_set_text(json_t *object, const char *key, const char *text);

#endif
