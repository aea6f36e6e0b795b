/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program that ran, as its files tell it: the modules, the addresses in them that the segments name, the procedures
 * around these addresses, and the static tables. All ranks share it; the collection owns it.
 */
#ifndef WF_COLLECT_PROGRAM_H
#define WF_COLLECT_PROGRAM_H

#include <stdint.h>

#include "base/intern.h"
#include "collect/addresses.h"
#include "collect/modules.h"
#include "collect/notes.h"
#include "collect/procedures.h"
#include "collect/segment_reader.h"
#include "collect/tables.h"

struct wf_collected_program {
    struct wf_intern texts;
    struct wf_modules modules;
    struct wf_addresses addresses;
    struct wf_procedures procedures;
    struct wf_tables tables;
};

/* A zeroed struct is an empty one. */
void wf_collected_program_fini(struct wf_collected_program *program);

/* Both return the number of an address of the segment's process, which a record in the chunk at this offset names;
 * WF_NO_ADDRESS: out of memory, or not there. All addresses that lie in no module have the same number. */
uint32_t wf_collected_program_add_address(struct wf_collected_program *program, const struct wf_segment_reader *reader,
                                          size_t chunk, uint64_t address, enum wf_address_use use);
uint32_t wf_collected_program_find_address(const struct wf_collected_program *program,
                                           const struct wf_segment_reader *reader, size_t chunk, uint64_t address,
                                           enum wf_address_use use);

/* Opens each module once, looks up all its addresses and reads its tables; notes what is not found. Returns 0, or -1
 * without memory. */
int wf_collected_program_look_up(struct wf_collected_program *program, struct wf_notes *notes);

/* With all procedures known: finds out which of them are the same, and which are called in the tables. Returns 0, or -1
 * without memory. */
int wf_collected_program_settle(struct wf_collected_program *program);

const char *wf_collected_program_string(const struct wf_collected_program *program, uint32_t text);

#endif
