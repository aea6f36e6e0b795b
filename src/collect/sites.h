/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The communication statements of all segments: the same one on all ranks is one site. A statement is first a key (an
 * address of the program, an MPI function). Once the program is looked up, keys of one line, procedure and function
 * become one site. The collection owns them.
 */
#ifndef WF_COLLECT_SITES_H
#define WF_COLLECT_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "collect/program.h"
#include "collect/segment_reader.h"

#define WF_NO_SITE UINT32_MAX

struct wf_site_entry {
    uint32_t name, file; /* in the program's texts */
    uint32_t line;
    uint32_t procedure; /* WF_NO_PROCEDURE: not known */
    uint32_t module;
    uint64_t offset;
    bool used; /* something in the profile refers to it */
};

struct wf_sites {
    struct wf_intern keys; /* of statements, numbered as they came */

    /* Since wf_sites_settle: */
    struct wf_intern entry_keys;   /* numbers as in entries, before they are sorted */
    struct wf_site_entry *entries; /* by file, line, function */
    size_t entry_capacity;
    uint32_t *entry_of_key;
    uint32_t *entry_of_address; /* by the address's number; WF_NO_SITE: no statement */
    size_t address_count;
};

/* A zeroed struct is an empty one. */
void wf_sites_fini(struct wf_sites *sites);

/* Both return the number of a segment's statement, for wf_sites_entry; WF_NO_SITE: out of memory, or not there. */
uint32_t wf_sites_add(struct wf_sites *sites, struct wf_collected_program *program,
                      const struct wf_segment_reader *reader, const struct wf_site_record *record);
uint32_t wf_sites_find(const struct wf_sites *sites, const struct wf_collected_program *program,
                       const struct wf_segment_reader *reader, const struct wf_site_record *record);

/* Adds all statements of a segment. Returns 0, or -1 without memory. */
int wf_sites_add_segment(struct wf_sites *sites, struct wf_collected_program *program,
                         const struct wf_segment_reader *reader);

/* With the program looked up: finds out which keys are one statement. Returns 0, or -1 without memory. */
int wf_sites_settle(struct wf_sites *sites, struct wf_collected_program *program);

size_t wf_sites_count(const struct wf_sites *sites);                    /* of entries */
uint32_t wf_sites_entry(const struct wf_sites *sites, uint32_t number); /* index of the statement's entry */

/* The entry of the statement with this return address; of the first one if it calls several functions; WF_NO_SITE:
 * none. */
uint32_t wf_sites_at(const struct wf_sites *sites, uint32_t address);

#endif
