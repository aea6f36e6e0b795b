/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/site.h"

#include "measure/record/com.h"
#include "measure/record/lane.h"
#include "measure/record/module.h"
#include "measure/record/wait.h"

static uint32_t site_hash(const void *site)
{
    return wf_hash(((const struct wf_site *)site)->address);
}

bool wf_lane_begin_sites(struct wf_lane *lane)
{
    struct wf_site_table *sites = &lane->sites;
    *sites = (struct wf_site_table){.table = WF_TABLE((char *)&sites->none + WF_TABLE_WORD), .none.call = UINT32_MAX};
    lane->lost = lane->muted =
        (struct wf_site){.record = &lane->void_site, .last = &wf_com_none, .last_wait = &wf_wait_none};
    return wf_table_add(&sites->table, &lane->muted, site_hash); /* calibration finds a statement there, as calls do */
}

static bool site_is_open(const void *thing)
{
    const struct wf_site *site = thing;
    return !site->offset || !wf_module_is_past(site->record, site->address);
}

/* What is found from now on is of what is mapped now, and in a new chunk: so the collector knows, too
 * (format/segment.h). */
void wf_lane_forget_closed(struct wf_lane *lane)
{
    wf_table_keep(&lane->sites.table, site_is_open, site_hash);
    lane->sites.chunk = NULL;
}

/* Whole before it is in the table, and in the table before its record is published: so nothing is half there if there
 * is no room, or if the thread is cancelled meanwhile. */
static struct wf_site *site_add(struct wf_lane *lane, uintptr_t address, uint32_t call)
{
    struct wf_site_table *sites = &lane->sites;
    if (sites->count == WF_MAX_SITES)
        return &lane->lost;
    struct wf_site *site = &lane->site_cells[sites->count];
    struct wf_site_record *record = wf_lane_next_record(lane, &sites->chunk, WF_CHUNK_SITE, sizeof *record);
    if (!record)
        return &lane->lost;
    record->address = address;
    record->module = wf_module_find(lane->segment, address);
    record->call = (uint16_t)call;
    *site = (struct wf_site){.address = address,
                             .call = call,
                             .offset = wf_segment_offset(lane->segment, record),
                             .record = record,
                             .last = &wf_com_none,
                             .last_wait = &wf_wait_none};
    if (!wf_table_add(&sites->table, site, site_hash))
        return &lane->lost;
    wf_lane_publish(sites->chunk);
    sites->count++;
    return site;
}

struct wf_site *wf_lane_add_site(struct wf_lane *lane, uintptr_t address, uint32_t call)
{
    uint64_t since = wf_clock_ticks();
    struct wf_site *site = site_add(lane, address, call);
    wf_lane_charge(lane, since);
    return site;
}
