/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rooms above process/ hear of the process: each has one listener, with NULL for what does not concern it.
 * They stand in one table (mpi/listeners.c) and are told in its order, by the thread that it happens to.
 */
#ifndef WF_LISTENER_H
#define WF_LISTENER_H

#include <stdbool.h>
#include <stdint.h>

struct wf_lane;
struct wf_cost;

struct wf_listener {
    struct wf_cost (*calibrate)(struct wf_lane *lane); /* what watching a call costs; what it does to the lane is undone
                                                        */
    void (*paused)(struct wf_lane *lane, uint64_t ticks);
    void (*resumed)(struct wf_lane *lane, uint64_t since, uint64_t ticks); /* a pause began then, and was so long */
    bool (*library_closed)(struct wf_lane *lane);           /* forget its addresses; false: not now, tell me again */
    void (*thread_ends)(struct wf_lane *lane);              /* another thread may use the lane later */
    void (*finishing)(struct wf_lane *lane, uint64_t virt); /* MPI_Finalize was entered at this virtual time */
    void (*exiting)(void);                                  /* the process ends, and with it this thread */
    void (*forked)(void);                                   /* in the child */
};

extern const struct wf_listener wf_listeners[];
extern const unsigned wf_listener_count;

/* Tells all listeners. */
#define WF_TELL(member, ...)                                                                           \
    do {                                                                                               \
        for (const struct wf_listener *l_ = wf_listeners; l_ < wf_listeners + wf_listener_count; l_++) \
            if (l_->member)                                                                            \
                l_->member(__VA_ARGS__);                                                               \
    } while (0)

#endif
