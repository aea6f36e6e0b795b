/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/record/race.h"

static uint32_t race_hash(uint32_t site, int32_t took, int32_t other)
{
    return wf_hash(((uint64_t)site << 32 | (uint32_t)took) + (uint64_t)(uint32_t)other * 31);
}

static uint32_t race_hash_of(const void *record)
{
    const struct wf_race_record *race = record;
    return race_hash(race->site, race->took, race->other);
}

static struct wf_race_record *race_add(struct wf_lane *lane, uint32_t site, int32_t took, int32_t other)
{
    struct wf_race_record *race = wf_lane_next_record(lane, &lane->races.chunk, WF_CHUNK_RACE, sizeof *race);
    if (!race)
        return NULL;
    race->site = site;
    race->took = took;
    race->other = other;
    if (!wf_table_add(&lane->races.table, race, race_hash_of))
        return NULL;
    wf_lane_publish(lane->races.chunk);
    return race;
}

struct wf_race_record *wf_lane_race(struct wf_lane *lane, uint32_t site, int32_t took, int32_t other)
{
    uint32_t i = race_hash(site, took, other);
    struct wf_race_record *race;
    while ((race = wf_table_at(&lane->races.table, i)) &&
           (race->site != site || race->took != took || race->other != other))
        i++;
    return race ? race : race_add(lane, site, took, other);
}
