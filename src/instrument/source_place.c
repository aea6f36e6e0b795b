/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/source_place.h"

#include <stdlib.h>
#include <string.h>

static int source_place_find_source(struct wf_parser *parser, CXFile file)
{
    struct wf_source_unit *unit = parser->unit;
    if (file == parser->last_file)
        return parser->last_source;
    parser->last_file = file;
    parser->last_source = WF_NONE;
    for (size_t i = 0; i < unit->source_count; i++)
        if (unit->sources[i].file == file)
            parser->last_source = (int)i;
    return parser->last_source;
}

static const struct wf_rewritten *source_place_find_rewritten(const struct wf_parser *parser, int source)
{
    const struct wf_parse *parse = parser->parse;
    for (size_t i = 0; i < parse->rewritten_count; i++)
        if (!strcmp(parse->rewritten[i].name, parser->unit->sources[source].name))
            return &parse->rewritten[i];
    return NULL;
}

/* Sets the place in the original. An end is one byte after the last, so it belongs to the text before it. */
static void source_place_unmap(const struct wf_parser *parser, struct wf_source_place *place, bool is_end)
{
    const struct wf_rewritten *rewritten = source_place_find_rewritten(parser, place->source);
    if (!rewritten)
        return;
    size_t low = 0, high = rewritten->span_count, at = place->at;
    while (low < high) { /* the last span that begins before the place */
        size_t middle = low + (high - low) / 2;
        if (rewritten->spans[middle].begin + is_end <= at)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return;
    const struct wf_rewritten_span *span = &rewritten->spans[low - 1];
    place->inserted = at < span->begin + span->length + is_end;
    place->at = place->inserted ? span->at : at - span->before - span->length;
}

struct wf_source_place wf_source_place_at(struct wf_parser *parser, CXSourceLocation location, bool is_end)
{
    CXFile file = NULL;
    unsigned offset = 0;
    wf_clang.getExpansionLocation(location, &file, NULL, NULL, &offset);
    struct wf_source_place place = {file ? source_place_find_source(parser, file) : WF_NONE, offset, false};
    if (place.source != WF_NONE && parser->parse->rewritten_count)
        source_place_unmap(parser, &place, is_end);
    return place;
}

struct wf_source_place wf_source_place_begin(struct wf_parser *parser, CXCursor cursor)
{
    return wf_source_place_at(parser, wf_clang.getRangeStart(wf_clang.getCursorExtent(cursor)), false);
}

struct wf_source_place wf_source_place_end(struct wf_parser *parser, CXCursor cursor)
{
    return wf_source_place_at(parser, wf_clang.getRangeEnd(wf_clang.getCursorExtent(cursor)), true);
}

const char *wf_source_place_plain_name(const struct wf_parser *parser, const char *name)
{
    bool strip = !parser->parse->compiler->clang && !strchr(parser->parse->path, '/') && wf_text_starts(name, "./");
    return strip ? name + 2 : name;
}

void wf_source_place_presumed(const struct wf_parser *parser, CXSourceLocation location, char **file, unsigned *line)
{
    CXString name;
    wf_clang.getPresumedLocation(location, &name, line, NULL);
    char *text = wf_clang_text(name);
    *file = wf_text_copy(wf_source_place_plain_name(parser, text));
    free(text);
}

bool wf_source_place_is_foreign(const struct wf_parser *parser, CXSourceLocation location)
{
    char *file;
    unsigned line;
    if (!parser->unit->preprocessed)
        return false;
    wf_source_place_presumed(parser, location, &file, &line);
    bool foreign = wf_compiler_is_system(parser->parse->compiler, parser->parse->line, file);
    free(file);
    return foreign;
}

static unsigned source_place_presumed_line(CXSourceLocation location)
{
    CXString name;
    unsigned line;
    wf_clang.getPresumedLocation(location, &name, &line, NULL);
    wf_clang.disposeString(name);
    return line;
}

void wf_source_place_set_lines(struct wf_source_region *region, CXCursor cursor)
{
    CXSourceRange extent = wf_clang.getCursorExtent(cursor);
    region->begin_line = source_place_presumed_line(wf_clang.getRangeStart(extent));
    region->end_line = source_place_presumed_line(wf_clang.getRangeEnd(extent));
}
