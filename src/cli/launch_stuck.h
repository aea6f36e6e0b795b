/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the guardian does about a deadlock of the application: it looks now and then, says once who waits for whom,
 * keeps that for the profile, and ends the run where the user wants that (--stuck). Owned by the guardian, one thread.
 */
#ifndef WF_LAUNCH_STUCK_H
#define WF_LAUNCH_STUCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/launch_guardian.h"
#include "cli/stuck_watch.h"

#define WF_STUCK_TOLD 's' /* what the guardian writes to `weft run` when it ends the run */

struct wf_stuck_noted;

struct wf_stuck_guard {
    const struct wf_guardian *guardian;
    int socket;  /* to `weft run`; -1: inner order */
    pid_t child; /* the command; 0: not known (yet) */
    struct wf_stuck_watch watch;
    bool said, denied;
    struct wf_stuck_noted *noted; /* ranks of which there are notes */
    size_t noted_count, noted_capacity;
    int64_t ends_ns; /* the run is being ended since then; 0: it is not */
    bool killed;
};

void wf_stuck_guard_init(struct wf_stuck_guard *guard, const struct wf_guardian *guardian, int socket);
void wf_stuck_guard_fini(struct wf_stuck_guard *guard);

/* One look; to be called every WF_STUCK_LOOK_MS or so. `guard` is a struct wf_stuck_guard. */
void wf_stuck_guard_look(void *guard);

#endif
