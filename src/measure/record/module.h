/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which executable or shared library an address lies in, recorded in the segment once for each. A library may be closed
 * and another one be mapped to its addresses: then what was known of them is of the past. Any thread, also in a signal
 * handler: its lock is taken in quiet. Once a statement.
 */
#ifndef WF_MODULE_H
#define WF_MODULE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/record/segment.h"

/* Offset of the record of the module that holds `address`; 0 if it is in none or the segment is full. */
uint32_t wf_module_find(struct wf_segment *segment, uintptr_t address);

/* Is a record with this address about a module that is closed? */
bool wf_module_is_past(const void *record, uintptr_t address);

struct wf_module_span {
    uintptr_t start, end;
};

/* Which modules are not there any more since the last time; the first `room` of them. */
uint32_t wf_module_look_for_closed(struct wf_module_span *spans, uint32_t room);

#endif
