/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/com.h"

#include <stdatomic.h>

#include "measure/record/lane.h"

struct wf_com_record wf_com_none = {.partner = INT32_MIN};

static uint32_t com_hash(uint32_t site, int32_t partner)
{
    return wf_hash((uint64_t)site << 32 | (uint32_t)partner);
}

static uint32_t com_hash_of(const void *record)
{
    const struct wf_com_record *com = record;
    return com_hash(com->site, com->partner);
}

static struct wf_com_record *com_add(struct wf_lane *lane, const struct wf_site *site, int32_t partner)
{
    struct wf_com_record *com = wf_lane_next_record(lane, &lane->coms.chunk, WF_CHUNK_COM, sizeof *com);
    if (!com)
        return NULL;
    com->site = site->offset;
    com->partner = partner;
    if (!wf_table_add(&lane->coms.table, com, com_hash_of))
        return NULL;
    wf_lane_publish(lane->coms.chunk);
    return com;
}

struct wf_com_record *wf_lane_com(struct wf_lane *lane, struct wf_site *site, int32_t partner)
{
    if (site->offset == 0)
        return NULL;
    uint32_t i = com_hash(site->offset, partner);
    struct wf_com_record *com;
    while ((com = wf_table_at(&lane->coms.table, i)) && (com->site != site->offset || com->partner != partner))
        i++;
    if (!com)
        com = com_add(lane, site, partner);
    if (com)
        site->last = com;
    return com;
}

void wf_lane_drop(struct wf_lane *lane, const struct wf_site *site, uint64_t num, uint64_t ticks)
{
    if (site->offset == 0)
        return; /* muted; or lost, which is counted where the call ends */
    atomic_fetch_add_explicit(&lane->segment->header->dropped_coms, num, memory_order_relaxed);
    atomic_fetch_add_explicit(&lane->segment->header->dropped_coms_ticks, ticks, memory_order_relaxed);
}
