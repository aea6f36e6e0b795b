/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The walk through libclang's tree: fills the unit's procedures, loops, calls and jumps. One thread.
 */
#ifndef WF_WALK_H
#define WF_WALK_H

#include "instrument/parser.h"

void wf_walk_unit(struct wf_parser *parser);

#endif
