/* SPDX-License-Identifier: BSD-3-Clause
 *
 * * The names of functions known by their address, from the symbol tables of the files they were loaded from. Owned by
 * the process; one thread at a time, which holds the regions' lock (regions.h).
 */
#ifndef WF_SYMBOL_H
#define WF_SYMBOL_H

#include <stddef.h>
#include <stdint.h>

#include "measure/record/segment.h"

/* The symbol of the function that begins at `address`, which lies in the module with this record; "" if the file does
 * not tell. */
const char *wf_symbol_find(const struct wf_segment *segment, uint32_t module, uintptr_t address);

/* What a Fortran program calls it: solve for solve_, __grid_MOD_solve and the compiler's copies, solve.constprop.0.
 * Others stay as they are. */
void wf_symbol_plain(const char *symbol, char *plain, size_t bytes);

#endif
