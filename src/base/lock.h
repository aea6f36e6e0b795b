/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one kind of lock: held for a few instructions or one system call, never while code of the application runs. A
 * waiting thread pauses, then gives its core away: the holder may be without one. All zero is a free lock. Any thread
 * of one process; no memory, no system call but sched_yield, errno stays as it is.
 *
 * A thread that holds a lock must not take it again, also not in a signal handler: in the application's processes
 * measure/guest/guard.h prevents that, and base/quiet.h where the thread could be cancelled or jump away meanwhile.
 */
#ifndef WF_LOCK_H
#define WF_LOCK_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/line.h"

struct wf_lock {
    _Atomic uint32_t taken;
};

static inline void wf_lock_take(struct wf_lock *lock)
{
    for (unsigned tries = 0; atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire); tries++) {
        if (tries < 64)
            wf_line_wait();
        else
            sched_yield();
    }
}

/* False: another has it. */
static inline bool wf_lock_try(struct wf_lock *lock)
{
    return !atomic_exchange_explicit(&lock->taken, 1, memory_order_acquire);
}

static inline void wf_lock_give(struct wf_lock *lock)
{
    atomic_store_explicit(&lock->taken, 0, memory_order_release);
}

#endif
