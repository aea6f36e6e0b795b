/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rest of the recorder tells the probes. Called by the thread that pauses, resumes or forks.
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

void wf_probe_paused(void);
void wf_probe_resumed(uint64_t pause_ticks); /* the regions this thread is in have not been visited meanwhile */
void wf_probe_ended(void);                   /* the process exits: this thread leaves what it is in */
void wf_probe_forked(void);                  /* in the child: instrumented code shall know no lane */

struct wf_visit_record *wf_probe_counter(struct weft_region_ *counter); /* where a counter of <weft/weft.h> is kept; NULL: nowhere */
void wf_probe_count(struct weft_region_ *counter, double value);

#endif
