/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The one kind of lock: held for a few instructions or one system call, never while anything of the application's runs. A waiting thread pauses, then gives
 * its core away: the holder may be without one. All zero is a free lock.
 *
 * A thread that holds one must not enter weft again: guest/guard.h sees to that, also in signal handlers. A lock that is taken where the application may
 * jump out of a signal handler (in a probe, not in an MPI call) is taken with signals blocked: wf_lock_take_quietly.
 */
#ifndef WF_LOCK_H
#define WF_LOCK_H

#include <sched.h>
#include <signal.h>
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

/* With all signals blocked that can be, from before it is taken until after it is given. */
static inline void wf_lock_take_quietly(struct wf_lock *lock, sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, before);
    wf_lock_take(lock);
}

static inline void wf_lock_give_quietly(struct wf_lock *lock, const sigset_t *before)
{
    wf_lock_give(lock);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

#endif
