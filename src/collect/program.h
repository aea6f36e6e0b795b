/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The program that ran, as its files tell it: the modules, the addresses in them that the segments name, the
 * procedures around those, and the static tables. What all ranks share.
 */
#ifndef WF_COLLECT_PROGRAM_H
#define WF_COLLECT_PROGRAM_H

#include <stdint.h>

#include "collect/addresses.h"
#include "collect/intern.h"
#include "collect/modules.h"
#include "collect/notes.h"
#include "collect/procedures.h"
#include "collect/segment_reader.h"
#include "collect/tables.h"

struct wf_program {
    struct wf_intern texts;
    struct wf_modules modules;
    struct wf_addresses addresses;
    struct wf_procedures procedures;
    struct wf_tables tables;
};

/* A zeroed struct is an empty one. */
void wf_program_fini(struct wf_program *program);

/* Both: the number of an address of the segment's process, which a record in the chunk at this offset names; WF_NO_ADDRESS: out of
 * memory, or not there. One in no module tells nothing, and is the same for all. */
uint32_t wf_program_add_address(struct wf_program *program, const struct wf_segment_reader *reader,
                                size_t chunk, uint64_t address, enum wf_address_use use);
uint32_t wf_program_find_address(const struct wf_program *program, const struct wf_segment_reader *reader,
                                 size_t chunk, uint64_t address, enum wf_address_use use);

/* Opens each module once, looks all its addresses up and reads its tables; notes what could not be. Returns
 * 0, or -1 without memory. */
int wf_program_look_up(struct wf_program *program, struct wf_notes *notes);

/* With all procedures known: which of them are the same, and who is called in the tables. Returns 0, or -1
 * without memory. */
int wf_program_settle(struct wf_program *program);

const char *wf_program_string(const struct wf_program *program, uint32_t text);

#endif
