/* SPDX-License-Identifier: BSD-3-Clause */
#include "present/source_text.h"

#include <stdlib.h>
#include <string.h>

#include "analyse/memory.h"
#include "present/bar.h"
#include "present/text.h"
#include "present/tree_text.h"
#include "present/quantity.h"

enum { TAB = 4, WIDE_PAGE = 100, BAR = 8 };
static const double hot = 0.10, warm = 0.01;

struct source_printer {
    struct wf_page *page;
    const struct wf_graph *graph;
    int time, count, number; /* widths in columns */
    int bar;                 /* cells; 0: no room */
};

static double source_text_share(const struct wf_graph *graph, int64_t ns)
{
    return graph->shown_ns > 0 ? (double)ns / (double)graph->shown_ns : 0;
}

/* Expands tabs to blanks and removes trailing blanks. The caller frees the text. */
static char *source_text_expand(const char *text)
{
    char *copy = wf_memory_array(TAB * strlen(text) + 1, 1), *to = copy;
    for (; *text; text++) {
        *to++ = *text == '\t' ? ' ' : *text;
        while (*text == '\t' && (to - copy) % TAB)
            *to++ = ' ';
    }
    while (to > copy && to[-1] == ' ')
        to--;
    *to = 0;
    return wf_text_clean(copy);
}

static void source_text_print_padded(struct wf_page *page, enum wf_style style, int columns, const char *text)
{
    int blanks = columns - wf_text_columns(text);
    fprintf(page->out, "%*s", blanks > 0 ? blanks : 0, "");
    wf_page_print(page, style, "%s", text);
}

/* Columns before the source text. */
static int source_text_gutter(const struct source_printer *p)
{
    return 2 + 7 + 2 + p->time + 2 + p->count + 2 + (p->bar ? p->bar + 2 : 0) + p->number + 2;
}

static void source_text_print_figures(const struct source_printer *p, const struct wf_listing_line *line,
                                      enum wf_style style)
{
    double share = source_text_share(p->graph, line->time_ns);
    fputs("  ", p->page->out);
    source_text_print_padded(p->page, style == WF_PLAIN ? WF_BOLD : style, 7,
                             line->known ? wf_quantity_short_percent(share).text : "");
    fputs("  ", p->page->out);
    source_text_print_padded(p->page, style, p->time, line->known ? wf_quantity_time(p->page, line->time_ns).text : "");
    fputs("  ", p->page->out);
    source_text_print_padded(p->page, WF_PLAIN, p->count, line->calls ? wf_quantity_short_count(line->calls).text : "");
    fputs("  ", p->page->out);
    if (p->bar) {
        struct wf_bar bar = wf_bar_draw(p->page, line->known ? share : 0, p->bar, false);
        wf_page_print(p->page, style, "%s", bar.text);
        fprintf(p->page->out, "%*s", p->bar - wf_text_columns(bar.text) + 2, "");
    }
}

static void source_text_print_line(const struct source_printer *p, const struct wf_listing_line *line, size_t number)
{
    double share = source_text_share(p->graph, line->time_ns);
    enum wf_style style = !line->known || share < warm ? WF_PLAIN : share >= hot ? WF_BAD : WF_WARN;
    char *text = source_text_expand(line->text),
         *cut = wf_text_cut(text, p->page->width - source_text_gutter(p), p->page->glyphs->ellipsis);
    char digits[24];
    snprintf(digits, sizeof digits, "%zu", number);
    source_text_print_figures(p, line, style);
    source_text_print_padded(p->page, WF_DIM, p->number, digits);
    if (*cut)
        fputs("  ", p->page->out);
    wf_page_print(p->page, style, "%s", cut);
    fputc('\n', p->page->out);
    free(text);
    free(cut);
}

static void source_text_print_gap(const struct source_printer *p)
{
    fprintf(p->page->out, "%*s", source_text_gutter(p) - 2 - wf_text_columns(p->page->glyphs->ellipsis), "");
    wf_page_print(p->page, WF_DIM, "%s", p->page->glyphs->ellipsis);
    fputc('\n', p->page->out);
}

static int source_text_larger(int a, int b)
{
    return a > b ? a : b;
}

static void source_text_measure(struct source_printer *p, const struct wf_listing *listing)
{
    p->time = (int)strlen("time");
    p->count = (int)strlen("count");
    p->number = (int)strlen("line");
    p->bar = p->page->width >= WIDE_PAGE ? BAR : 0;
    for (size_t i = 0; i < listing->count; i++) {
        const struct wf_listing_line *line = &listing->lines[i];
        if (!line->shown || !line->known)
            continue;
        p->time = source_text_larger(p->time, wf_text_columns(wf_quantity_time(p->page, line->time_ns).text));
        p->count = source_text_larger(p->count, wf_text_columns(wf_quantity_short_count(line->calls).text));
    }
}

static void source_text_print_headings(const struct source_printer *p)
{
    fprintf(p->page->out, "  ");
    wf_page_print(p->page, WF_DIM, "%7s  %*s  %*s  %*s%*s", "share", p->time, "time", p->count, "count",
                  p->bar ? p->bar + 2 : 0, "", p->number, "line");
    fputc('\n', p->page->out);
    wf_page_rule(p->page, 2, p->page->width);
}

static void source_text_print_lines(const struct source_printer *p, const struct wf_listing *listing)
{
    bool gap = false;
    for (size_t i = 0; i < listing->count; i++) {
        if (listing->lines[i].shown)
            source_text_print_line(p, &listing->lines[i], i + 1);
        else if (!gap)
            source_text_print_gap(p);
        gap = !listing->lines[i].shown;
    }
}

void wf_listing_print(struct wf_page *page, const struct wf_graph *graph, const struct wf_listing *listing, int rank)
{
    struct source_printer p = {.page = page, .graph = graph};
    char *subject = wf_tree_subject(graph, rank), *path = wf_memory_text(listing->path);
    source_text_measure(&p, listing);
    wf_page_heading(page, "%s: shares of %s, %s", wf_text_clean(path), wf_quantity_time(page, graph->shown_ns).text,
                    subject);
    if (listing->newer)
        wf_page_wrap(page, WF_WARN, "  ! ", "%s", "this file was changed after the run: lines may have moved");
    fputc('\n', page->out);
    source_text_print_headings(&p);
    source_text_print_lines(&p, listing);
    free(subject);
    free(path);
}
