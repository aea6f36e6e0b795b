/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/doubt.h"

#include <ctype.h>

#include "instrument/cursor.h"
#include "instrument/source_place.h"

static bool doubt_is_guard(enum CXCursorKind kind)
{
    return kind == CXCursor_IfStmt || kind == CXCursor_ForStmt || kind == CXCursor_WhileStmt ||
           kind == CXCursor_CXXForRangeStmt;
}

/* Not in a macro. */
static bool doubt_begins_with_keyword(struct wf_parser *parser, CXCursor cursor)
{
    struct wf_source_place place = wf_source_place_begin(parser, cursor);
    const char *text = place.source == WF_NONE ? "" : parser->unit->sources[place.source].text + place.at;
    size_t length = wf_text_starts(text, "while") ? 5
                    : wf_text_starts(text, "for") ? 3
                    : wf_text_starts(text, "if")  ? 2
                                                  : 0;
    return length && !isalnum((unsigned char)text[length]) && text[length] != '_';
}

/* The column, with tabs, and the line in the file. */
static unsigned doubt_column_of(CXSourceLocation location, unsigned *line)
{
    unsigned column;
    wf_clang.getExpansionLocation(location, NULL, line, &column, NULL);
    return column;
}

void wf_doubt_statement(struct wf_doubt *doubt, struct wf_parser *parser, CXCursor cursor, CXCursor parent)
{
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor), parent_kind = wf_clang.getCursorKind(parent);
    if (parser->parse->rewritten_count)
        return;
    CXSourceRange extent = wf_clang.getCursorExtent(cursor);
    unsigned line, column = doubt_column_of(wf_clang.getRangeStart(extent), &line);
    bool indented =
        parent_kind == CXCursor_CompoundStmt && doubt->is_guard && (column > doubt->column || line == doubt->end_line);
    bool ambiguous = kind == CXCursor_IfStmt && doubt->bare && parent_kind != CXCursor_IfStmt &&
                     wf_cursor_children(cursor).count > 2;
    parser->unit->doubtful |= indented || ambiguous;
    doubt->column = column;
    doubt_column_of(wf_clang.getRangeEnd(extent), &doubt->end_line);
    bool in_text = doubt_is_guard(kind) && doubt_begins_with_keyword(parser, cursor);
    while (in_text && doubt_is_guard(wf_clang.getCursorKind(cursor)))
        cursor = wf_cursor_children(cursor).last;
    doubt->is_guard = in_text && wf_clang.getCursorKind(cursor) != CXCursor_CompoundStmt;
}
