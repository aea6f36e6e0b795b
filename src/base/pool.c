/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pool.h"

#include <stddef.h>

#include "base/memory.h"

void *wf_pool_take_new(struct wf_pool *pool)
{
    if (!pool->cells)
        pool->cells = wf_memory_pages((size_t)pool->limit * pool->cell_bytes);
    if (!pool->cells || pool->used == pool->limit)
        return NULL;
    return pool->cells + (size_t)pool->used++ * pool->cell_bytes;
}
