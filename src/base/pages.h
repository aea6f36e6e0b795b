/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An array on memory from the kernel that grows by doubling: for other people's processes, where malloc is not ours to
 * enter. All zero is an empty one. errno stays as it is. Not thread-safe: its owner locks, or is one thread. A signal
 * handler must not touch an array of the thread that it interrupts (measure/guest/guard.h sees to that).
 */
#ifndef WF_PAGES_H
#define WF_PAGES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/shared.h"

struct wf_pages {
    void *memory;
    size_t bytes; /* there is room for so many */
};

bool wf_pages_grow(struct wf_pages *pages, size_t bytes) WF_SHARED(pages_grow);

/* Room for at least `bytes`: what was there is kept but may have moved, what is new is zero. False: there is no memory,
 * and all is as it was. */
static inline bool wf_pages_reserve(struct wf_pages *pages, size_t bytes)
{
    return __builtin_expect(bytes <= pages->bytes, 1) || wf_pages_grow(pages, bytes);
}

#endif
