/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A stretch in which no code of the application interrupts the calling thread: no signal handler runs, so none can jump
 * away or take long, and the thread is not cancelled. It costs two system calls, and is for what is rare and must be
 * finished once it has begun: taking a lock outside of MPI calls, opening files. errno is afterwards what it was
 * before. Any thread, also in a signal handler.
 */
#ifndef WF_QUIET_H
#define WF_QUIET_H

#include <errno.h>
#include <pthread.h>
#include <signal.h>

#include "base/lock.h"

struct wf_quiet {
    sigset_t signals;
    int cancel, cancel_type, error;
};

static inline void wf_quiet_begin(struct wf_quiet *q)
{
    sigset_t all;
    q->error = errno;
    pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &q->cancel_type);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &q->cancel);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &q->signals);
}

/* The type last: a thread that is cancelled at once by enabling that in glibc 2.36 forgets to say that it was. */
static inline void wf_quiet_end(const struct wf_quiet *q)
{
    errno = q->error;
    pthread_sigmask(SIG_SETMASK, &q->signals, NULL);
    pthread_setcancelstate(q->cancel, NULL);
    pthread_setcanceltype(q->cancel_type, NULL);
}

static inline void wf_quiet_lock(struct wf_quiet *q, struct wf_lock *lock)
{
    wf_quiet_begin(q);
    wf_lock_take(lock);
}

static inline void wf_quiet_unlock(const struct wf_quiet *q, struct wf_lock *lock)
{
    wf_lock_give(lock);
    wf_quiet_end(q);
}

#endif
