/* SPDX-License-Identifier: BSD-3-Clause
 *
 * * Which regions are switched off because their probes cost too much. It has no state: each thread judges by what its
 * own lane has seen, with the regions' lock held.
 */
#ifndef WF_PROBE_JUDGE_H
#define WF_PROBE_JUDGE_H

#include "measure/record/lane.h"

/* After each 65,536 visits from one place, and after as many entries the slow way. */
void wf_judge_lane(struct wf_lane *lane);

#endif
