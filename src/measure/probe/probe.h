/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of the probes of instrumented code: a shadow stack for each thread of the regions that it is in, and a
 * record in the segment for each region and for each place that it is entered from. Two kinds of probes come in:
 * weft_probe_api_ (`weft cc`, <weft/weft.h>) and __cyg_profile_func_* (-finstrument-functions).
 *
 * A visit's virtual time is the time between its two readings of the clock, less what the lane's intrusion grew by in
 * between, less that part of its own cost which lies there.
 *
 * Its objects, who owns them, and which threads may touch them:
 *
 *     regions     what the process has met       the process's; any thread reads, changes need its lock
 *     procedures  those known by their address   the same, with the regions' lock
 *     symbol      names of those                 the process's; one thread at a time, with the regions' lock
 *     costs       what a visit costs             the process's; any thread reads, calibrated before the first region
 *     visits      a lane's visit records         the lane's; its thread
 *     stack       a lane's shadow stack          the lane's; its thread, and this thread's signal handlers
 *     judge       what is switched off           no state
 *     api, counters, dlclose                     the ways in: no state
 *
 * What is global: wf_probe_regions and wf_probe_costs, because each entry reads them. The tables of procedures.c and
 * symbol.c, because functions are the process's, too. The region of calibration, which stays the first one; the empty
 * stack of a forked child (stack.c), because scopes of its parent may still hold it; the real dlclose.
 *
 * It may use base/, format/, include/weft/, guest/, clock/, record/, process/ and path/.
 *
 * Below is what other rooms tell it, and what its ways in share. Called by the thread that it is about.
 */
#ifndef WF_PROBE_H
#define WF_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct weft_region_;
struct wf_lane;
struct wf_visit_record;

/* There was a pause, which began at `since`: it is no part of the visits of those regions that the thread is in. */
void wf_probe_resumed(struct wf_lane *lane, uint64_t since, uint64_t pause_ticks);
void wf_probe_thread_ends(struct wf_lane *lane); /* it leaves all regions that it is in */
void wf_probe_ended(void);                       /* the process exits, and with it the calling thread */
void wf_probe_forked(void);                      /* in the child: instrumented code shall know no lane */

/* A library may be about to be unmapped (1), or no more (-1). In between no thread follows a pointer into a region's
 * source unless the region's own code is running. */
void wf_probe_closing(int more);

/* A library was unmapped: what lay between these addresses is gone. Any thread. */
void wf_probe_module_closed(uintptr_t start, uintptr_t end);

/* The lane's thread forgets what it knows of such addresses. False: not now, because a library is being closed. */
bool wf_probe_forget_closed(struct wf_lane *lane);

/* Where a counter of <weft/weft.h> is kept; NULL: nowhere. */
struct wf_visit_record *wf_probe_counter(struct weft_region_ *counter);
void wf_probe_count(struct weft_region_ *counter, double value);

#endif
