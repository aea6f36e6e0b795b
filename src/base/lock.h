/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one kind of lock: held for a few instructions or one system call, never while anything of the application's runs. A waiting thread pauses, then gives
 * its core away: the holder may be without one. All zero is a free lock.
 *
 * A thread that holds one must not come back for it: in the application's processes guest/guard.h sees to that, also in signal handlers, and guest/quiet.h
 * where the thread could be ended or jump away while it holds one.
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
