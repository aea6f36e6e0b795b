/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What goes to other hosts of a critical path: rows that are not empty, with what tells regions apart everywhere, and
 * times in nanoseconds.
 */
#include <stddef.h>
#include <string.h>

#include "measure/path/registry.h"
#include "measure/path/feed_state.h"
#include "measure/path/trace.h"

struct far_row {
    uint64_t key;
    int64_t share[2], saved[2][WF_PATH_STEPS]; /* enum wf_path_part_of */
};

struct far {
    uint32_t epoch, rank, thread;
    uint16_t rows, places, place, listed;
    uint32_t reserved;
    uint64_t call;
    int64_t length;
    struct far_row row[]; /* then places, in pairs; then the list. All times in ns */
};

struct far_listed {
    uint64_t key;
    int64_t share, weight;
};

static int64_t far_to_ns(int64_t ticks)
{
    return wf_feed_common.cpu ? ticks : (int64_t)((double)ticks * wf_feed_common.ns_per_tick);
}

static int64_t far_to_ticks(int64_t ns)
{
    return wf_feed_common.cpu ? ns : (int64_t)((double)ns / wf_feed_common.ns_per_tick);
}

static size_t far_bytes(uint32_t rows, uint32_t places, uint32_t listed)
{
    return sizeof(struct far) + rows * sizeof(struct far_row) + places * 2 * sizeof(int64_t) +
           listed * sizeof(struct far_listed);
}

static bool far_row_is_empty(const struct far_row *r)
{
    int64_t any = r->share[0] | r->share[1];
    for (int of = 0; of < 2; of++)
        for (int i = 0; i < WF_PATH_STEPS; i++)
            any |= r->saved[of][i];
    return any == 0;
}

size_t wf_feed_write(struct wf_feed *f, void *to)
{
    struct wf_path *p = f->path;
    bool on = wf_path_is_on(p);
    struct far *far = to;
    if (p->epoch == 0 || far_bytes(on ? p->used : 0, on ? p->places : 0, on ? p->listed : 0) > WF_FEED_FAR_BYTES)
        return 0;
    *far = (struct far){.epoch = p->epoch,
                        .rank = wf_feed_common.rank,
                        .thread = f->record->thread,
                        .places = on ? p->places : 0,
                        .place = p->place,
                        .listed = on ? p->listed : 0,
                        .call = f->calls,
                        .length = far_to_ns(p->length)};
    for (uint32_t slot = 0; on && slot < p->used; slot++) {
        struct far_row *row = &far->row[far->rows];
        row->key = slot < WF_PATH_FIRST ? slot : wf_registry_key(wf_path_regions(p)[slot]);
        for (int of = 0; of < 2; of++) {
            int32_t from = wf_path_row(slot, (enum wf_path_part_of)of);
            row->share[of] = far_to_ns(wf_path_shares(p)[from]);
            for (int i = 0; i < WF_PATH_STEPS; i++)
                row->saved[of][i] = far_to_ns(wf_path_savings(p)[from * WF_PATH_STEPS + i]);
        }
        far->rows += !far_row_is_empty(row);
    }
    int64_t *places = (int64_t *)(far->row + far->rows);
    for (uint32_t i = 0; i < far->places; i++) {
        places[2 * i] = far_to_ns(wf_path_places(p)[2 * i]);
        places[2 * i + 1] = wf_path_places(p)[2 * i + 1];
    }
    struct far_listed *list = (struct far_listed *)(places + 2 * (size_t)far->places);
    for (uint32_t i = 0; i < far->listed; i++)
        list[i] = (struct far_listed){wf_registry_key(p->list[i].region & ~WF_PATH_STATEMENT),
                                      far_to_ns(p->list[i].share), far_to_ns(p->list[i].weight)};
    if (f->trace)
        wf_trace_line(f->trace, "S %llu", (unsigned long long)f->calls);
    return far_bytes(far->rows, far->places, far->listed);
}

/* A region that has, or had, no slot. */
static void far_list(struct wf_path_snapshot *to, uint32_t region, int64_t share, int64_t weight)
{
    struct wf_path_listed *list = wf_path_snapshot_list(to);
    uint32_t i = 0;
    while (i < to->listed && list[i].region != region)
        i++;
    if (region == 0 || i == WF_PATH_LISTED)
        return;
    if (i == to->listed)
        list[to->listed++] = (struct wf_path_listed){.region = region};
    list[i].share += share;
    list[i].weight += weight;
}

static void far_read_row(struct wf_path *p, struct wf_path_snapshot *to, const struct far_row *row)
{
    uint32_t region = wf_registry_region_of_key(row->key),
             slot = row->key < WF_PATH_FIRST ? (uint32_t)row->key : wf_registry_slot(region, p->map);
    int64_t *shares = wf_path_snapshot_shares(to);
    if (slot == WF_PATH_OTHER && row->key != WF_PATH_OTHER) {
        int64_t share = far_to_ticks(row->share[WF_PATH_OWN]);
        shares[region & WF_PATH_STATEMENT ? WF_PATH_TRANSFER : WF_PATH_OTHER] += share;
        far_list(to, region, share, share);
        return;
    }
    if (slot >= to->slots)
        to->slots = to->all_slots = (uint16_t)(slot + 1);
    for (int of = 0; of < 2; of++) {
        int32_t into = wf_path_row(slot, (enum wf_path_part_of)of);
        shares[into] += far_to_ticks(row->share[of]);
        for (int k = 0; k < WF_PATH_STEPS; k++)
            wf_path_snapshot_savings(to)[into * WF_PATH_STEPS + k] += far_to_ticks(row->saved[of][k]);
    }
}

bool wf_feed_read(struct wf_feed *f, const void *from, size_t bytes, struct wf_shown *to)
{
    const struct far *far = from;
    struct wf_path *p = f->path;
    if (bytes < sizeof *far || bytes != far_bytes(far->rows, far->places, far->listed) ||
        (far->places && far->places != p->places))
        return false;
    to->rank = far->rank;
    to->thread = (uint16_t)far->thread;
    to->call = far->call;
    to->path = (struct wf_path_snapshot){
        .epoch = far->epoch, .map = p->map, .place = far->place, .length = far_to_ticks(far->length)};
    wf_path_snapshot_shape(&to->path, p->below, p->above, far->places, 0);
    int64_t *places = wf_path_snapshot_places(&to->path);
    memset(to->path.values, 0, to->path.bytes - sizeof to->path);
    to->path.slots = to->path.all_slots = WF_PATH_FIRST;
    for (uint32_t i = 0; i < far->rows; i++)
        far_read_row(p, &to->path, &far->row[i]);
    const int64_t *from_places = (const int64_t *)(far->row + far->rows);
    for (uint32_t i = 0; i < far->places; i++) {
        places[2 * i] = far_to_ticks(from_places[2 * i]);
        places[2 * i + 1] = from_places[2 * i + 1];
    }
    const struct far_listed *list = (const struct far_listed *)(from_places + 2 * (size_t)far->places);
    for (uint32_t i = 0; i < far->listed; i++)
        far_list(&to->path, wf_registry_region_of_key(list[i].key), far_to_ticks(list[i].share),
                 far_to_ticks(list[i].weight));
    return true;
}
