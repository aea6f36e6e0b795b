/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that something jumps into, past a probe in front of them, or out of in a way that runs no cleanup. They stay without a probe.
 */
#ifndef WF_JUMPS_H
#define WF_JUMPS_H

#include "instrument/unit.h"

void wf_jumps_check(struct wf_unit *unit);

#endif
