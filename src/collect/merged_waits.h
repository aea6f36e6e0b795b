/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which ranks made the statements of one segment wait: one entry for each statement, kind of waiting, culprit and
 * statement of the culprit, lanes added up. The collection owns it and uses its memory again for the next segment.
 */
#ifndef WF_COLLECT_MERGED_WAITS_H
#define WF_COLLECT_MERGED_WAITS_H

#include <stddef.h>
#include <stdint.h>

#include "collect/rank.h"
#include "collect/sites.h"
#include "collect/world.h"

struct wf_merged_wait {
    uint32_t site;         /* entry in sites: the statement that waited */
    uint32_t kind;         /* enum wf_wait_kind; WF_WAIT_ROOT: no wait, but the root of such parts of the others */
    int64_t culprit;       /* its rank in the profile; or WF_PARTNER_OUTSIDE */
    uint32_t culprit_site; /* entry in sites; WF_NO_SITE: not known */
    uint64_t num, raw_ticks, virtual_ticks, max_virtual_ticks;
    uint64_t passed_ticks; /* the part of virtual_ticks in which the culprit waited itself */
};

struct wf_merged_waits {
    struct wf_merged_wait *items; /* by site */
    size_t count, capacity;
    size_t dangling; /* records of no statement, or of no known kind */
};

/* A zeroed struct is an empty one. */
void wf_merged_waits_fini(struct wf_merged_waits *waits);

/* Replaces what it holds; the ranks have their numbers and are sorted by them, and the world is the
 * segment's. Returns 0, or -1 without memory. */
int wf_merged_waits_read(struct wf_merged_waits *waits, const struct wf_segment_reader *reader,
                         const struct wf_collected_ranks *ranks, const struct wf_world *world,
                         const struct wf_collected_program *program, const struct wf_sites *sites);

/* "late sender"; NULL: no such kind. */
const char *wf_wait_kind_name(uint32_t kind);

#endif
