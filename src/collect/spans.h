/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a process had its modules, and until when. Two may have been at one place, one after the other: a library was closed, and another one
 * was mapped there.
 */
#ifndef WF_COLLECT_SPANS_H
#define WF_COLLECT_SPANS_H

#include <stddef.h>
#include <stdint.h>

struct wf_span {
    uint64_t start, end;   /* addresses */
    uint64_t closed_bytes; /* as in wf_module_record */
    uint64_t bias;
    uint64_t module; /* what its owner calls the module */
    uint64_t reach;  /* the largest end of it and all before it */
    size_t order;    /* in the file */
};

struct wf_spans {
    struct wf_span *items; /* by start, once they are settled */
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_spans_fini(struct wf_spans *spans);

/* In the order of the file; `order` and `reach` are filled in here. Returns 0, or -1 without memory. */
int wf_spans_add(struct wf_spans *spans, struct wf_span span);
void wf_spans_settle(struct wf_spans *spans); /* after the last one, before the first question */

/* The first in the file that covers the address and was not closed when a chunk at this offset began; NULL: none. */
const struct wf_span *wf_spans_find(const struct wf_spans *spans, uint64_t address, uint64_t chunk);

/* For an address of which nobody knows when it was used: one that is still open, else the one that was closed last; NULL: none. */
const struct wf_span *wf_spans_find_last(const struct wf_spans *spans, uint64_t address);

#endif
