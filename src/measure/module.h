/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which executable or shared library an address lies in, recorded in the segment once for each. Any thread; once a statement.
 */
#ifndef WF_MODULE_H
#define WF_MODULE_H

#include <stdint.h>

#include "measure/segment.h"

/* Offset of the record of the module that holds `address`; 0 if it is in none or the segment is full. */
uint32_t wf_module_find(struct wf_segment *segment, uintptr_t address);

#endif
