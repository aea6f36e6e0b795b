/* SPDX-License-Identifier: BSD-3-Clause */
#include "instrument/cursor.h"

#include <stdlib.h>
#include <string.h>

#include "instrument/buffer.h"

static enum CXChildVisitResult cursor_take_child(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    struct wf_children *children = data;
    if (children->count < sizeof children->items / sizeof *children->items)
        children->items[children->count] = cursor;
    children->last = cursor;
    children->count++;
    return CXChildVisit_Continue;
}

struct wf_children wf_cursor_children(CXCursor cursor)
{
    struct wf_children children = {.count = 0};
    wf_clang.visitChildren(cursor, cursor_take_child, &children);
    return children;
}

bool wf_cursor_evaluate(CXCursor cursor, long long *value)
{
    CXEvalResult result = wf_clang.Cursor_Evaluate(cursor);
    bool number = result && wf_clang.EvalResult_getKind(result) == CXEval_Int;
    if (number)
        *value = wf_clang.EvalResult_getAsLongLong(result);
    if (result)
        wf_clang.EvalResult_dispose(result);
    return number;
}

static enum CXChildVisitResult cursor_find_body(CXCursor cursor, CXCursor parent, CXClientData data)
{
    (void)parent;
    CXCursor *body = data;
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor);
    if (kind == CXCursor_CompoundStmt)
        *body = cursor;
    if (kind == CXCursor_CXXTryStmt) /* void f() try { ... } catch ... */
        wf_clang.visitChildren(cursor, cursor_find_body, body);
    return CXChildVisit_Continue;
}

bool wf_cursor_body(CXCursor function, CXCursor *body)
{
    *body = (CXCursor){.kind = CXCursor_InvalidFile};
    wf_clang.visitChildren(function, cursor_find_body, body);
    return body->kind == CXCursor_CompoundStmt;
}

bool wf_cursor_is_function(enum CXCursorKind kind)
{
    return kind == CXCursor_FunctionDecl || kind == CXCursor_CXXMethod || kind == CXCursor_Constructor ||
           kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction || kind == CXCursor_FunctionTemplate;
}

static bool cursor_same_place(CXCursor a, CXCursor b)
{
    CXFile files[2];
    unsigned offsets[2];
    wf_clang.getExpansionLocation(wf_clang.getCursorLocation(a), &files[0], NULL, NULL, &offsets[0]);
    wf_clang.getExpansionLocation(wf_clang.getCursorLocation(b), &files[1], NULL, NULL, &offsets[1]);
    return files[0] == files[1] && offsets[0] == offsets[1];
}

bool wf_cursor_is_generated(CXCursor function)
{
    enum CXCursorKind kind = wf_clang.getCursorKind(function);
    if (kind != CXCursor_Constructor && kind != CXCursor_Destructor && kind != CXCursor_CXXMethod)
        return false;
    return wf_clang.CXXMethod_isDefaulted(function) ||
           cursor_same_place(function, wf_clang.getCursorSemanticParent(function));
}

static bool cursor_is_scope(enum CXCursorKind kind)
{
    return kind == CXCursor_Namespace || kind == CXCursor_ClassDecl || kind == CXCursor_StructDecl ||
           kind == CXCursor_UnionDecl || kind == CXCursor_ClassTemplate ||
           kind == CXCursor_ClassTemplatePartialSpecialization;
}

bool wf_cursor_is_template(CXCursor function)
{
    if (wf_clang.getCursorKind(function) == CXCursor_FunctionTemplate ||
        !wf_clang.Cursor_isNull(wf_clang.getSpecializedCursorTemplate(function)))
        return true;
    enum CXCursorKind kind;
    for (CXCursor scope = wf_clang.getCursorSemanticParent(function);
         cursor_is_scope(kind = wf_clang.getCursorKind(scope)); scope = wf_clang.getCursorSemanticParent(scope))
        if (kind == CXCursor_ClassTemplate || kind == CXCursor_ClassTemplatePartialSpecialization)
            return true;
    return false;
}

char *wf_cursor_qualified_name(CXCursor cursor)
{
    char *name = wf_clang_text(wf_clang.getCursorSpelling(cursor));
    enum CXCursorKind kind = wf_clang.getCursorKind(cursor);
    if (kind == CXCursor_Constructor || kind == CXCursor_Destructor) /* "Class<T>" in templates */
        name[strcspn(name, "<")] = '\0';
    for (CXCursor scope = wf_clang.getCursorSemanticParent(cursor); cursor_is_scope(wf_clang.getCursorKind(scope));
         scope = wf_clang.getCursorSemanticParent(scope)) {
        char *outer = wf_clang_text(wf_clang.getCursorSpelling(scope));
        if (*outer && *outer != '(') {
            char *joined = wf_text_format("%s::%s", outer, name);
            free(name);
            name = joined;
        }
        free(outer);
    }
    return name;
}

CXCursor wf_cursor_tail(CXCursor cursor)
{
    for (;;) {
        struct wf_children children = wf_cursor_children(cursor);
        switch (wf_clang.getCursorKind(cursor)) {
        case CXCursor_ForStmt:
        case CXCursor_WhileStmt:
        case CXCursor_CXXForRangeStmt:
        case CXCursor_IfStmt:
        case CXCursor_SwitchStmt:
        case CXCursor_LabelStmt:
        case CXCursor_CaseStmt:
        case CXCursor_DefaultStmt:
        case CXCursor_UnexposedStmt:
            if (!children.count)
                return cursor;
            cursor = children.last;
            break;
        default:
            return cursor;
        }
    }
}

bool wf_cursor_needs_semicolon(enum CXCursorKind kind)
{
    return kind != CXCursor_CompoundStmt && kind != CXCursor_NullStmt && kind != CXCursor_DeclStmt &&
           kind != CXCursor_CXXTryStmt;
}
