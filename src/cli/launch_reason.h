/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Why nothing of a run was seen: what the run directory, the command and the machine tell about it.
 */
#ifndef WF_LAUNCH_REASON_H
#define WF_LAUNCH_REASON_H

#include "cli/launch_guardian.h"

/* Says it in one sentence, with what to do. `segments`: files that were found, none of which could be used. */
void wf_reason_say(const struct wf_guardian *guardian, int segments);

#endif
