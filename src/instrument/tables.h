/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The static tables of [LZ] Figure 9: as the text in the object file (docs/static-tables.md), and as JSON for readers.
 * No state.
 */
#ifndef WF_TABLES_H
#define WF_TABLES_H

#include <stdio.h>

#include "instrument/buffer.h"
#include "instrument/source_unit.h"

enum { WF_TABLES_VERSION = 1 };

/* The records, one per line. */
void wf_tables_text(const struct wf_source_unit *unit, struct wf_buffer *text);

/* The records as a definition in C or C++ for the end of the instrumented text. */
void wf_tables_definition(const struct wf_source_unit *unit, struct wf_buffer *definition);

/* T_pl, T_pcom, T_pc, T_ll, T_lcom, T_lc. 0, or -1 and errno. */
int wf_tables_write_json(const struct wf_source_unit *unit, FILE *out);

#endif
