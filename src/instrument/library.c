/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/library.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/buffer.h"
#include "instrument/cursor.h"
#include "instrument/short_calls.h"

/* A walk through a function's body. */
struct library_walk {
    struct wf_library *library;
    bool is_short;
};

static bool library_call_is_short(struct wf_library *library, CXCursor call)
{
    CXCursor function = wf_clang.getCursorReferenced(call);
    if (wf_clang.Cursor_isNull(function) || !wf_cursor_is_function(wf_clang.getCursorKind(function)))
        return false; /* through a pointer */
    return wf_cursor_is_generated(function) || wf_library_is_short(library, function);
}

static enum CXChildVisitResult library_visit(CXCursor cursor, CXCursor parent, CXClientData data)
{
    struct library_walk *walk = data;
    (void)parent;
    switch (wf_clang.getCursorKind(cursor)) {
    case CXCursor_ForStmt:
    case CXCursor_WhileStmt:
    case CXCursor_DoStmt:
    case CXCursor_CXXForRangeStmt:
    case CXCursor_GotoStmt:
    case CXCursor_IndirectGotoStmt:
        walk->is_short = false;
        break;
    case CXCursor_CallExpr:
        walk->is_short = library_call_is_short(walk->library, cursor);
        break;
    default:
        break;
    }
    return walk->is_short ? CXChildVisit_Recurse : CXChildVisit_Break;
}

static bool library_body_is_short(struct wf_library *library, CXCursor function)
{
    struct library_walk walk = {library, true};
    CXCursor definition = wf_clang.getCursorDefinition(function), body;
    bool virtual = wf_clang.getCursorKind(function) == CXCursor_CXXMethod && wf_clang.CXXMethod_isVirtual(function);
    if (virtual || wf_cursor_is_template(function) || wf_clang.Cursor_isNull(definition) ||
        !wf_cursor_body(definition, &body))
        return false;
    wf_clang.visitChildren(definition, library_visit, &walk);
    return walk.is_short;
}

bool wf_library_is_short(struct wf_library *library, CXCursor function)
{
    char *name = wf_cursor_qualified_name(function);
    bool known = wf_short_call_is_known(name);
    free(name);
    if (known)
        return true;
    char *key = wf_clang_text(wf_clang.getCursorUSR(function));
    for (size_t i = 0; i < library->count; i++) {
        if (!strcmp(library->answers[i].function, key)) {
            free(key);
            return library->answers[i].is_short;
        }
    }
    /* Until it is judged, it is not short: recursion has no bound. */
    size_t place = library->count;
    library->answers = wf_buffer_grow(library->answers, place, sizeof *library->answers);
    library->answers[library->count++] = (struct wf_library_answer){key, false};
    bool is_short = library_body_is_short(library, function);
    library->answers[place].is_short = is_short;
    return is_short;
}

void wf_library_fini(struct wf_library *library)
{
    for (size_t i = 0; i < library->count; i++)
        free(library->answers[i].function);
    free(library->answers);
    *library = (struct wf_library){0};
}
