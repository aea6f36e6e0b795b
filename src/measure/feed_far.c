/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What goes to other hosts of a critical path: rows that are not empty, with what tells regions apart everywhere, and times in nanoseconds.
 */
#include <stddef.h>
#include <string.h>

#include "measure/agree.h"
#include "measure/feed_state.h"
#include "measure/trace.h"

struct far_row {
    uint64_t key;
    int64_t share[2], saved[2][WF_PATH_STEPS]; /* enum wf_path_part_of */
};

struct far {
    uint32_t epoch, rank, thread;
    uint16_t rows, places, place, reserved;
    uint32_t reserved2;
    uint64_t call;
    int64_t length;
    struct far_row row[]; /* then places, in pairs. All times in ns */
};

static int64_t to_far(int64_t ticks)
{
    return wf_feed_common.cpu ? ticks : (int64_t)((double)ticks * wf_feed_common.ns_per_tick);
}

static int64_t to_near(int64_t ns)
{
    return wf_feed_common.cpu ? ns : (int64_t)((double)ns / wf_feed_common.ns_per_tick);
}

static size_t far_bytes(uint32_t rows, uint32_t places)
{
    return sizeof(struct far) + rows * sizeof(struct far_row) + places * 2 * sizeof(int64_t);
}

static bool is_empty(const struct far_row *r)
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
    if (p->epoch == 0 || far_bytes(on ? p->used : 0, on ? p->places : 0) > WF_FEED_FAR_BYTES)
        return 0;
    *far = (struct far){.epoch = p->epoch,
                        .rank = wf_feed_common.rank,
                        .thread = f->record->thread,
                        .places = on ? p->places : 0,
                        .place = p->place,
                        .call = f->calls,
                        .length = to_far(p->length)};
    for (uint32_t slot = 0; on && slot < p->used; slot++) {
        struct far_row *row = &far->row[far->rows];
        row->key = wf_agree_key(slot);
        for (int of = 0; of < 2; of++) {
            int32_t from = wf_path_row(slot, (enum wf_path_part_of)of);
            row->share[of] = to_far(wf_path_shares(p)[from]);
            for (int i = 0; i < WF_PATH_STEPS; i++)
                row->saved[of][i] = to_far(wf_path_savings(p)[from * WF_PATH_STEPS + i]);
        }
        far->rows += !is_empty(row);
    }
    int64_t *places = (int64_t *)(far->row + far->rows);
    for (uint32_t i = 0; i < far->places; i++) {
        places[2 * i] = to_far(wf_path_places(p)[2 * i]);
        places[2 * i + 1] = wf_path_places(p)[2 * i + 1];
    }
    if (f->trace)
        wf_trace_line(f->trace, "S %llu", (unsigned long long)f->calls);
    return far_bytes(far->rows, far->places);
}

bool wf_feed_read(struct wf_feed *f, const void *from, size_t bytes, struct wf_shown *to)
{
    const struct far *far = from;
    struct wf_path *p = f->path;
    if (bytes < sizeof *far || bytes != far_bytes(far->rows, far->places) || (far->places && far->places != p->places))
        return false;
    to->rank = far->rank;
    to->thread = far->thread;
    to->call = far->call;
    to->path = (struct wf_path_snapshot){.epoch = far->epoch, .place = far->place, .length = to_near(far->length)};
    wf_path_snapshot_shape(&to->path, p->below, p->above, far->places);
    int64_t *places = wf_path_snapshot_places(&to->path);
    memset(to->path.values, 0, to->path.bytes - sizeof to->path);
    for (uint32_t i = 0; i < far->rows; i++) {
        const struct far_row *row = &far->row[i];
        uint32_t slot = wf_path_slot(p, wf_agree_slot_of(row->key));
        if (slot >= to->path.slots)
            to->path.slots = to->path.all_slots = (uint16_t)(slot + 1);
        for (int of = 0; of < 2; of++) {
            int32_t into = wf_path_row(slot, (enum wf_path_part_of)of);
            wf_path_snapshot_shares(&to->path)[into] += to_near(row->share[of]);
            for (int k = 0; k < WF_PATH_STEPS; k++)
                wf_path_snapshot_savings(&to->path)[into * WF_PATH_STEPS + k] += to_near(row->saved[of][k]);
        }
    }
    const int64_t *from_places = (const int64_t *)(far->row + far->rows);
    for (uint32_t i = 0; i < far->places; i++) {
        places[2 * i] = to_near(from_places[2 * i]);
        places[2 * i + 1] = from_places[2 * i + 1];
    }
    return true;
}
