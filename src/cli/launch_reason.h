/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why no process of a run was watched, as far as the run directory, the command and the machine show it.
 */
#ifndef WF_LAUNCH_REASON_H
#define WF_LAUNCH_REASON_H

#include "cli/launch_guardian.h"

/* Prints the reason in one sentence, with a remedy. `segments` is the number of segments, none of which could be
 * used. */
void wf_reason_say(const struct wf_guardian *guardian, int segments);

#endif
