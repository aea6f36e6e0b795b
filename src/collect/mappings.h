/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where a process had its modules, and until when. Two may have been at one place, one after the other: a library was
 * closed, and another one was mapped there. A segment reader or an address space owns it.
 */
#ifndef WF_COLLECT_MAPPINGS_H
#define WF_COLLECT_MAPPINGS_H

#include <stddef.h>
#include <stdint.h>

struct wf_mapping {
    uint64_t start, end;   /* addresses */
    uint64_t closed_bytes; /* as in wf_module_record */
    uint64_t bias;
    uint64_t module; /* the owner's number or place of the module */
    uint64_t reach;  /* the largest end among it and all before it */
    size_t order;    /* in the file */
};

struct wf_mappings {
    struct wf_mapping *items; /* by start, once they are settled */
    size_t count, capacity;
};

/* A zeroed struct is an empty one. */
void wf_mappings_fini(struct wf_mappings *mappings);

/* Adds the next one of the file; `order` and `reach` are filled in here. Returns 0, or -1 without memory. */
int wf_mappings_add(struct wf_mappings *mappings, struct wf_mapping mapping);
void wf_mappings_settle(struct wf_mappings *mappings); /* after the last add, before the first find */

/* The first in the file that covers the address and was not closed when a chunk at this offset began; NULL: none. */
const struct wf_mapping *wf_mappings_find(const struct wf_mappings *mappings, uint64_t address, uint64_t chunk);

/* For an address whose time of use is not known: one that is still open, else the one that was closed last; NULL:
 * none. */
const struct wf_mapping *wf_mappings_find_last(const struct wf_mappings *mappings, uint64_t address);

#endif
