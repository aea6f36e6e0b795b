/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Leaves: procedures and loops that are known to be short from the text of their unit. Their probes would cost more
 * than they do. No state; one thread.
 */
#ifndef WF_LEAF_H
#define WF_LEAF_H

#include "instrument/source_unit.h"

/* Judges all regions of the unit: sets targets of calls, and unbounded, brief and communicates of regions. */
void wf_leaf_find(struct wf_source_unit *unit);

/* Whether the region is a leaf, after wf_leaf_find. */
bool wf_leaf_is(const struct wf_source_unit *unit, int region);

#endif
