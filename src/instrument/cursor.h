/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Questions to libclang's tree that need only a cursor. No state.
 */
#ifndef WF_CURSOR_H
#define WF_CURSOR_H

#include <stdbool.h>
#include <stddef.h>

#include "instrument/clang.h"

struct wf_children {
    CXCursor items[8]; /* the first `count` of them */
    CXCursor last;
    size_t count;
};

struct wf_children wf_cursor_children(CXCursor cursor);

/* The value of an expression or a variable's initialiser; false if it is not constant. */
bool wf_cursor_evaluate(CXCursor cursor, long long *value);

/* The block of a function or lambda; false if it has none. */
bool wf_cursor_body(CXCursor function, CXCursor *body);

bool wf_cursor_is_function(enum CXCursorKind kind);

/* A constructor, destructor or assignment that the compiler makes by itself. */
bool wf_cursor_is_generated(CXCursor function);

/* A template, or a member of one: its body is not bound to what it calls. */
bool wf_cursor_is_template(CXCursor function);

/* "ns::Class::method"; free() it. */
char *wf_cursor_qualified_name(CXCursor cursor);

/* The last part of a loop's body, below all loops, ifs and labels: a block or a simple statement. */
CXCursor wf_cursor_tail(CXCursor loop);

/* Whether a statement of this kind ends with a semicolon that libclang does not count as part of it. */
bool wf_cursor_needs_semicolon(enum CXCursorKind kind);

#endif
