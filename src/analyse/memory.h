/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the commands that read profiles. They hold no data that could be lost, so without memory they end with one
 * sentence. The caller frees what it gets. Never used in the application's process.
 */
#ifndef WF_ANALYSE_MEMORY_H
#define WF_ANALYSE_MEMORY_H

#include <stddef.h>

/* Zeroed; never NULL. free() it. */
void *wf_memory_array(size_t count, size_t size);

/* Makes room for one more item behind `count` items of an array that grew only through this function. */
void *wf_memory_grow(void *array, size_t count, size_t size);

/* A copy; never NULL. */
char *wf_memory_text(const char *text);

#endif
