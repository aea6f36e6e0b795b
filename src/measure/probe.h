/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rest of the recorder tells the probes. Called by the thread that pauses, resumes or forks.
 */
#ifndef WF_PROBE_H
#define WF_PROBE_H

#include <stdint.h>

void wf_probe_paused(void);
void wf_probe_resumed(uint64_t pause_ticks); /* the regions this thread is in have not been visited meanwhile */
void wf_probe_ended(void);                   /* the process exits: this thread leaves what it is in */
void wf_probe_forked(void);                  /* in the child: instrumented code shall know no lane */

#endif
