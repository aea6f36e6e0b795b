/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers for byte strings: equal bytes have the same number, and numbers run from 0 in the order of arrival.
 * It keeps a copy of the bytes, with a 0 behind them, so that it serves for texts and for keys made of
 * several fields (without padding).
 */
#ifndef WF_COLLECT_INTERN_H
#define WF_COLLECT_INTERN_H

#include <stddef.h>
#include <stdint.h>

#define WF_INTERN_NONE UINT32_MAX

struct wf_intern_entry {
    uint64_t hash;
    size_t start;
    size_t length;
};

struct wf_intern {
    struct wf_intern_entry *entries;
    size_t count, capacity;
    uint32_t *slots; /* number + 1; 0: free */
    size_t slot_count;
    char *bytes;
    size_t used, bytes_capacity;
};

/* A zeroed struct is an empty one. */
void wf_intern_fini(struct wf_intern *intern);

/* WF_INTERN_NONE: not there; or, from add, out of memory. */
uint32_t wf_intern_find(const struct wf_intern *intern, const void *bytes, size_t length);
uint32_t wf_intern_add(struct wf_intern *intern, const void *bytes, size_t length);
uint32_t wf_intern_add_text(struct wf_intern *intern, const char *text);

/* Valid until the next add. */
const char *wf_intern_get(const struct wf_intern *intern, uint32_t number);

#endif
