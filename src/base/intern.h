/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Numbers for byte strings, by a hash table on the heap: equal bytes have the same number, and numbers run from 0 in
 * the order of arrival. It keeps a copy of the bytes, with a 0 behind them, so that it serves for texts and for keys
 * made of several fields (without padding). For weft's own processes, never for the application's; one thread at a
 * time.
 */
#ifndef WF_INTERN_H
#define WF_INTERN_H

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

/* The same where each number has an item, in an array that grows along (base/array.h): a new number gets a copy of
 * `item`, a known one keeps what it has. */
#define WF_INTERN_ADD_ITEM(intern, key, items, capacity, item) \
    wf_intern_add_item((intern), (key), sizeof *(key), &(items), &(capacity), sizeof *(items), (item))
uint32_t wf_intern_add_item(struct wf_intern *intern, const void *key, size_t key_bytes, void *items, size_t *capacity,
                            size_t item_bytes, const void *item);

/* Valid until the next add. */
const char *wf_intern_get(const struct wf_intern *intern, uint32_t number);

#endif
