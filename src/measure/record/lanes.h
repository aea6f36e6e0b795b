/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The lanes of the process: the list of them, and what other threads tell a lane's thread. Instrumented code finds its
 * lane in a thread-local variable of its program or library, which is lent to it here and can be taken back.
 *
 * Any thread, with the lock of all lanes where it says so. The lock is taken in quiet (base/quiet.h), because
 * instrumented code of a signal handler may ask for its lane.
 */
#ifndef WF_LANES_H
#define WF_LANES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/lock.h"
#include "measure/record/lane.h"

/* What other threads tell a lane's thread, which hears of it when it enters weft next. */
enum wf_attend {
    WF_ATTEND_PAUSED = 1,  /* nothing is counted until this is taken back */
    WF_ATTEND_RESUMED = 2, /* a pause is over */
    WF_ATTEND_CLOSED = 4,  /* a library has been closed: what is known of its addresses is of the past */
};

/* Where a lane is kept, and the program or library that keeps it there: `inside` is an address in it. */
struct wf_lent {
    struct weft_lane_ **slot;
    uintptr_t inside;
};

struct wf_lanes {
    struct wf_lock lock;
    struct wf_lane *first; /* of all there are, by their `next` */
    struct wf_lane *free;  /* of those whose threads have ended, by their `next_free` */
    bool have_procedures;  /* the program's procedures, or some of them, have probes: set when the first one is met */
};

extern struct wf_lanes wf_lanes;

/* All lanes there are, with the lock. */
static inline struct wf_lane *wf_lane_first(void)
{
    return wf_lanes.first;
}

/* With the lock: no probe of the lane's thread goes the fast way until it has asked for the lane again. */
void wf_lane_revoke(struct wf_lane *lane);

/* Gives the program or library that `inside` lies in the lane, unless its thread has to attend to something first, or
 * there is no room: then it asks again. */
void wf_lane_lend(struct wf_lane *lane, struct weft_lane_ **slot, uintptr_t inside);

/* The library between these addresses is closed: tells all lanes, and forgets where it kept them. */
void wf_lane_module_closed(uintptr_t start, uintptr_t end);

/* A lane for the calling thread alone, or NULL if there is no room for one (counted). */
struct wf_lane *wf_lane_acquire(struct wf_segment *segment);

/* Its thread ends. */
void wf_lane_release(struct wf_lane *lane);

#endif
