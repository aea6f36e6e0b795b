/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The instrumented text, parsed again, must be the original with nothing moved: same procedures, loops and calls in each other, and in each
 * procedure the same tree, every node at its place.
 */
#ifndef WF_VERIFY_H
#define WF_VERIFY_H

#include "instrument/unit.h"

/* 0 if equal. 1 if some procedures differ, which are then skipped. -1 if more than that does. */
int wf_verify_compare(struct wf_unit *original, const struct wf_unit *again);

#endif
