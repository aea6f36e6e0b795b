/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Library functions that are known to be short, by name. A constant table; any thread.
 */
#ifndef WF_SHORT_CALLS_H
#define WF_SHORT_CALLS_H

#include <stdbool.h>
#include <stddef.h>

/* Sorted. "std::vector::..." stands for all names that begin with "std::vector::". */
extern const char *const wf_short_calls[];
extern const size_t wf_short_call_count;

/* `name`: qualified, as in the source. Names of the C library are also known with std:: or __builtin_ in front. */
bool wf_short_call_is_known(const char *name);

#endif
