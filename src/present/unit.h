/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Figures for people: three digits and a unit. The text is returned by value, so it can stand in an argument
 * list.
 */
#ifndef WF_UNIT_H
#define WF_UNIT_H

#include <stdint.h>

#include "present/page.h"

struct wf_unit {
    char text[48];
};

struct wf_unit wf_unit_time(const struct wf_page *page,
                            int64_t ns); /* 8.74 s, 431 ms, 12.3 µs; from 10,000 s on 2.78 h */
struct wf_unit wf_unit_difference(const struct wf_page *page, int64_t raw_ns,
                                  int64_t ns); /* raw - ns: what was taken out */
struct wf_unit wf_unit_bytes(int64_t bytes);   /* 31.3 KiB */
struct wf_unit wf_unit_count(int64_t count);   /* 1,234,567 */
struct wf_unit wf_unit_percent(double share);  /* 61.2 %, 0.03 %, < 0.01 % */

/* For columns, which have to stay narrow. */
struct wf_unit wf_unit_short_count(int64_t count);  /* 1,234,567; from ten million on 12.3 M */
struct wf_unit wf_unit_short_percent(double share); /* 61.2 %, < 0.1 % */

#endif
