/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/path.h"

#include <string.h>

#include "base/line.h"

void wf_path_init(struct wf_path *p, uint32_t capacity, uint32_t places, uint32_t place, enum wf_path_width width)
{
    memset(p, 0, wf_path_bytes(capacity, places, width));
    p->capacity = (uint16_t)capacity;
    p->used = WF_PATH_FIRST;
    p->places = (uint16_t)places;
    p->place = place < places ? (uint16_t)place : WF_PATH_NOWHERE;
    p->width = (uint16_t)width;
    p->depth = 1; /* there is always one around all others */
    p->stack[0].leaf = 1;
}

/* ---- what is active ---- */

static void count_place(struct wf_path *p)
{
    if (p->place != WF_PATH_NOWHERE && p->length != p->placed) {
        wf_path_places(p)[2 * p->place] += p->length - p->placed;
        wf_path_stamps(p)[p->capacity + p->place] = p->version;
    }
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
static inline void share_active(struct wf_path *p, int64_t ticks)
{
    int64_t *shares = wf_path_shares(p);
    shares[2 * p->stack[p->depth - 1].slot + WF_PATH_OWN] += ticks;
    for (uint32_t i = 1; i < p->depth; i++)
        if (p->stack[i].first) {
            shares[2 * p->stack[i].slot + WF_PATH_ALL] += ticks;
            wf_path_touch(p, p->stack[i].slot);
        }
    wf_path_touch(p, p->stack[p->depth - 1].slot);
}

/* Transfer that would be shorter if what is active were faster. */
static inline void save_active(struct wf_path *p, int64_t ticks)
{
    int64_t *savings = wf_path_savings(p);
    wf_path_save(savings + (size_t)p->stack[p->depth - 1].slot * p->width, ticks);
    wf_path_touch(p, p->stack[p->depth - 1].slot);
    if (p->width != WF_PATH_WIDTH_BOTH)
        return;
    for (uint32_t i = 1; i < p->depth; i++)
        if (p->stack[i].first) {
            wf_path_save(savings + (size_t)p->stack[i].slot * p->width + WF_PATH_STEPS, ticks);
            wf_path_touch(p, p->stack[i].slot);
        }
}

/* ---- epochs ---- */

void wf_path_start(struct wf_path *p, uint32_t epoch, int64_t now)
{
    memset(p->values, 0, sizeof(int64_t) * (size_t)(wf_path_actives(p) - p->values));
    p->epoch = p->values_epoch = epoch;
    p->all_since = ++p->version;
    p->length = p->placed = 0;
    p->used = WF_PATH_FIRST;
    for (uint32_t i = 0; i < p->depth; i++)
        wf_path_use(p, p->stack[i].slot + 1u);
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
    slot = wf_path_slot(p, slot);
    if (p->stack[0].slot == slot)
        return;
    if (now != p->since || p->stack[0].own)
        flush(p, now);
    p->stack[0].slot = (uint16_t)slot;
    wf_path_use(p, slot + 1);
}

void wf_path_skip(struct wf_path *p, int64_t now)
{
    if (!p->inside)
        flush(p, p->since); /* what was before the pause */
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
    wf_path_push(p, WF_PATH_TRANSFER, begin, false);
    if (statement >= WF_PATH_FIRST)
        wf_path_push(p, statement, begin, true);
    p->inside = (uint16_t)(p->depth - depth);
}

static void write_head(const struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, uint32_t slots, uint32_t places, uint32_t capacity)
{
    s->epoch = epoch;
    s->slots = (uint16_t)slots;
    s->places = (uint16_t)places;
    s->width = p->width;
    s->place = p->place;
    s->capacity = (uint16_t)capacity;
    s->reserved = 0;
    s->bytes = (uint32_t)wf_path_snapshot_bytes(capacity, places, (enum wf_path_width)p->width);
    s->version = 0;
    s->length = p->length;
}

static size_t copy(struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, uint32_t slots, uint32_t places)
{
    write_head(p, s, epoch, slots, places, slots);
    memcpy(s->values, wf_path_savings(p), sizeof(int64_t) * p->width * slots);
    memcpy(wf_path_snapshot_shares(s), wf_path_shares(p), sizeof(int64_t) * 2 * slots);
    memcpy(wf_path_snapshot_places(s), wf_path_places(p), sizeof(int64_t) * 2 * places);
    return s->bytes;
}

size_t wf_path_snapshot(struct wf_path *p, struct wf_path_snapshot *s)
{
    bool on = wf_path_is_on(p);
    return copy(p, s, p->epoch, on ? p->used : 0, on ? p->places : 0);
}

static void copy_pair(int64_t *to, const int64_t *from)
{
    to[0] = from[0];
    to[1] = from[1];
}

static void copy_row(int64_t *to, const int64_t *from, uint32_t width)
{
    for (uint32_t i = 0; i < width; i += 2)
        *(wf_path_two *)(to + i) = *(const wf_path_two *)(from + i);
}

/* What has a stamp of the version that the snapshot was of, or a later one, may have changed behind it. */
static void copy_changed(struct wf_path *p, struct wf_path_snapshot *s, uint32_t since)
{
    const uint32_t *stamps = wf_path_stamps(p), *place_stamps = stamps + p->capacity;
    for (uint32_t slot = 0; slot < p->used; slot++)
        if (stamps[slot] >= since) {
            copy_row(s->values + (size_t)slot * p->width, wf_path_savings(p) + (size_t)slot * p->width, p->width);
            copy_pair(wf_path_snapshot_shares(s) + 2 * slot, wf_path_shares(p) + 2 * slot);
        }
    for (uint32_t place = 0; place < p->places; place++)
        if (place_stamps[place] >= since)
            copy_pair(wf_path_snapshot_places(s) + 2 * place, wf_path_places(p) + 2 * place);
}

/* What has been copied. */
static void hand_over(struct wf_path *p, struct wf_path_snapshot *s, uint32_t since)
{
    enum { PAIRS_A_LINE = WF_LINE_BYTES / (2 * sizeof(int64_t)) };
    const uint32_t *stamps = wf_path_stamps(p);
    wf_line_hand_over(s);
    for (uint32_t slot = 0; slot < p->used; slot++)
        if (stamps[slot] >= since)
            wf_line_hand_over(s->values + (size_t)slot * p->width);
    for (uint32_t slot = 0; slot < p->used; slot += PAIRS_A_LINE)
        wf_line_hand_over(wf_path_snapshot_shares(s) + 2 * (size_t)slot);
    for (uint32_t place = 0; place < p->places; place += PAIRS_A_LINE)
        wf_line_hand_over(wf_path_snapshot_places(s) + 2 * (size_t)place);
}

void wf_path_update(struct wf_path *p, struct wf_path_snapshot *s)
{
    bool on = wf_path_is_on(p);
    uint32_t since = s->version > p->all_since && s->epoch == p->epoch ? s->version : 0;
    write_head(p, s, p->epoch, on ? p->used : 0, on ? p->places : 0, p->capacity);
    if (on)
        copy_changed(p, s, since);
    s->version = ++p->version;
    if (on)
        hand_over(p, s, since);
}

/* The longest of the two what-if paths is the one that saves least, measured from the same end. Whether anything has changed by that. */
static bool least_one_by_one(int64_t *own, const int64_t *other, size_t count, int64_t own_gap, int64_t other_gap)
{
    bool changed = false;
    for (size_t i = 0; i < count; i++) {
        int64_t a = own[i] + own_gap, b = other[i] + other_gap, least = a < b ? a : b;
        changed = changed || least != own[i];
        own[i] = least;
    }
    return changed;
}

/* For all slots that both have met. */
static inline __attribute__((always_inline)) void
least_of_all(struct wf_path *p, const int64_t *other, uint32_t slots, int64_t own_gap, int64_t other_gap,
             bool (*least)(int64_t *, const int64_t *, size_t, int64_t, int64_t))
{
    int64_t *own = wf_path_savings(p);
    for (uint32_t slot = 0; slot < slots; slot++)
        if (least(own + (size_t)slot * p->width, other + (size_t)slot * p->width, p->width, own_gap, other_gap))
            wf_path_touch(p, slot);
}

static void merge_one_by_one(struct wf_path *p, const int64_t *other, uint32_t slots, int64_t own_gap, int64_t other_gap)
{
    least_of_all(p, other, slots, own_gap, other_gap, least_one_by_one);
}

#if defined(__x86_64__) && !defined(WF_PATH_ONE_BY_ONE)
/* Every slot has a multiple of four. By hand, because x86-64 as such has no comparison of 64-bit numbers in vectors, and compilers make the loop slower
 * than one by one without it. */
typedef int64_t four __attribute__((vector_size(32), aligned(8), may_alias));

__attribute__((target("avx2"))) static inline bool least_four_by_four(int64_t *own, const int64_t *other, size_t count, int64_t own_gap, int64_t other_gap)
{
    four changed = {0};
    for (size_t i = 0; i < count; i += 4) {
        four *to = (four *)(own + i), was = *to;
        four a = was + own_gap, b = *(const four *)(other + i) + other_gap, less = a < b, now = (a & less) | (b & ~less);
        changed |= now ^ was;
        *to = now;
    }
    return (changed[0] | changed[1] | changed[2] | changed[3]) != 0;
}

__attribute__((target("avx2"))) static void merge_four_by_four(struct wf_path *p, const int64_t *other, uint32_t slots, int64_t own_gap, int64_t other_gap)
{
    least_of_all(p, other, slots, own_gap, other_gap, least_four_by_four);
}

static void merge(struct wf_path *p, const int64_t *other, uint32_t slots, int64_t own_gap, int64_t other_gap)
{
    (__builtin_cpu_supports("avx2") ? merge_four_by_four : merge_one_by_one)(p, other, slots, own_gap, other_gap);
}
#else
#define merge merge_one_by_one
#endif

/* The same for slots that the other has never met: it would save nothing. */
static void merge_with_none(struct wf_path *p, uint32_t slots, int64_t own_gap, int64_t other_gap)
{
    static const int64_t nothing[WF_PATH_WIDTH_BOTH];
    for (uint32_t slot = slots; slot < p->used; slot++)
        if (least_one_by_one(wf_path_savings(p) + (size_t)slot * p->width, nothing, p->width, own_gap, other_gap))
            wf_path_touch(p, slot);
}

/* Pairs of numbers become others. */
static void take_pairs(int64_t *to, const int64_t *from, uint32_t count, uint32_t *stamps, uint32_t version)
{
    for (uint32_t i = 0; i < count; i++)
        if (to[2 * i] != from[2 * i] || to[2 * i + 1] != from[2 * i + 1]) {
            copy_pair(to + 2 * i, from + 2 * i);
            stamps[i] = version;
        }
}

/* The path goes on from there. */
static void take_over(struct wf_path *p, const struct wf_path_snapshot *s, uint32_t slots)
{
    static const int64_t nothing[2];
    const int64_t *from = s->values + (size_t)s->capacity * s->width;
    uint32_t places = s->places < p->places ? s->places : p->places, *stamps = wf_path_stamps(p), *place_stamps = stamps + p->capacity;
    take_pairs(wf_path_shares(p), from, slots, stamps, p->version);
    for (uint32_t slot = slots; slot < p->used; slot++)
        take_pairs(wf_path_shares(p) + 2 * slot, nothing, 1, stamps + slot, p->version);
    take_pairs(wf_path_places(p), from + 2 * (size_t)s->capacity, places, place_stamps, p->version);
    if (p->place != WF_PATH_NOWHERE && s->place != p->place) {
        wf_path_places(p)[2 * p->place + 1]++;
        place_stamps[p->place] = p->version;
    }
    p->length = p->placed = s->length;
}

bool wf_path_part(struct wf_path *p, const struct wf_path_snapshot *s, int64_t weight)
{
    if (!wf_path_is_on(p) || s->epoch != p->epoch || s->width != p->width)
        return false;
    uint32_t slots = s->slots < p->capacity ? s->slots : p->capacity;
    wf_path_use(p, slots);
    int64_t ahead = s->length + weight - p->length, own_gap = ahead > 0 ? WF_PATH_STEPS * ahead : 0, other_gap = ahead < 0 ? -WF_PATH_STEPS * ahead : 0;
    if (weight)
        save_active(p, -weight); /* what is active saves of the weight, too, on the other's way: min(own, other + x) = min(own - x, other) + x */
    merge(p, s->values, slots, own_gap, other_gap);
    merge_with_none(p, slots, own_gap, other_gap);
    if (weight)
        save_active(p, weight);
    if (ahead > 0) {
        take_over(p, s, slots);
        if (weight)
            share_active(p, weight);
        p->length += weight;
    }
    return true;
}

void wf_path_end(struct wf_path *p, int64_t take, int64_t end)
{
    if (wf_path_is_on(p) && take) {
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
