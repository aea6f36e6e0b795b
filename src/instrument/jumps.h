/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Loops that a jump enters past their probe, or leaves without cleanup. They get no probe. No state.
 */
#ifndef WF_JUMPS_H
#define WF_JUMPS_H

#include "instrument/source_unit.h"

void wf_jumps_check(struct wf_source_unit *unit);

#endif
