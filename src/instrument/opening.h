/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where in the text the braces around a loop open. Pragmas that belong to the loop stay directly above it, inside the
 * braces; conditional directives stay balanced. No state.
 */
#ifndef WF_OPENING_H
#define WF_OPENING_H

#include "instrument/source_unit.h"

struct wf_opening {
    size_t at;
    unsigned inner;  /* how many loops directly inside belong to the pragma, too (collapse, simd, target) */
    const char *why; /* why the loop cannot have braces, or NULL */
};

struct wf_opening wf_opening_find(const struct wf_source_unit *unit, const struct wf_source *source, size_t loop);

/* Whether the place is in a block that a pragma sends to another device. */
bool wf_opening_is_offloaded(const struct wf_source *source, size_t begin, size_t at);

#endif
