/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The guard of each thread: weft is not entered while it is at work. What comes in then (a signal handler that is
 * instrumented, or calls MPI) goes past weft uncounted, and that is counted. So nothing in weft need be safe against a
 * second entry by its own thread, locks included.
 *
 * A handler may also jump out, and then weft is not left. The next entry, from further up the stack, finds that out.
 *
 * Each thread has its own guard (thread.h); only it and its signal handlers touch it.
 */
#ifndef WF_GUARD_H
#define WF_GUARD_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/shared.h"
#include "measure/guest/thread.h"

struct wf_guard {
    uint32_t depth; /* before */
    uintptr_t outer;
};

/* How many went past. Points into the segment once there is one. */
extern _Atomic uint64_t *wf_guard_passed;

/* The thread is not outside, and comes in from `stack`. Is it really inside? If not, it is outside from now on. */
bool wf_guard_is_inside(struct wf_tls *tls, uintptr_t stack) WF_SHARED(guard_is_inside);

/* The thread's own signal handlers see nothing done before this that is written behind it, and the other way round. */
static inline void wf_guard_order(void)
{
    atomic_signal_fence(memory_order_seq_cst);
}

/* Enters weft, from outside or from a callback in an MPI call. False: past it. */
static inline __attribute__((always_inline)) bool wf_guard_enter(struct wf_guard *g)
{
    struct wf_tls *tls = &weft_tls;
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    if (__builtin_expect(tls->depth == WF_AT_WORK, 0) && wf_guard_is_inside(tls, stack))
        return false;
    g->depth = tls->depth;
    g->outer = tls->outer;
    tls->outer = stack;
    tls->depth = WF_AT_WORK;
    wf_guard_order();
    return true;
}

static inline __attribute__((always_inline)) void wf_guard_leave(const struct wf_guard *g)
{
    wf_guard_order();
    weft_tls.outer = g->outer;
    weft_tls.depth = g->depth;
}

#endif
