/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

static void *memory_checked(void *memory)
{
    if (memory)
        return memory;
    fputs("weft: out of memory; close other programs or use a machine with more\n", stderr);
    exit(1);
}

void *wf_memory_array(size_t count, size_t size)
{
    return memory_checked(calloc(count ? count : 1, size));
}

void *wf_memory_grow(void *array, size_t count, size_t size)
{
    return memory_checked(wf_array_grow(array, count, size));
}

char *wf_memory_text(const char *text)
{
    return memory_checked(strdup(text));
}
