/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The statements of all segments: the same one on all ranks is one site. Addresses differ from process to
 * process (ASLR), so a statement is first a key (module, address in the module's file, MPI function); once
 * all keys are known each module is opened once, each address looked up once, and keys of one line, procedure
 * and function become one site.
 */
#ifndef WF_COLLECT_SITES_H
#define WF_COLLECT_SITES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/intern.h"
#include "collect/notes.h"
#include "collect/segment_reader.h"

#define WF_NO_SITE UINT32_MAX
#define WF_NO_PROCEDURE UINT32_MAX

struct wf_site_module {
    char *path;
    unsigned char build_id[32];
    uint32_t build_id_bytes;
};

struct wf_procedure {
    uint32_t name, file; /* in texts */
    int line;
};

struct wf_site_entry {
    uint32_t name, file; /* in texts */
    int line;
    uint32_t procedure; /* WF_NO_PROCEDURE: not known */
    uint32_t module;    /* in modules */
    uint64_t offset;
    bool used; /* something in the profile refers to it */
};

struct wf_sites {
    struct wf_intern keys;        /* of statements, numbered as they came */
    struct wf_intern module_keys; /* build-id, else path; numbers as in modules */
    struct wf_site_module *modules;
    size_t module_capacity;

    /* Since wf_sites_resolve: */
    struct wf_intern texts;
    struct wf_intern procedure_keys; /* numbers as in procedures */
    struct wf_procedure *procedures;
    size_t procedure_capacity;
    struct wf_intern entry_keys;   /* numbers as in entries, before they are sorted */
    struct wf_site_entry *entries; /* by file, line, function */
    size_t entry_capacity;
    uint32_t *entry_of_key;
};

/* A zeroed struct is an empty one. */
void wf_sites_fini(struct wf_sites *sites);

/* Both: the number of a segment's statement, for wf_sites_entry; WF_NO_SITE: out of memory, or not there. */
uint32_t wf_sites_add(struct wf_sites *sites, const struct wf_segment_reader *reader,
                      const struct wf_site_record *record);
uint32_t wf_sites_find(const struct wf_sites *sites, const struct wf_segment_reader *reader,
                       const struct wf_site_record *record);

/* Looks all of them up; notes what could not be. Returns 0, or -1 without memory. */
int wf_sites_resolve(struct wf_sites *sites, struct wf_notes *notes);

size_t wf_sites_count(const struct wf_sites *sites);                    /* of entries */
uint32_t wf_sites_entry(const struct wf_sites *sites, uint32_t number); /* index of the statement's entry */
const char *wf_sites_text(const struct wf_sites *sites, uint32_t text);
const char *wf_sites_module(const struct wf_sites *sites, uint32_t module); /* its path */

#endif
