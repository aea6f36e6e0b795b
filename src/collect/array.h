/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arrays that grow: room for `needed` elements, doubling. Returns the array, moved perhaps; or NULL without
 * memory, the old one being untouched.
 */
#ifndef WF_COLLECT_ARRAY_H
#define WF_COLLECT_ARRAY_H

#include <stdint.h>
#include <stdlib.h>

static inline void *wf_array_reserve(void *array, size_t *capacity, size_t needed, size_t element_bytes)
{
    if (needed <= *capacity && array)
        return array;
    size_t wanted = *capacity ? *capacity : 16;
    while (wanted < needed)
        wanted *= 2;
    void *moved = wanted > SIZE_MAX / 2 / element_bytes ? NULL : realloc(array, wanted * element_bytes);
    if (moved)
        *capacity = wanted;
    return moved;
}

#endif
