/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Debian's MPICH never gives its core away: with more ranks than cores every message waits for the
 * scheduler's next turn. Programs of many ranks are linked with this progress function of its transport,
 * which yields when there was nothing to do.
 */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*next)(void *);
    if (!next)
        *(void **)&next = dlsym(RTLD_NEXT, "ucp_worker_progress");
    unsigned events = next ? next(worker) : 0;
    if (!events)
        sched_yield();
    return events;
}
