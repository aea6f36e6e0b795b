/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/order.h"

#include <stdlib.h>
#include <string.h>

uint32_t *wf_order_new(size_t count, wf_order_compare *compare, void *context)
{
    uint32_t *order = malloc((count + 1) * sizeof *order);
    if (!order)
        return NULL;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    qsort_r(order, count, sizeof *order, compare, context);
    return order;
}

int wf_order_sort(void *items, size_t count, size_t item_bytes, wf_order_compare *compare, void *context,
                  uint32_t *references, size_t reference_count)
{
    char *old, *sorted = malloc((count + 1) * item_bytes);
    uint32_t *place = malloc((count + 1) * sizeof *place);
    uint32_t *order = sorted && place ? wf_order_new(count, compare, context) : NULL;
    if (!order) {
        free(sorted);
        free(place);
        return -1;
    }
    memcpy(&old, items, sizeof old);
    for (size_t i = 0; i < count; i++) {
        memcpy(sorted + i * item_bytes, old + order[i] * item_bytes, item_bytes);
        place[order[i]] = (uint32_t)i;
    }
    for (size_t i = 0; i < reference_count; i++)
        references[i] = place[references[i]];
    memcpy(items, &sorted, sizeof sorted);
    free(old);
    free(order);
    free(place);
    return 0;
}
