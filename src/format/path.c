/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/path.h"

#include <string.h>

void wf_path_init(struct wf_path *p, uint32_t capacity, uint32_t places, uint32_t place, enum wf_path_width width)
{
    memset(p, 0, wf_path_bytes(capacity, places, width));
    p->capacity = (uint16_t)capacity;
    p->used = WF_PATH_FIRST;
    p->places = (uint16_t)places;
    p->place = place < places ? (uint16_t)place : WF_PATH_NOWHERE;
    p->width = (uint16_t)width;
    p->depth = 1; /* there is always one around all others */
}

/* ---- what is active ---- */

static void count_place(struct wf_path *p)
{
    if (p->place != WF_PATH_NOWHERE)
        wf_path_places(p)[2 * p->place] += p->length - p->placed;
    p->placed = p->length;
}

/* Counts everything up to now. */
static void flush(struct wf_path *p, int64_t now)
{
    wf_path_advance(p, now);
    for (uint32_t i = 0; i < p->depth; i++) {
        struct wf_path_entry *e = &p->stack[i];
        if (e->own)
            wf_path_charge_own(p, e->slot, e->own);
        if (e->first && wf_path_is_on(p))
            wf_path_charge_all(p, e->slot, now - e->since);
        e->since = now;
        e->own = 0;
    }
    count_place(p);
}

static void count_from(struct wf_path *p, int64_t now)
{
    p->since = now;
    for (uint32_t i = 0; i < p->depth; i++) {
        p->stack[i].since = now;
        p->stack[i].own = 0;
    }
}

/* Transfer on the longest path. The stretch that is around all regions has ended where the call began. */
static void share_active(struct wf_path *p, int64_t ticks)
{
    int64_t *shares = wf_path_shares(p);
    shares[2 * p->stack[p->depth - 1].slot + WF_PATH_OWN] += ticks;
    for (uint32_t i = 1; i < p->depth; i++)
        if (p->stack[i].first)
            shares[2 * p->stack[i].slot + WF_PATH_ALL] += ticks;
}

/* Transfer that would be shorter if what is active were faster. */
static void save_active(struct wf_path *p, int64_t ticks)
{
    int64_t *savings = wf_path_savings(p);
    wf_path_save(savings + (size_t)p->stack[p->depth - 1].slot * p->width, ticks);
    if (p->width == WF_PATH_WIDTH_BOTH)
        for (uint32_t i = 1; i < p->depth; i++)
            if (p->stack[i].first)
                wf_path_save(savings + (size_t)p->stack[i].slot * p->width + WF_PATH_STEPS, ticks);
}

/* ---- epochs ---- */

void wf_path_start(struct wf_path *p, uint32_t epoch, int64_t now)
{
    memset(p->values, 0, sizeof(int64_t) * (size_t)(wf_path_actives(p) - p->values));
    p->epoch = p->values_epoch = epoch;
    p->length = p->placed = 0;
    p->used = WF_PATH_FIRST;
    for (uint32_t i = 0; i < p->depth; i++)
        if (p->stack[i].slot >= p->used)
            p->used = p->stack[i].slot + 1;
    count_from(p, now);
}

void wf_path_stop(struct wf_path *p, uint32_t epoch, int64_t now)
{
    if (!p->inside) /* else it has counted up to the call's begin, and may have waited since */
        flush(p, now);
    p->epoch = epoch;
}

/* ---- regions ---- */

void wf_path_stretch(struct wf_path *p, uint32_t slot, int64_t now)
{
    uint32_t depth = p->depth;
    slot = wf_path_slot(p, slot);
    if (p->stack[0].slot == slot)
        return;
    flush(p, now);
    p->depth = 1;
    wf_path_pop(p);
    wf_path_push(p, slot, now);
    p->depth = depth;
}

void wf_path_skip(struct wf_path *p, int64_t now)
{
    count_from(p, now);
}

void wf_path_leave_all(struct wf_path *p, int64_t now)
{
    flush(p, now);
    p->beyond = 0;
    while (p->depth > 1)
        wf_path_pop(p);
}

/* ---- calls ---- */

void wf_path_begin(struct wf_path *p, uint32_t statement, int64_t begin)
{
    uint32_t depth = p->depth;
    flush(p, begin);
    statement = wf_path_slot(p, statement);
    wf_path_push(p, WF_PATH_TRANSFER, begin);
    if (statement >= WF_PATH_FIRST)
        wf_path_push(p, statement, begin);
    p->inside = (uint16_t)(p->depth - depth);
}

static size_t copy(struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, uint32_t slots, uint32_t places)
{
    *s = (struct wf_path_snapshot){.epoch = epoch,
                                   .slots = (uint16_t)slots,
                                   .places = (uint16_t)places,
                                   .width = p->width,
                                   .place = p->place,
                                   .bytes = (uint32_t)wf_path_snapshot_bytes(slots, places, p->width),
                                   .length = p->length};
    int64_t *to = s->values;
    memcpy(to, wf_path_shares(p), sizeof *to * 2 * slots);
    to += 2 * (size_t)slots;
    memcpy(to, wf_path_places(p), sizeof *to * 2 * places);
    to += 2 * (size_t)places;
    memcpy(to, wf_path_savings(p), sizeof *to * p->width * slots);
    return s->bytes;
}

size_t wf_path_snapshot(struct wf_path *p, struct wf_path_snapshot *s)
{
    bool on = wf_path_is_on(p);
    return copy(p, s, p->epoch, on ? p->used : 0, on ? p->places : 0);
}

/* The longest of the two what-if paths is the one that saves least, measured from the same end. */
static void least_one_by_one(int64_t *own, const int64_t *other, size_t count, int64_t own_gap, int64_t other_gap)
{
    for (size_t i = 0; i < count; i++) {
        int64_t a = own[i] + own_gap, b = other[i] + other_gap;
        own[i] = a < b ? a : b;
    }
}

#if defined(__x86_64__) && !defined(WF_PATH_ONE_BY_ONE)
/* Every slot has a multiple of four. By hand, because x86-64 as such has no comparison of 64-bit numbers in vectors, and compilers make the loop slower
 * than one by one without it. */
typedef int64_t four __attribute__((vector_size(32), aligned(8), may_alias));

__attribute__((target("avx2"))) static void least_four_by_four(int64_t *own, const int64_t *other, size_t count, int64_t own_gap, int64_t other_gap)
{
    for (size_t i = 0; i < count; i += 4) {
        four *to = (four *)(own + i);
        four a = *to + own_gap, b = *(const four *)(other + i) + other_gap, less = a < b;
        *to = (a & less) | (b & ~less);
    }
}

static void least(int64_t *own, const int64_t *other, size_t count, int64_t own_gap, int64_t other_gap)
{
    (__builtin_cpu_supports("avx2") ? least_four_by_four : least_one_by_one)(own, other, count, own_gap, other_gap);
}
#else
#define least least_one_by_one
#endif

/* The same where the other has never met the slot: it would save nothing. */
static void least_of_none(int64_t *own, size_t count, int64_t own_gap, int64_t other_gap)
{
    for (size_t i = 0; i < count; i++) {
        int64_t a = own[i] + own_gap;
        own[i] = a < other_gap ? a : other_gap;
    }
}

/* The path goes on from there. */
static void take_over(struct wf_path *p, const struct wf_path_snapshot *s, uint32_t slots)
{
    uint32_t places = s->places < p->places ? s->places : p->places;
    memcpy(wf_path_shares(p), s->values, sizeof(int64_t) * 2 * slots);
    memset(wf_path_shares(p) + 2 * (size_t)slots, 0, sizeof(int64_t) * 2 * (p->used - slots));
    memcpy(wf_path_places(p), s->values + 2 * (size_t)s->slots, sizeof(int64_t) * 2 * places);
    if (p->place != WF_PATH_NOWHERE && s->place != p->place)
        wf_path_places(p)[2 * p->place + 1]++;
    p->length = p->placed = s->length;
}

bool wf_path_part(struct wf_path *p, const struct wf_path_snapshot *s, int64_t weight)
{
    if (!wf_path_is_on(p) || s->epoch != p->epoch || s->width != p->width)
        return false;
    uint32_t slots = s->slots < p->capacity ? s->slots : p->capacity;
    if (slots > p->used)
        p->used = (uint16_t)slots;
    int64_t ahead = s->length + weight - p->length, own_gap = ahead > 0 ? WF_PATH_STEPS * ahead : 0, other_gap = ahead < 0 ? -WF_PATH_STEPS * ahead : 0;
    const int64_t *saved = s->values + 2 * ((size_t)s->slots + s->places);
    int64_t *own = wf_path_savings(p);
    save_active(p, -weight); /* what is active saves of the weight, too, on the other's way: min(own, other + x) = min(own - x, other) + x */
    least(own, saved, (size_t)slots * p->width, own_gap, other_gap);
    least_of_none(own + (size_t)slots * p->width, (size_t)(p->used - slots) * p->width, own_gap, other_gap);
    save_active(p, weight);
    if (ahead > 0) {
        take_over(p, s, slots);
        share_active(p, weight);
        p->length += weight;
    }
    return true;
}

void wf_path_end(struct wf_path *p, int64_t take, int64_t end)
{
    if (wf_path_is_on(p)) {
        p->length += take;
        share_active(p, take);
        save_active(p, take);
    }
    count_from(p, end);
    for (; p->inside; p->inside--)
        wf_path_pop(p);
}

size_t wf_path_sample(struct wf_path *p, int64_t now, struct wf_path_snapshot *s)
{
    if (!p->inside)
        flush(p, now);
    return copy(p, s, p->values_epoch, p->used, p->places);
}
