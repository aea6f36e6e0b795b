/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the ways into the probes have in common: weft_probe_api_ (api.c), __cyg_profile_func_* (procedures.c) and
 * counters (counters.c). They have no state. They are called by the thread that they are about, which has entered the
 * guard (measure/guest/guard.h).
 */
#ifndef WF_PROBE_API_H
#define WF_PROBE_API_H

#include <stdatomic.h>
#include <stdbool.h>

#include "measure/guest/thread.h"
#include "measure/process/process.h"
#include "measure/record/lane.h"

__attribute__((visibility("default"))) extern const struct weft_probe_api_ weft_probe_api_;

/* The calling thread's lane, made at its first entry; NULL: there is none. */
static inline struct wf_lane *wf_api_lane(void)
{
    struct wf_lane *lane = weft_tls.lane;
    return __builtin_expect(lane != NULL, 1) ? lane : wf_process_lane();
}

/* Hears of what other threads have told the lane. True: nothing is counted now. */
static inline bool wf_api_attend(struct wf_lane *lane)
{
    return __builtin_expect(atomic_load_explicit(&lane->attention, memory_order_relaxed) != 0, 0) &&
           wf_process_attend(lane);
}

#endif
