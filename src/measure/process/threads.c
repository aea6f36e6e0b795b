/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/process/threads.h"

#include <pthread.h>

#include "base/quiet.h"
#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "measure/process/core.h"
#include "measure/process/listener.h"
#include "measure/process/process.h"

static struct {
    pthread_key_t key; /* tells when a thread ends; its value is the lane */
    bool made;
} thread_key;

/* Whatever way it ends: what it is in ends with it. It may have been cancelled inside weft. */
static void thread_end(void *lane)
{
    struct wf_guard guard = {.depth = WF_OUTSIDE};
    if (wf_child_is())
        return;
    weft_tls.depth = WF_OUTSIDE;
    wf_guard_enter(&guard);
    WF_TELL(thread_ends, lane);
    weft_tls.lane = NULL;
    if (lane != wf_process.main)
        wf_lane_release(lane);
    wf_guard_leave(&guard);
}

void wf_threads_watch(void)
{
    thread_key.made = pthread_key_create(&thread_key.key, thread_end) == 0;
}

static struct wf_lane *thread_acquire_lane(void)
{
    struct wf_lane *lane = wf_lane_acquire(&wf_process.segment);
    if (lane)
        lane->charged = wf_process.model != WF_MODEL_REAL;
    if (lane && wf_process.main) {
        /* A new thread is as late as the one that made it. Which that was is not known: the main thread, most often. */
        lane->probes.intrusion = __atomic_load_n(&wf_process.main->probes.intrusion, __ATOMIC_RELAXED);
        lane->lag = __atomic_load_n(&wf_process.main->lag, __ATOMIC_RELAXED);
    }
    if (lane) {
        lane->core = (struct wf_lane_core){0};
        wf_core_look(lane, wf_clock_ticks());
    }
    if (lane && thread_key.made)
        pthread_setspecific(thread_key.key, lane);
    weft_tls.lane = lane;
    return lane;
}

struct wf_lane *wf_process_lane(void)
{
    struct wf_quiet quiet;
    if (!wf_process.watching || wf_child_is())
        return NULL;
    wf_quiet_begin(&quiet);
    struct wf_lane *lane = thread_acquire_lane();
    wf_quiet_end(&quiet);
    return lane;
}
