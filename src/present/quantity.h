/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Quantities for users: three digits and a unit. The text is returned by value, so it can be used in an argument list.
 */
#ifndef WF_QUANTITY_H
#define WF_QUANTITY_H

#include <stdint.h>

#include "present/page.h"

struct wf_quantity {
    char text[48];
};

struct wf_quantity wf_quantity_time(const struct wf_page *page, int64_t ns); /* 8.74 s, 431 ms, 12.3 µs; from 10,000 s
                                                                              * on 2.78 h
                                                                              */
struct wf_quantity wf_quantity_difference(const struct wf_page *page, int64_t raw_ns, int64_t ns); /* raw - ns: the
                                                                                                      subtracted
                                                                                                      overhead */
struct wf_quantity wf_quantity_bytes(int64_t bytes);                                               /* 31.3 KiB */
struct wf_quantity wf_quantity_count(int64_t count);                                               /* 1,234,567 */
struct wf_quantity wf_quantity_percent(double share); /* 61.2 %, 0.03 %, < 0.01 % */

/* for narrow columns */
struct wf_quantity wf_quantity_short_count(int64_t count);  /* 1,234,567; from ten million on 12.3 M */
struct wf_quantity wf_quantity_short_percent(double share); /* 61.2 %, < 0.1 % */

#endif
