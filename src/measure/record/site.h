/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A site: a communication statement of a thread, which is a return address and an MPI function. Its record is in the
 * segment; this is what only the lane's thread knows of it, and only that thread touches it.
 *
 * A site is looked up at every call, so that is inline. What happens once for each of them is in site.c.
 */
#ifndef WF_SITE_H
#define WF_SITE_H

#include <stddef.h>
#include <stdint.h>

#include "base/shared.h"
#include "base/table.h"
#include "measure/record/segment.h"

struct wf_lane;

#define WF_MAX_SITES 65536u /* further statements of a thread share one without records, and are counted there */

struct wf_site {
    uintptr_t address;
    uint32_t call;
    uint32_t offset; /* of the record in the segment; 0: it has none, what is counted there is lost or not wanted */
    struct wf_site_record *record;
    struct wf_com_record *last;       /* the partner of the last call: most statements have one partner at a time */
    struct wf_wait_record *last_wait; /* which process it waited for last */
    uint64_t after;                   /* what weft usually does after such a call takes */
    uint64_t longs, least;            /* calls that took long, and what the shortest took without waiting */
    uint32_t path_map;                /* of the critical path: the version of the map that the slots are of */
    uint16_t path_slot, path_stretch;
    uint32_t path_soon; /* so many times, without another one between, a small message was sent right behind it */
    uint32_t path_region, path_stretch_region; /* what it is in all processes (measure/path/registry.h) */
};

/* The sites of a lane. They lie in the lane, behind `none`, so that the table reaches them from there. */
struct wf_site_table {
    struct wf_table table;  /* its base is one word behind `none` */
    struct wf_site none;    /* equals no statement */
    uint32_t count;         /* of the lane's site_cells, so many are used */
    struct wf_chunk *chunk; /* with room for more records, or NULL */
};

/* As wf_table_at; but an empty slot leads to `none`, and so needs no branch of its own. That makes the lookup as fast
 * as one in a table of pointers, which would need twice the memory. */
static inline struct wf_site *wf_site_table_at(struct wf_site_table *sites, uint32_t slot)
{
    size_t place = sites->table.slots[slot & sites->table.mask];
    return (struct wf_site *)((char *)&sites->none + place * WF_TABLE_WORD);
}

/* NULL: it is not there. */
static inline struct wf_site *wf_site_table_find(struct wf_site_table *sites, uintptr_t address, uint32_t call)
{
    for (uint32_t i = wf_hash(address);; i++) {
        struct wf_site *site = wf_site_table_at(sites, i);
        if (__builtin_expect(site->address == address && site->call == call, 1))
            return site;
        if (__builtin_expect(site == &sites->none, 0))
            return NULL;
    }
}

/* Makes the lane's table of sites, and its two sites without records, of which `muted` is in the table. False: there is
 * no memory. */
bool wf_lane_begin_sites(struct wf_lane *lane);

/* A statement that has no site yet; lane->lost where there is no room for one. */
struct wf_site *wf_lane_add_site(struct wf_lane *lane, uintptr_t address, uint32_t call) WF_SHARED(lane_add_site);

/* The lane's thread knows that modules are closed: statements of theirs are not found any more. */
void wf_lane_forget_closed(struct wf_lane *lane);

#endif
