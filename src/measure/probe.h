/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rest of the recorder tells the probes. Called by the thread that it is about.
 */
#ifndef WF_PROBE_H
#define WF_PROBE_H

#include <stdbool.h>
#include <stdint.h>

struct weft_region_;
struct wf_visit_record;

/* weft's words in a weft_stack_: the visit's inner and inner_virtual when it was entered; the probe, of what is no procedure */
enum { WF_STACK_INNER, WF_STACK_INNER_VIRTUAL, WF_STACK_PROBE };

extern bool wf_probe_has_procedures; /* the program's procedures, or some of them, have probes */

/* Does one of these patterns, separated by commas, fit a region's name or file? */
bool wf_probe_matches(const char *patterns, const char *name, const char *file);

struct wf_lane;

/* What the lane's thread is in has not been visited in a pause that began then. */
void wf_probe_resumed(struct wf_lane *lane, uint64_t since, uint64_t pause_ticks);
void wf_probe_thread_ends(struct wf_lane *lane); /* it leaves what it is in */
void wf_probe_ended(void);                       /* the process exits: so does this thread */
void wf_probe_forked(void);                      /* in the child: instrumented code shall know no lane */

/* A library may be about to be unmapped (1), or no more (-1): in between nobody looks at regions of code that is not running. */
void wf_probe_closing(int more);
void wf_probe_module_closed(uintptr_t start, uintptr_t end); /* it was: so what was there */
bool wf_probe_forget_closed(struct wf_lane *lane); /* the same for what its thread knows; false: later */

struct wf_visit_record *wf_probe_counter(struct weft_region_ *counter); /* where a counter of <weft/weft.h> is kept; NULL: nowhere */
void wf_probe_count(struct weft_region_ *counter, double value);

#endif
