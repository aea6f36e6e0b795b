/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a directive of the preprocessor, or the words of a pragma, mean for the loop below. No state; any thread.
 */
#ifndef WF_DIRECTIVE_H
#define WF_DIRECTIVE_H

#include "instrument/source_unit.h"

enum wf_directive_kind {
    WF_DIRECTIVE_OPEN_IF,    /* #if, #ifdef, #ifndef */
    WF_DIRECTIVE_MIDDLE,     /* #else, #elif */
    WF_DIRECTIVE_CLOSE_IF,   /* #endif */
    WF_DIRECTIVE_BOUND,      /* a pragma for the next loop */
    WF_DIRECTIVE_BLOCK,      /* a pragma for the next statement, whatever it is */
    WF_DIRECTIVE_SECTION,    /* the same, for a statement directly in a block of its own */
    WF_DIRECTIVE_CODE,       /* an #include of a file with code (for callers that read the file) */
    WF_DIRECTIVE_CODE_BOUND, /* an #include of a file with code and a pragma at its end */
    WF_DIRECTIVE_UNBOUND,    /* any other directive */
};

/* The kind of a directive; the text begins with its #. */
enum wf_directive_kind wf_directive_kind(const char *text, size_t length);

/* The kind of a pragma; the text is its words. */
enum wf_directive_kind wf_directive_pragma_kind(const char *text, size_t length);

/* How many loops directly inside belong to the pragma, too (collapse, simd, target); UINT_MAX: all. */
unsigned wf_directive_inner_loops(const char *text, size_t length);

/* Whether the directive is a pragma that sends the next block to another device. */
bool wf_directive_offloads(const char *text, size_t length);

/* The name in an #include "name" and its length, or NULL. */
const char *wf_directive_included(const char *text, size_t length, size_t *bytes);

/* Whether a macro of this name, defined in one of the user's files, expands to a pragma. */
bool wf_directive_macro_is_pragma(const struct wf_source_unit *unit, const char *name, size_t bytes);

/* Whether the word is one of the list's, which are separated by blanks. */
bool wf_directive_in_list(const char *list, const char *word, size_t bytes);

#endif
