/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small helpers for jansson.
 */
#ifndef WF_JSON_H
#define WF_JSON_H

#include <jansson.h>
#include <stdint.h>

/* Makes a JSON string of any bytes. File names and command lines may be anything, so invalid UTF-8 becomes U+FFFD. */
json_t *wf_json_text(const char *text);

/* Sets a whole number or a text in an object. */
void wf_json_set(json_t *object, const char *key, int64_t value);
void wf_json_set_text(json_t *object, const char *key, const char *text);

#endif
