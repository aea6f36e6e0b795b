/* SPDX-License-Identifier: BSD-3-Clause */
#include "guest/memory.h"

#include <errno.h>
#include <sys/mman.h>

void *wf_memory_pages(size_t bytes)
{
    int saved = errno;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    errno = saved;
    return memory == MAP_FAILED ? NULL : memory;
}

void wf_memory_release(void *memory, size_t bytes)
{
    int saved = errno;
    if (memory)
        munmap(memory, bytes);
    errno = saved;
}
