/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Compares the original with the instrumented text, parsed again: the same procedures, loops and calls, with the same
 * nesting, and in each procedure the same tree with every node at its place. No state.
 */
#ifndef WF_VERIFY_H
#define WF_VERIFY_H

#include "instrument/source_unit.h"

/* Whether the text alone shows that the braces around all loops with probes are right: each loop ends with a block
 * whose braces are in the text, or with a simple statement without macros that could hide more. Then the tree cannot
 * have changed, and the text need not be parsed again, which in C++ takes as long as compiling. */
bool wf_verify_text(const struct wf_source_unit *unit);

/* 0 if equal. 1 if only procedures differ; these are skipped. -1 otherwise. */
int wf_verify_compare(struct wf_source_unit *original, const struct wf_source_unit *again);

#endif
