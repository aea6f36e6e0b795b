/* SPDX-License-Identifier: BSD-3-Clause */
#include "analyse/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *memory)
{
    if (memory)
        return memory;
    fputs("weft: out of memory; close other programs or use a machine with more\n", stderr);
    exit(1);
}

void *wf_memory_array(size_t count, size_t size)
{
    return checked(calloc(count ? count : 1, size));
}

/* Capacities are powers of two, so the count alone tells when the array is full. */
void *wf_memory_grow(void *array, size_t count, size_t size)
{
    if (count & (count - 1))
        return array;
    return checked(reallocarray(array, count ? 2 * count : 1, size));
}

char *wf_memory_text(const char *text)
{
    return checked(strdup(text));
}
