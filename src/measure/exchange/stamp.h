/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What headers, replies and entries of collectives have in common: when it was, on three clocks, and where the thread
 * has shown its critical path. It lies in memory that two threads or processes use without a lock, so it is atomic, if
 * only relaxed: on most machines that costs nothing.
 */
#ifndef WF_STAMP_H
#define WF_STAMP_H

#include <stdatomic.h>
#include <stdint.h>

#include "measure/clock/virtual.h"

/* Relaxed. */
#define wf_get(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define wf_set(field, value) atomic_store_explicit(&(field), value, memory_order_relaxed)

/* A wf_stamp that others may be reading. */
struct wf_shared_stamp {
    _Atomic uint64_t real, virt, ideal;
};

/* Where a thread has shown its path for a while (measure/exchange/snapshot.h). */
struct wf_showing {
    uint32_t path;   /* an offset in its box; 0: nowhere */
    uint64_t ticket; /* the snapshot's, as long as it is this one; 0: it stays until all have read it */
};

static inline void wf_shared_stamp_write(struct wf_shared_stamp *to, const struct wf_stamp *from)
{
    wf_set(to->real, from->real); /* one by one: see src/measure/CMakeLists.txt */
    wf_set(to->virt, from->virt);
    wf_set(to->ideal, from->ideal);
}

static inline void wf_shared_stamp_read(struct wf_stamp *to, const struct wf_shared_stamp *from)
{
    to->real = wf_get(from->real);
    to->virt = wf_get(from->virt);
    to->ideal = wf_get(from->ideal);
}

#endif
