/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where in the text the braces around a loop open. Pragmas that belong to the loop stay directly above it, inside of the braces;
 * conditional directives keep their balance.
 */
#ifndef WF_PRAGMA_H
#define WF_PRAGMA_H

#include "instrument/unit.h"

struct wf_opening {
    size_t at;
    unsigned inner;  /* how many loops directly inside belong to the pragma too (collapse, simd, target) */
    const char *why; /* not NULL: it cannot be done */
};

struct wf_opening wf_pragma_opening(const struct wf_unit *unit, const struct wf_source *source, size_t loop);

/* Whether the place is in a block under a pragma that sends it to another device. */
bool wf_pragma_is_offloaded(const struct wf_source *source, size_t begin, size_t at);

#endif
