/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The regions of all segments: procedures, loops, and regions marked by users, each one entry for all ranks; and the
 * call statements that procedures were visited from. Like sites, both are keys first and are settled once the program
 * is looked up. The collection owns them.
 *
 * Recursion is that of [LZ] 6.3: procedures that call each other in a circle count as one seen from outside. A call
 * from one of them to another is internal and has no record.
 */
#ifndef WF_COLLECT_REGIONS_H
#define WF_COLLECT_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/intern.h"
#include "collect/program.h"
#include "collect/segment_reader.h"

#define WF_NO_REGION UINT32_MAX
#define WF_NO_CALL UINT32_MAX

/* A region as a segment names it. */
struct wf_region_source {
    uint32_t kind; /* enum wf_region_kind */
    uint32_t name, file, line;
    uint32_t address;   /* of a procedure of which only the address is known; WF_NO_ADDRESS: it has a name */
    uint32_t procedure; /* of procedures, since wf_regions_declare */
};

struct wf_region_entry {
    uint32_t kind;       /* enum wf_region_kind */
    uint32_t name, file; /* in the program's texts */
    uint32_t line;
    uint32_t procedure; /* itself, or the one it stands in; WF_NO_PROCEDURE: not known */
    uint32_t address;   /* WF_NO_ADDRESS: it has a name */
    bool used;          /* something in the profile refers to it */

    /* On how many ranks it was switched off, and the visits before that. */
    size_t off_ranks;
    uint64_t off_visits;
    int64_t off_ns;
};

/* A procedure and a statement that called it. */
struct wf_region_call {
    uint32_t entry;
    uint32_t file, line; /* "" and 0: the beginning of the program */
    uint32_t caller;     /* the procedure the statement stands in; WF_NO_PROCEDURE: not known */
    bool internal;       /* a recursive call */
};

struct wf_regions {
    struct wf_intern keys; /* numbers as in sources */
    struct wf_region_source *sources;
    size_t source_capacity;
    struct wf_intern visit_keys;
    char *key; /* being made */
    size_t key_capacity;
    uint32_t *numbers; /* of the loaded segment's regions */
    size_t number_capacity;

    /* Since wf_regions_settle: */
    struct wf_intern entry_keys;     /* numbers as in entries, before they are sorted */
    struct wf_region_entry *entries; /* by file, line, kind, name */
    size_t entry_capacity;
    uint32_t *entry_of_key;
    struct wf_intern call_keys; /* numbers as in calls */
    struct wf_region_call *calls;
    size_t call_capacity;
    uint32_t *call_of_visit;
};

/* A zeroed struct is an empty one. */
void wf_regions_fini(struct wf_regions *regions);

/* Adds all regions and visits of a segment, and the modules that may have static tables. Returns 0, or -1 without
 * memory. */
int wf_regions_add_segment(struct wf_regions *regions, struct wf_collected_program *program,
                           const struct wf_segment_reader *reader);

/* With the program looked up: declares its procedures. With those unified and the tables settled: settles the rest.
 * Both return 0, or -1 without memory. */
int wf_regions_declare(struct wf_regions *regions, struct wf_collected_program *program);
int wf_regions_settle(struct wf_regions *regions, struct wf_collected_program *program);

size_t wf_regions_count(const struct wf_regions *regions); /* of entries */

/* The entry of a segment's region, and the call of a visit to it; WF_NO_REGION, WF_NO_CALL: not there, or no
 * procedure. */
uint32_t wf_regions_find(struct wf_regions *regions, const struct wf_collected_program *program,
                         const struct wf_segment_reader *reader, const struct wf_region_record *record,
                         uint32_t *number);
uint32_t wf_regions_find_call(const struct wf_regions *regions, const struct wf_collected_program *program,
                              const struct wf_segment_reader *reader, uint32_t number,
                              const struct wf_visit_record *visit);

#endif
