/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/pages.h"

#include <stdint.h>

#include "base/memory.h"

#define FIRST_BYTES 4096u

bool wf_pages_grow(struct wf_pages *pages, size_t bytes)
{
    size_t more = pages->bytes ? pages->bytes : FIRST_BYTES;
    if (bytes > SIZE_MAX / 2)
        return false;
    while (more < bytes)
        more *= 2;
    void *memory = wf_memory_resize(pages->memory, pages->bytes, more);
    if (!memory)
        return false;
    pages->memory = memory;
    pages->bytes = more;
    return true;
}
