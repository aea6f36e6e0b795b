/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Where one process had the modules that hold its communication statements. Its collected rank owns it. Other ranks
 * name statements of this process by their addresses: those which made them wait.
 */
#ifndef WF_COLLECT_ADDRESS_SPACE_H
#define WF_COLLECT_ADDRESS_SPACE_H

#include <stddef.h>
#include <stdint.h>

#include "collect/program.h"
#include "collect/segment_reader.h"

struct wf_address_space {
    struct wf_mappings modules; /* by their numbers in the program */
};

/* A zeroed struct is an empty one. */
void wf_address_space_fini(struct wf_address_space *space);

/* Reads the loaded segment, whose statements the program knows already. Returns 0, or -1 without memory. */
int wf_address_space_read(struct wf_address_space *space, const struct wf_segment_reader *reader,
                          const struct wf_collected_program *program);

/* The number of a statement's return address; WF_NO_ADDRESS: there is none. */
uint32_t wf_address_space_find(const struct wf_address_space *space, const struct wf_collected_program *program,
                               uint64_t address);

#endif
