/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Is this process still the one that weft was loaded into? A forked child shares the mapped records and has inherited
 * locks that no thread of it will give back: it goes unwatched, and takes none of them. Any thread, also in a signal
 * handler.
 */
#ifndef WF_GUEST_CHILD_H
#define WF_GUEST_CHILD_H

#include <stdbool.h>

/* Where the kernel shows a child zeros, however it was made; or, on kernels that cannot, where pthread_atfork has
 * written one. */
extern bool *wf_child_parent;

static inline bool wf_child_is(void)
{
    return __builtin_expect(!*wf_child_parent, 0);
}

/* From now on. `forked` is called in a child before anything of it runs, if it was made by fork(). */
void wf_child_watch(void (*forked)(void));

#endif
