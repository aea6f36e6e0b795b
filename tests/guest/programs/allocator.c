/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An allocator in front of glibc's, as tools have them; its procedures are instrumented as the program's are.
 */
#include "guest.h"

extern void *__libc_malloc(size_t bytes);
extern void __libc_free(void *memory);
long guest_allocated(void);

static volatile long allocated;

PROCEDURE static void count_one(void)
{
    REGION("count_one")
    {
        __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED);
    }
}

PROCEDURE void *malloc(size_t bytes)
{
    void *memory = NULL;
    REGION("malloc")
    {
        count_one();
        memory = __libc_malloc(bytes);
    }
    return memory;
}

PROCEDURE void free(void *memory)
{
    REGION("free")
    {
        count_one();
        __libc_free(memory);
    }
}

long guest_allocated(void)
{
    return allocated;
}
