/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory from the kernel, never from malloc: the application's allocator is not ours to enter. It is zero, and takes address space only until it is used.
 */
#ifndef WF_MEMORY_H
#define WF_MEMORY_H

#include <stddef.h>

#include "guest/shared.h"

/* NULL: there is none. errno stays as it is. */
void *wf_memory_pages(size_t bytes) WF_SHARED(memory_pages);
void wf_memory_release(void *memory, size_t bytes) WF_SHARED(memory_release);

#endif
