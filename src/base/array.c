/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAY_FIRST_ROOM = 16 };

static void *array_resize(void *items, size_t count, size_t item_bytes)
{
    return count > SIZE_MAX / 2 / item_bytes ? NULL : realloc(items, count * item_bytes);
}

/* `items` is the address of the owner's pointer, whatever its type. */
int wf_array_reserve(void *items, size_t *capacity, size_t needed, size_t item_bytes)
{
    void *array;
    memcpy(&array, items, sizeof array);
    if (needed <= *capacity && array)
        return 0;
    size_t wanted = *capacity ? *capacity : ARRAY_FIRST_ROOM;
    while (wanted < needed && wanted <= SIZE_MAX / 2)
        wanted *= 2;
    array = wanted < needed ? NULL : array_resize(array, wanted, item_bytes);
    if (!array)
        return -1;
    memcpy(items, &array, sizeof array);
    *capacity = wanted;
    return 0;
}

/* Capacities are powers of two, so the count alone tells when the array is full. */
void *wf_array_grow(void *items, size_t count, size_t item_bytes)
{
    return count & (count - 1) ? items : array_resize(items, count ? 2 * count : 1, item_bytes);
}
