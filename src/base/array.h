/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that grow, on the heap: for weft's own processes, never for the application's. The owner keeps the items, how
 * many they are and, beside them, for how many there is room; it frees the items. One thread at a time.
 */
#ifndef WF_ARRAY_H
#define WF_ARRAY_H

#include <stddef.h>

/* Makes room for `needed` items: WF_ARRAY_RESERVE(list->items, list->capacity, list->count + 1). The room doubles, and
 * what is new in it is not initialised. Returns 0; or -1 without memory, and nothing has changed. */
#define WF_ARRAY_RESERVE(items, capacity, needed) wf_array_reserve(&(items), &(capacity), (needed), sizeof *(items))
int wf_array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes);

/* Makes room for one item behind `count` items of an array that grew only through this function: its capacity need not
 * be kept, because it follows from the count. Returns the array, moved perhaps; or NULL without memory, the old one
 * being untouched. */
void *wf_array_grow(void *items, size_t count, size_t item_bytes);

#endif
