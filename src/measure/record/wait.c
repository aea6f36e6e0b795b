/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/wait.h"

#include "measure/record/lane.h"

struct wf_wait_record wf_wait_none = {.culprit = INT32_MIN};

static uint32_t wait_hash(uint32_t site, int32_t culprit, uint32_t kind, uint64_t address)
{
    return wf_hash(((uint64_t)site << 32 | (uint32_t)culprit) + address * 31 + kind);
}

static uint32_t wait_hash_of(const void *record)
{
    const struct wf_wait_record *wait = record;
    return wait_hash(wait->site, wait->culprit, wait->kind, wait->address);
}

static struct wf_wait_record *wait_add(struct wf_lane *lane, const struct wf_site *site, int32_t culprit, uint32_t kind,
                                       uint64_t address)
{
    struct wf_wait_record *wait = wf_lane_next_record(lane, &lane->waits.chunk, WF_CHUNK_WAIT, sizeof *wait);
    if (!wait)
        return NULL;
    wait->site = site->offset;
    wait->culprit = culprit;
    wait->kind = kind;
    wait->address = address;
    if (!wf_table_add(&lane->waits.table, wait, wait_hash_of))
        return NULL;
    wf_lane_publish(lane->waits.chunk);
    return wait;
}

static bool wait_is(const struct wf_wait_record *wait, const struct wf_site *site, int32_t culprit, uint32_t kind,
                    uint64_t address)
{
    return wait->site == site->offset && wait->culprit == culprit && wait->kind == kind && wait->address == address;
}

struct wf_wait_record *wf_lane_wait(struct wf_lane *lane, struct wf_site *site, int32_t culprit, uint32_t kind,
                                    uint64_t address)
{
    if (site->offset == 0)
        return NULL;
    uint32_t i = wait_hash(site->offset, culprit, kind, address);
    struct wf_wait_record *wait;
    while ((wait = wf_table_at(&lane->waits.table, i)) && !wait_is(wait, site, culprit, kind, address))
        i++;
    if (!wait)
        wait = wait_add(lane, site, culprit, kind, address);
    if (wait)
        site->last_wait = wait;
    return wait;
}

/* A part for which there is no record stays the culprit's: the roots of a statement's waits add up to these. */
void wf_lane_count_roots(struct wf_lane *lane, struct wf_site *site, struct wf_wait_record *wait,
                         const struct wf_roots *roots)
{
    for (uint32_t i = 0; i < roots->count && roots->passed; i++) {
        const struct wf_root_part *part = &roots->parts[i];
        struct wf_wait_record *root = NULL;
        if (!wf_root_is(&part->root, &roots->culprit))
            root = wf_lane_wait(lane, site, part->root.rank, WF_WAIT_ROOT, part->root.address);
        if (!root)
            continue;
        root->num++;
        root->virtual_ticks += part->ticks;
        if (part->ticks > root->max_virtual_ticks)
            root->max_virtual_ticks = part->ticks;
        wait->passed_ticks += part->ticks;
    }
    site->last_wait = wait;
}
