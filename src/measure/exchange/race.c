/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/exchange/race.h"

#include <string.h>

#include "base/memory.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/known.h"
#include "measure/guest/settings.h"
#include "measure/record/race.h"

/* What a rank was last heard to know. */
struct race_heard {
    uint32_t version;  /* 0: nothing yet */
    uint32_t receives; /* of ours */
    bool lost;
};

struct wf_races wf_races;

static struct race_state {
    struct wf_lock lock;
    struct wf_known known;
    struct wf_known_version *versions; /* in our box */
    uint32_t version;                  /* the last one */
    struct race_heard *heard;          /* by world rank */
    struct wf_race_log log;
} races;

void wf_race_start(void)
{
    if (strcmp(wf_settings.races, "1") != 0 || !wf_links.of)
        return;
    uint32_t offset = wf_box_allocate(WF_KNOWN_VERSIONS * sizeof(struct wf_known_version));
    races.heard = wf_memory_pages((size_t)wf_links.count * sizeof *races.heard);
    if (!offset || !races.heard)
        return;
    races.versions = wf_box_at(wf_own_box.box, offset);
    races.known.changed = true;
    wf_set(wf_own_box.box->head.known, offset);
    wf_process.segment.header->races = 1;
    wf_races.on = true;
}

/* ---- what is told ---- */

static void race_publish(void)
{
    if (!races.known.changed)
        return;
    races.version += races.version == UINT32_MAX ? 2 : 1;
    wf_known_write(races.versions, races.version, &races.known);
    races.known.changed = false;
}

/* When a synchronous send is complete, its receiver has begun to receive: what that knew has happened before. */
uint32_t wf_race_show(uint32_t flags)
{
    wf_threads_lock(&races.lock);
    race_publish();
    uint32_t version = races.version;
    if (flags & WF_HEADER_AWAITS)
        wf_known_lose(&races.known);
    wf_threads_unlock(&races.lock);
    return version;
}

void wf_race_lose_now(void)
{
    wf_threads_lock(&races.lock);
    wf_known_lose(&races.known);
    wf_threads_unlock(&races.lock);
}

/* ---- what is heard ---- */

static struct wf_known_version *race_versions_of(int32_t rank)
{
    struct wf_link *link = wf_link_to(rank);
    const struct wf_box *box = wf_link_is_local(link) ? wf_box_in(&link->view, rank) : NULL;
    uint32_t offset = box ? wf_get(box->head.known) : 0;
    bool inside = offset && wf_box_has(&link->view, rank, offset, WF_KNOWN_VERSIONS * sizeof(struct wf_known_version));
    return inside ? wf_box_at(box, offset) : NULL;
}

static struct race_heard race_hear(int32_t rank, uint32_t version)
{
    static const struct race_heard nothing = {.lost = true};
    struct race_heard *last = rank >= 0 && version ? &races.heard[rank] : NULL;
    struct wf_known known;
    if (last && last->version == version)
        return *last;
    struct wf_known_version *versions = last ? race_versions_of(rank) : NULL;
    if (!versions || !wf_known_read(versions, version, &known)) {
        wf_known_lose(&races.known);
        return nothing;
    }
    wf_known_merge(&races.known, &known, wf_own_box.rank);
    *last =
        (struct race_heard){.version = version, .receives = wf_known_get(&known, wf_own_box.rank), .lost = known.lost};
    return *last;
}

void wf_race_hear_now(int32_t rank, uint32_t version)
{
    wf_threads_lock(&races.lock);
    race_hear(rank, version);
    wf_threads_unlock(&races.lock);
}

/* ---- races ---- */

static void race_count(void *context, uint32_t site, int32_t took, int32_t other, bool unsure)
{
    (void)context;
    struct wf_lane *lane = weft_tls.lane;
    struct wf_race_record *record = lane && site ? wf_lane_race(lane, site, took, other) : NULL;
    if (!record)
        return;
    record->num += !unsure;
    record->unknown += unsure;
}

void wf_race_take(struct wf_race_message *m, uint32_t version, bool keep)
{
    wf_threads_lock(&races.lock);
    struct race_heard heard = race_hear(m->source, version);
    m->heard = heard.receives;
    m->unsure = heard.lost;
    wf_race_log_take(&races.log, *m, keep, race_count, NULL);
    if (m->any)
        wf_known_raise(&races.known, wf_own_box.rank, races.log.receives);
    wf_threads_unlock(&races.lock);
}
