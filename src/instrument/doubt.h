/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statements whose indentation or braces compilers may warn of. gcc looks at indentation only in a text without #line,
 * and at an ambiguous else only where no braces are. Units with such statements are noted as doubtful, so that the
 * messages can be taken from the original.
 */
#ifndef WF_DOUBT_H
#define WF_DOUBT_H

#include "instrument/parser.h"

/* Belongs to the walk, which has one for each level of the tree. */
struct wf_doubt {
    bool bare;                 /* in a branch of an if, without braces between */
    bool is_guard;             /* the statement before is an if or a loop whose last part has no braces */
    unsigned column, end_line; /* of the statement before */
};

void wf_doubt_statement(struct wf_doubt *doubt, struct wf_parser *parser, CXCursor cursor, CXCursor parent);

#endif
