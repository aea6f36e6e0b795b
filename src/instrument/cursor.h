/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Small questions to libclang's tree that need nothing but a cursor.
 */
#ifndef WF_CURSOR_H
#define WF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "instrument/clang.h"

struct wf_children {
    CXCursor items[8]; /* the first ones */
    CXCursor last;
    size_t count;
};

struct wf_children wf_cursor_children(CXCursor cursor);

/* The number that an expression or a variable's initialiser is, if the compiler knows it. */
bool wf_cursor_evaluate(CXCursor cursor, long long *value);

/* The block of a function or lambda; false if it has none. */
bool wf_cursor_body(CXCursor function, CXCursor *body);

bool wf_cursor_is_function(enum CXCursorKind kind);

/* "ns::Class::method"; free() it. */
char *wf_cursor_qualified_name(CXCursor cursor);

/* The last part of a loop's body that is no loop, if or label itself. */
CXCursor wf_cursor_tail(CXCursor loop);

/* Whether a statement of this kind ends with a semicolon that libclang does not count as part of it. */
bool wf_cursor_needs_semicolon(enum CXCursorKind kind);

#endif
