/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sorting by numbers: items stay where they are, or take with them what names them by their numbers. On the heap; for
 * weft's own processes.
 */
#ifndef WF_ORDER_H
#define WF_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Compares two of the numbers, to which it gets pointers; as with qsort_r. */
typedef int wf_order_compare(const void *a, const void *b, void *context);

/* The numbers from 0 to count - 1, sorted. To be freed; NULL without memory. */
uint32_t *wf_order_new(size_t count, wf_order_compare *compare, void *context);

/* Sorts `count` items, which the comparison finds by their old numbers, and renumbers what refers to them. `items` is
 * the address of the pointer to them, which is freed and replaced. Returns 0; or -1 without memory, and nothing has
 * changed. */
int wf_order_sort(void *items, size_t count, size_t item_bytes, wf_order_compare *compare, void *context,
                  uint32_t *references, size_t reference_count);

#endif
