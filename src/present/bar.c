/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/bar.h"

#include <math.h>
#include <string.h>

static int bar_limit(double value, int most)
{
    return !(value > 0) ? 0 : value > most ? most : (int)value;
}

static char *bar_repeat(char *to, const char *glyph, int times)
{
    while (times-- > 0)
        to = stpcpy(to, glyph);
    return to;
}

struct wf_bar wf_bar_draw(const struct wf_page *page, double share, int cells, bool track)
{
    struct wf_bar bar = {""};
    const struct wf_glyphs *g = page->glyphs;
    if (cells > WF_BAR_WIDEST)
        cells = WF_BAR_WIDEST;
    int eighths = bar_limit(round(share * cells * 8), cells * 8);
    if (eighths == 0 && share > 0)
        eighths = 1; /* a value above 0 is always visible */
    char *to = bar_repeat(bar.text, g->eighths[8], eighths / 8);
    int drawn = eighths / 8;
    if (eighths % 8) {
        to = stpcpy(to, g->eighths[eighths % 8]);
        drawn++;
    }
    to = bar_repeat(to, track ? g->track : "", cells - drawn);
    *to = 0;
    return bar;
}

struct wf_bar wf_bar_draw_two(const struct wf_page *page, double useful, double mpi, int cells)
{
    struct wf_bar bar = {""};
    if (cells > WF_BAR_WIDEST)
        cells = WF_BAR_WIDEST;
    int whole = bar_limit(round((useful + mpi) * cells), cells), first = bar_limit(round(useful * cells), whole);
    char *to = bar_repeat(bar.text, page->glyphs->useful, first);
    to = bar_repeat(to, page->glyphs->mpi, whole - first);
    to = bar_repeat(to, " ", cells - whole);
    *to = 0;
    return bar;
}

static int bar_height(int64_t value, int64_t largest)
{
    if (value <= 0 || largest <= 0)
        return 0;
    int level = (int)ceil(8.0 * (double)value / (double)largest);
    return level < 1 ? 1 : level > 8 ? 8 : level;
}

struct wf_bar wf_bar_sketch(const struct wf_page *page, const int64_t *values, size_t count, int cells)
{
    struct wf_bar bar = {""};
    char *to = bar.text;
    int64_t largest = 0;
    size_t drawn = cells > WF_BAR_WIDEST ? WF_BAR_WIDEST : (size_t)cells;
    if (count < drawn)
        drawn = count;
    for (size_t i = 0; i < count; i++)
        largest = values[i] > largest ? values[i] : largest;
    for (size_t cell = 0; cell < drawn; cell++) {
        int64_t tallest = 0;
        for (size_t i = cell * count / drawn; i < (cell + 1) * count / drawn; i++)
            tallest = values[i] > tallest ? values[i] : tallest;
        to = stpcpy(to, page->glyphs->levels[bar_height(tallest, largest)]);
    }
    *to = 0;
    return bar;
}
