/* SPDX-License-Identifier: BSD-3-Clause */
#include "base/memory.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

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

int wf_memory_show(void *at, void *shared, size_t bytes)
{
    int saved = errno;
    /* A shared mapping of no size is copied, not moved. Not the function: libraries for fast networks (UCX) replace it
     * by one that forgets where to. */
    long shown = syscall(SYS_mremap, shared, 0, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at);
    errno = saved;
    return shown == -1 ? -1 : 0;
}

void *wf_memory_resize(void *memory, size_t bytes, size_t wanted)
{
    int saved = errno;
    if (!memory)
        return wf_memory_pages(wanted);
    memory = mremap(memory, bytes, wanted, MREMAP_MAYMOVE);
    errno = saved;
    return memory == MAP_FAILED ? NULL : memory;
}
