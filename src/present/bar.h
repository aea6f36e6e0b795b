/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Drawings of one line. They are returned by value, like quantities.
 */
#ifndef WF_BAR_H
#define WF_BAR_H

#include <stddef.h>
#include <stdint.h>

#include "present/page.h"

enum { WF_BAR_WIDEST = 60 };

struct wf_bar {
    char text[4 * WF_BAR_WIDEST + 1];
};

/* Draws `share` (0 to 1) of `cells`; the rest is track or blank. */
struct wf_bar wf_bar_draw(const struct wf_page *page, double share, int cells, bool track);

/* Draws two shares one after the other. */
struct wf_bar wf_bar_draw_two(const struct wf_page *page, double useful, double mpi, int cells);

/* Draws each value as a height between 0 and the largest value. If there are more values than cells, a cell shows
 * the largest of its values. */
struct wf_bar wf_bar_sketch(const struct wf_page *page, const int64_t *values, size_t count, int cells);

#endif
