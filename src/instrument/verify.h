/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instrumented text, parsed again, must be the original with nothing moved: same procedures, loops and calls in each other, and in each
 * procedure the same tree, every node at its place.
 */
#ifndef WF_VERIFY_H
#define WF_VERIFY_H

#include "instrument/unit.h"

/* Whether braces around the loops that have probes can be seen to be right from the text alone: each loop ends with a block whose braces stand in
 * the text, or with a simple statement without macros that could hide more. Where that holds, nothing can have moved, and in C++, where
 * parsing again costs as much as compiling, it is enough as long as the compiler accepts the result. */
bool wf_verify_text(const struct wf_unit *unit);

/* 0 if equal. 1 if some procedures differ, which are then skipped. -1 if more than that does. */
int wf_verify_compare(struct wf_unit *original, const struct wf_unit *again);

#endif
