/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/rewrite.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "instrument/opening.h"

/* ---- columns ---- */

static size_t rewrite_line_begin(const char *text, size_t at)
{
    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

static unsigned rewrite_count_lines(const char *text, size_t from, size_t to)
{
    unsigned lines = 0;
    for (; from < to; from++)
        lines += text[from] == '\n';
    return lines;
}

/* ---- planning ---- */

static void rewrite_insert(struct wf_source *source, struct wf_insertion insertion)
{
    source->insertions = wf_buffer_grow(source->insertions, source->insertion_count, sizeof *source->insertions);
    source->insertions[source->insertion_count++] = insertion;
}

/* A probe's variable in a header must have the same name in all units, because the linker may keep any unit's copy of
 * an inline function. */
static char *rewrite_probe_text(const struct wf_source_unit *unit, const struct wf_source_region *region,
                                const char *before)
{
    struct wf_buffer text = {0};
    const struct wf_source *source = &unit->sources[region->source];
    wf_buffer_addf(&text, "%sWEFT_SCOPE_(", before);
    if (region->source == 0)
        wf_buffer_addf(&text, "%zu", (size_t)(region - unit->regions) + 1);
    else
        wf_buffer_addf(&text, "%u_%zu", region->begin_line,
                       region->begin - rewrite_line_begin(source->text, region->begin));
    wf_buffer_addf(&text, ", %s, ", region->kind == WF_PROCEDURE ? "WEFT_PROCEDURE_" : "WEFT_LOOP_");
    wf_buffer_add_literal(&text, region->name);
    if (region->kind == WF_LOOP) {
        wf_buffer_add_text(&text, " \"\\0\" ");
        wf_buffer_add_literal(&text, unit->regions[region->procedure].name);
    }
    wf_buffer_add_text(&text, ", ");
    wf_buffer_add_literal(&text, region->file);
    wf_buffer_addf(&text, ", %u)", region->line);
    return text.data;
}

static void rewrite_plan_procedure(struct wf_source_unit *unit, struct wf_source_region *region)
{
    struct wf_source *source = &unit->sources[region->source];
    size_t at = region->begin + (source->text[region->begin] == '{' ? 1 : 2); /* <% is a brace too */
    bool more = !wf_lexer_rest_is_empty(source->text, source->length, at);
    rewrite_insert(source,
                   (struct wf_insertion){at, true, rewrite_probe_text(unit, region, ""), region->begin_line, more});
}

/* The end of the loop's last token; 0 if that token is not in the text. */
static size_t rewrite_loop_end(const struct wf_source *source, const struct wf_source_region *region)
{
    if (!region->semicolon)
        return region->end && strchr("};>", source->text[region->end - 1]) ? region->end : 0; /* %> is a brace */
    size_t at = wf_lexer_skip_space(source->text, source->length, region->end);
    return at < source->length && source->text[at] == ';' ? at + 1 : 0;
}

static void rewrite_plan_loop(struct wf_source_unit *unit, struct wf_source_region *region)
{
    struct wf_source *source = &unit->sources[region->source];
    struct wf_opening opening = wf_opening_find(unit, source, region->begin);
    size_t end = rewrite_loop_end(source, region);
    if (!end)
        wf_source_region_skip(region, "ends in a macro");
    else if (opening.why)
        wf_source_region_skip(region, opening.why);
    if (region->probe != WF_PROBE_ON)
        return;
    unsigned first = region->begin_line - rewrite_count_lines(source->text, opening.at, region->begin);
    unsigned last = region->end_line + rewrite_count_lines(source->text, region->end, end);
    bool more = !wf_lexer_rest_is_empty(source->text, source->length, end);
    rewrite_insert(source, (struct wf_insertion){opening.at, true, rewrite_probe_text(unit, region, "{"), first, true});
    rewrite_insert(source, (struct wf_insertion){end, false, wf_text_copy("}"), last, more});
}

/* Skips inner loops that a pragma merges with this one. */
static void rewrite_skip_inner_loops(struct wf_source_unit *unit, int loop)
{
    const struct wf_source_region *region = &unit->regions[loop];
    if (strncmp(unit->sources[region->source].text + region->begin, region->name, strlen(region->name)) != 0)
        return; /* the loop begins in a macro */
    unsigned levels = wf_opening_find(unit, &unit->sources[region->source], region->begin).inner;
    for (size_t i = (size_t)loop + 1; levels && i < unit->region_count && wf_source_unit_is_within(unit, (int)i, loop);
         i++) {
        unsigned depth = 0;
        for (int r = (int)i; r != loop; r = unit->regions[r].parent)
            depth++;
        if (depth <= levels)
            wf_source_region_skip(&unit->regions[i], "belongs to the pragma of the loop around it");
    }
}

static void rewrite_plan_region(struct wf_source_unit *unit, struct wf_source_region *region)
{
    const struct wf_source *source = &unit->sources[region->source];
    const struct wf_source_region *procedure = &unit->regions[region->procedure];
    if (source->untouchable)
        wf_source_region_skip(region, "in a header that stays as it is");
    else if (region->kind == WF_LOOP && wf_opening_is_offloaded(source, procedure->begin, region->begin))
        wf_source_region_skip(region, "runs on another device");
    else if (region->kind == WF_LOOP)
        rewrite_plan_loop(unit, region);
    else
        rewrite_plan_procedure(unit, region);
}

static int rewrite_compare_insertions(const void *a, const void *b)
{
    const struct wf_insertion *left = a, *right = b;
    if (left->at != right->at)
        return left->at < right->at ? -1 : 1;
    return left->opens - right->opens;
}

static void rewrite_forget_insertions(struct wf_source *source)
{
    for (size_t i = 0; i < source->insertion_count; i++)
        free(source->insertions[i].text);
    free(source->insertions);
    source->insertions = NULL;
    source->insertion_count = 0;
}

/* Insertion sort: the items are nearly sorted, and those that open at one place must keep their order. */
static void rewrite_sort_insertions(struct wf_insertion *items, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct wf_insertion item = items[i];
        size_t j = i;
        for (; j > 0 && rewrite_compare_insertions(&items[j - 1], &item) > 0; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

void wf_rewrite_plan(struct wf_source_unit *unit)
{
    for (size_t i = 0; i < unit->source_count; i++)
        rewrite_forget_insertions(&unit->sources[i]);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].kind == WF_LOOP)
            rewrite_skip_inner_loops(unit, (int)i);
    for (size_t i = 0; i < unit->region_count; i++)
        if (unit->regions[i].probe == WF_PROBE_ON)
            rewrite_plan_region(unit, &unit->regions[i]);
    for (size_t i = 0; i < unit->source_count; i++)
        rewrite_sort_insertions(unit->sources[i].insertions, unit->sources[i].insertion_count);
}

/* ---- the new text ---- */

static void rewrite_add_span(struct wf_rewritten *rewritten, size_t begin, size_t at)
{
    size_t n = rewritten->span_count;
    size_t before = n ? rewritten->spans[n - 1].before + rewritten->spans[n - 1].length : 0;
    rewritten->spans = wf_buffer_grow(rewritten->spans, n, sizeof *rewritten->spans);
    rewritten->spans[rewritten->span_count++] =
        (struct wf_rewritten_span){begin, rewritten->text.length - begin, at, before};
}

/* Adds #line, and blanks up to the column of the text that follows. */
static void rewrite_add_line(struct wf_buffer *text, const struct wf_source *source,
                             const struct wf_insertion *insertion)
{
    wf_buffer_addf(text, "\n#line %u\n", insertion->line);
    for (size_t i = rewrite_line_begin(source->text, insertion->at); i < insertion->at; i++)
        wf_buffer_add(text, source->text[i] == '\t' ? "\t" : " ", 1);
}

static size_t rewrite_byte_order_mark(const struct wf_source *source)
{
    return source->length >= 3 && !memcmp(source->text, "\xef\xbb\xbf", 3) ? 3 : 0;
}

void wf_rewrite_source(const struct wf_source *source, const char *prelude, const char *table,
                       struct wf_rewritten *rewritten)
{
    struct wf_buffer *text = &rewritten->text;
    size_t at = rewrite_byte_order_mark(source);
    *rewritten = (struct wf_rewritten){.name = source->name};
    wf_buffer_add(text, source->text, at);
    wf_buffer_add_text(text, prelude);
    wf_buffer_add_text(text, "#line 1 ");
    wf_buffer_add_literal(text, source->name);
    wf_buffer_add_text(text, "\n");
    rewrite_add_span(rewritten, at, at);
    for (size_t i = 0; i < source->insertion_count; i++) {
        const struct wf_insertion *insertion = &source->insertions[i];
        wf_buffer_add(text, source->text + at, insertion->at - at);
        at = insertion->at;
        size_t begin = text->length;
        wf_buffer_add_text(text, insertion->text);
        if (insertion->own_line)
            rewrite_add_line(text, source, insertion);
        rewrite_add_span(rewritten, begin, at);
    }
    wf_buffer_add(text, source->text + at, source->length - at);
    if (*table) {
        size_t begin = text->length;
        if (source->length && source->text[source->length - 1] != '\n')
            wf_buffer_add_text(text, "\n");
        wf_buffer_add_text(text, table);
        rewrite_add_span(rewritten, begin, source->length);
    }
}

void wf_rewritten_fini(struct wf_rewritten *rewritten)
{
    wf_buffer_fini(&rewritten->text);
    free(rewritten->spans);
    *rewritten = (struct wf_rewritten){0};
}
