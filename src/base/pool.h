/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A pool of cells of one size, which are taken and given back. Address space for all of them is reserved when the first
 * is taken, so cells stay where they are; memory is used for as many as were ever taken at one time.
 *
 * Memory comes from the kernel and errno stays as it is, so that a pool can be used in other people's processes. Not
 * thread-safe: its owner locks, or is one thread. A signal handler must not touch a pool of the thread that it
 * interrupts (measure/guest/guard.h sees to that).
 */
#ifndef WF_POOL_H
#define WF_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/shared.h"

struct wf_pool {
    void *free;  /* the cell that was given back last; it begins with the address of the one before */
    char *cells; /* NULL: not reserved yet */
    uint32_t cell_bytes;
    uint32_t limit;
    uint32_t used; /* cells from the first that have been taken at any time */
};

#define WF_POOL(type, limit_)                                                   \
    {                                                                           \
        .cell_bytes = (uint32_t)((sizeof(type) + 7) / 8 * 8), .limit = (limit_) \
    }

/* A cell that has never been taken. */
void *wf_pool_take_new(struct wf_pool *pool) WF_SHARED(pool_take_new);

/* The cell that was given back last, as it was but for its first 8 bytes; else a new one, all zero. NULL: no room. */
static inline void *wf_pool_take(struct wf_pool *pool)
{
    void **cell = pool->free;
    if (__builtin_expect(!cell, 0))
        return wf_pool_take_new(pool);
    pool->free = *cell;
    return cell;
}

static inline void wf_pool_give(struct wf_pool *pool, void *cell)
{
    *(void **)cell = pool->free;
    pool->free = cell;
}

#endif
