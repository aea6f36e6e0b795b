/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How long a thread was ready to run while other processes had the cores, from the scheduler's own account
 * (/proc/thread-self/schedstat). The account is read only where the number of the thread's context switches has
 * changed: so a thread that keeps its core pays one system call of 0.2 us for a look. Only the lane's thread looks.
 */
#ifndef WF_CORE_H
#define WF_CORE_H

#include <stdint.h>

#include "base/shared.h"
#include "measure/record/lane.h"

/* Ticks without a core since the last look; 0 at the first one, and where the system does not tell. They count as time
 * without a core altogether. errno stays as it is. */
uint64_t wf_core_look(struct wf_lane *lane, uint64_t now) WF_SHARED(core_look);

/* What the next look will give, if that is now. */
uint64_t wf_core_peek(struct wf_lane *lane, uint64_t now) WF_SHARED(core_peek);

#endif
