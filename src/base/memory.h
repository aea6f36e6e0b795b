/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory from the kernel, never from malloc: the application's allocator is not ours to enter. It is zero, and takes
 * address space only until it is used. errno stays as it is. Any thread, also in a signal handler.
 */
#ifndef WF_BASE_MEMORY_H
#define WF_BASE_MEMORY_H

#include <stddef.h>

#include "base/shared.h"

/* NULL: there is none. */
void *wf_memory_pages(size_t bytes) WF_SHARED(memory_pages);
void wf_memory_release(void *memory, size_t bytes) WF_SHARED(memory_release);

/* The same memory with another size, a multiple of 4096 as the one before: what was there is kept but may move. NULL:
 * there is no room, and all is as it was. `memory` NULL: new. */
void *wf_memory_resize(void *memory, size_t bytes, size_t wanted) WF_SHARED(memory_resize);

/* Puts the pages of a file's shared mapping, which begin at `shared`, at `at` as well, in place of what is there. -1:
 * it cannot be done, and all is as it was. */
int wf_memory_show(void *at, void *shared, size_t bytes) WF_SHARED(memory_show);

#endif
