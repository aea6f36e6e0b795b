/* SPDX-License-Identifier: BSD-3-Clause */
#include "format/path.h"

#include <string.h>

#include "base/line.h"

void wf_path_init(struct wf_path *p, uint32_t capacity, uint32_t places, uint32_t place)
{
    memset(p, 0, wf_path_bytes(capacity, places));
    p->capacity = (uint16_t)capacity;
    p->below = (uint16_t)wf_path_below(capacity);
    p->above = (uint16_t)wf_path_above(capacity);
    p->used = p->all_used = WF_PATH_FIRST;
    p->places = (uint16_t)places;
    p->place = place < places ? (uint16_t)place : WF_PATH_NOWHERE;
    p->depth = 1; /* there is always an entry around all others */
    p->map = 1;
    for (uint32_t slot = WF_PATH_FIRST; slot < capacity; slot++)
        wf_path_regions(p)[slot] = slot - WF_PATH_FIRST + 1;
}

/* ---- regions without a slot ---- */

static struct wf_path_listed *path_list_find(struct wf_path *p, uint32_t region)
{
    uint8_t *hint = &p->hints[region % WF_PATH_HINTS];
    if (*hint < p->listed && p->list[*hint].region == region)
        return &p->list[*hint];
    for (uint32_t i = 0; i < p->listed; i++)
        if (p->list[i].region == region) {
            *hint = (uint8_t)i;
            return &p->list[i];
        }
    return NULL;
}

/* A free entry, or the one with the least weight, which the new one takes over. */
static struct wf_path_listed *path_list_add(struct wf_path *p, uint32_t region)
{
    struct wf_path_listed *e = &p->list[0];
    if (p->listed < WF_PATH_LISTED) {
        e = &p->list[p->listed++];
        e->weight = 0;
    } else {
        for (uint32_t i = 1; i < WF_PATH_LISTED; i++)
            e = p->list[i].weight < e->weight ? &p->list[i] : e;
    }
    e->region = region;
    e->share = 0;
    p->hints[region % WF_PATH_HINTS] = (uint8_t)(e - p->list);
    return e;
}

void wf_path_list(struct wf_path *p, uint32_t region, int64_t ticks)
{
    if (ticks == 0)
        return;
    struct wf_path_listed *e = path_list_find(p, region);
    if (!e && ticks < 0)
        return; /* it takes back what was of an entry that has been replaced */
    e = e ? e : path_list_add(p, region);
    e->share += ticks;
    e->weight += ticks;
    e->stamp = p->version;
}

/* ---- what is active ---- */

static inline void path_count_place(struct wf_path *p)
{
    if (p->place != WF_PATH_NOWHERE && p->length != p->placed) {
        wf_path_places(p)[2 * p->place] += p->length - p->placed;
        wf_path_place_stamps(p)[p->place] = p->version;
    }
    p->placed = p->length;
}

static void path_list_around(struct wf_path *p)
{
    if (p->around)
        wf_path_list(p, p->around, p->stack[0].own + p->around_due);
    p->around_due = 0;
}

/* Counts everything up to now. */
static inline void path_flush(struct wf_path *p, int64_t now)
{
    wf_path_advance(p, now);
    if (__builtin_expect(p->stack[0].slot == WF_PATH_OTHER, 0))
        path_list_around(p);
    for (uint32_t i = 0; i < p->depth; i++) {
        struct wf_path_entry *e = &p->stack[i];
        if (e->own)
            wf_path_charge(p, wf_path_row(e->slot, WF_PATH_OWN), e->own);
        if (e->first && wf_path_is_on(p))
            wf_path_charge(p, wf_path_row(e->slot, WF_PATH_ALL), now - e->since);
        e->since = now;
        e->own = 0;
    }
    path_count_place(p);
}

static inline void path_count_from(struct wf_path *p, int64_t now)
{
    p->since = now;
    for (uint32_t i = 0; i < p->depth; i++) {
        p->stack[i].since = now;
        p->stack[i].own = 0;
    }
}

static inline void path_give(struct wf_path *p, int32_t row, int64_t share, int64_t save)
{
    wf_path_shares(p)[row] += share;
    wf_path_save(wf_path_savings(p) + (ptrdiff_t)row * WF_PATH_STEPS, save);
    wf_path_touch(p, row);
}

/* Gives transfer on the longest path to the active slots: the statement, all transfers, and the regions around the
 * call. The stretch around all regions has ended where the call began. */
static inline void path_give_active(struct wf_path *p, int64_t share, int64_t save)
{
    path_give(p, wf_path_row(p->statement, WF_PATH_OWN), share, save);
    path_give(p, wf_path_row(WF_PATH_TRANSFER, WF_PATH_ALL), share, save);
    for (uint32_t i = 1; i < p->depth; i++)
        if (p->stack[i].first)
            path_give(p, wf_path_row(p->stack[i].slot, WF_PATH_ALL), share, save);
}

/* ---- epochs ---- */

void wf_path_start(struct wf_path *p, uint32_t epoch, int64_t now)
{
    memset(p->values, 0, wf_path_value_bytes(p->below + p->above, p->places));
    p->epoch = p->values_epoch = epoch;
    p->all_since = ++p->version;
    p->length = p->placed = p->share_due = p->save_due = 0;
    p->used = p->all_used = WF_PATH_FIRST;
    p->listed = 0;
    p->around_due = 0;
    wf_path_use(p, p->statement + 1u);
    for (uint32_t i = 0; i < p->depth; i++) {
        wf_path_use(p, p->stack[i].slot + 1u);
        if (p->stack[i].first)
            wf_path_use_all(p, p->stack[i].slot + 1u);
    }
    path_count_from(p, now);
}

void wf_path_stop(struct wf_path *p, uint32_t epoch, int64_t now)
{
    if (!p->inside) /* in a call it is counted up to the call's begin, and may have waited since */
        path_flush(p, now);
    p->epoch = epoch;
}

/* ---- the map ---- */

static void path_add_rest(struct wf_path *p, uint32_t region, int64_t share)
{
    int32_t row = wf_path_row(region & WF_PATH_STATEMENT ? WF_PATH_TRANSFER : WF_PATH_OTHER, WF_PATH_OWN);
    wf_path_shares(p)[row] += share;
    wf_path_touch(p, row);
}

static void path_reset(struct wf_path *p, int32_t row)
{
    wf_path_shares(p)[row] = 0;
    memset(wf_path_savings(p) + (ptrdiff_t)row * WF_PATH_STEPS, 0, WF_PATH_STEPS * sizeof(int64_t));
    wf_path_touch(p, row);
}

void wf_path_reassign(struct wf_path *p, uint32_t slot, uint32_t from, uint32_t to)
{
    p->map++;
    if (slot < WF_PATH_FIRST || slot >= p->capacity)
        return;
    wf_path_use(p, slot + 1);
    int32_t own = wf_path_row(slot, WF_PATH_OWN);
    path_add_rest(p, from, wf_path_shares(p)[own]);
    if (from)
        wf_path_list(p, from, wf_path_shares(p)[own]);
    path_reset(p, own);
    if (slot < p->all_used)
        path_reset(p, wf_path_row(slot, WF_PATH_ALL));
    wf_path_regions(p)[slot] = to & ~WF_PATH_STATEMENT;
}

void wf_path_load(struct wf_path *p, struct wf_path_snapshot *s)
{
    wf_path_init(p, p->capacity, p->places, WF_PATH_NOWHERE);
    p->epoch = p->values_epoch = s->epoch;
    p->map = s->map;
    p->length = p->placed = s->length;
    p->used = s->slots > p->used ? s->slots : p->used;
    p->all_used = s->all_slots > p->all_used ? s->all_slots : p->all_used;
    p->listed = s->listed;
    ptrdiff_t first = -(ptrdiff_t)s->all_slots;
    size_t rows = (size_t)s->all_slots + s->slots;
    memcpy(wf_path_savings(p) + first * WF_PATH_STEPS, wf_path_snapshot_savings(s) + first * WF_PATH_STEPS,
           rows * WF_PATH_STEPS * sizeof(int64_t));
    memcpy(wf_path_shares(p) + first, wf_path_snapshot_shares(s) + first, rows * sizeof(int64_t));
    memcpy(wf_path_places(p), wf_path_snapshot_places(s), 2 * (size_t)s->places * sizeof(int64_t));
    memcpy(p->list, wf_path_snapshot_list(s), s->listed * sizeof *p->list);
}

/* ---- regions ---- */

void wf_path_stretch(struct wf_path *p, uint32_t slot, int64_t now)
{
    slot = wf_path_slot(p, slot);
    if (p->stack[0].slot == slot)
        return;
    if (now != p->since || p->stack[0].own)
        path_flush(p, now);
    p->stack[0].slot = (uint16_t)slot;
    wf_path_use(p, slot + 1);
}

void wf_path_skip(struct wf_path *p, int64_t now)
{
    if (!p->inside)
        path_flush(p, p->since); /* counts the time before the pause */
    path_count_from(p, now);
}

void wf_path_leave_all(struct wf_path *p, int64_t now)
{
    path_flush(p, now);
    p->beyond = 0;
    while (p->depth > 1)
        wf_path_pop(p);
}

/* ---- calls ---- */

void wf_path_begin(struct wf_path *p, uint32_t statement, int64_t begin)
{
    path_flush(p, begin);
    statement = wf_path_slot(p, statement);
    p->inside = 1;
    p->statement = (uint16_t)(statement < WF_PATH_FIRST ? WF_PATH_TRANSFER : statement);
    wf_path_use(p, statement + 1);
}

/* Access to memory that other processes may read or write at the same time. */
#define SET(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define GET(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static inline void path_head_write(const struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, bool filled)
{
    s->epoch = epoch;
    s->map = p->map;
    s->slots = filled ? p->used : 0;
    s->all_slots = filled ? p->all_used : 0;
    s->place = p->place;
    s->length = p->length;
}

static void path_head_set(struct wf_path_snapshot *to, const struct wf_path_snapshot *from)
{
    SET(to->epoch, from->epoch);
    SET(to->map, from->map);
    SET(to->listed, from->listed);
    SET(to->slots, from->slots);
    SET(to->all_slots, from->all_slots);
    SET(to->below, from->below);
    SET(to->above, from->above);
    SET(to->places, from->places);
    SET(to->place, from->place);
    SET(to->bytes, from->bytes);
    SET(to->length, from->length);
}

static size_t path_copy_state(struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, bool filled)
{
    path_head_write(p, s, epoch, filled);
    s->version = 0;
    wf_path_snapshot_shape(s, s->all_slots, s->slots, filled ? p->places : 0, filled ? p->listed : 0);
    size_t rows = (size_t)s->below + s->above;
    memcpy(s->values, wf_path_savings(p) - (size_t)s->below * WF_PATH_STEPS, sizeof(int64_t) * WF_PATH_STEPS * rows);
    memcpy(wf_path_snapshot_shares(s) - s->below, wf_path_shares(p) - s->below, sizeof(int64_t) * rows);
    memcpy(wf_path_snapshot_places(s), wf_path_places(p), sizeof(int64_t) * 2 * s->places);
    memcpy(wf_path_snapshot_list(s), p->list, sizeof *p->list * s->listed);
    return s->bytes;
}

size_t wf_path_snapshot(struct wf_path *p, struct wf_path_snapshot *s)
{
    return path_copy_state(p, s, p->epoch, wf_path_is_on(p));
}

static inline void path_pair_copy(int64_t *to, const int64_t *from)
{
    to[0] = from[0];
    to[1] = from[1];
}

static inline void path_pair_set(int64_t *to, const int64_t *from)
{
    SET(to[0], from[0]);
    SET(to[1], from[1]);
}

static void path_list_set(struct wf_path_listed *to, const struct wf_path_listed *from)
{
    SET(to->share, from->share);
    SET(to->weight, from->weight);
    SET(to->region, from->region);
}

static void path_copy_list(struct wf_path *p, struct wf_path_snapshot *s, uint32_t since)
{
    struct wf_path_listed *to =
        (struct wf_path_listed *)(s->values + (wf_path_places(p) + 2 * (size_t)p->places - p->values));
    for (uint32_t i = 0; i < p->listed; i++)
        if (p->list[i].stamp >= since)
            path_list_set(&to[i], &p->list[i]);
}

/* Copies the values whose stamp is the snapshot's version or a later one: they may have changed since. */
static inline __attribute__((always_inline)) void path_copy_changed(struct wf_path *p, struct wf_path_snapshot *s,
                                                                    uint32_t since, bool watched)
{
    const uint32_t *stamps = wf_path_stamps(p), *place_stamps = wf_path_place_stamps(p);
    const wf_path_two *saved = (const wf_path_two *)wf_path_savings(p);
    wf_path_two *to = (wf_path_two *)(s->values + (wf_path_savings(p) - p->values));
    const int64_t *shares = wf_path_shares(p), *places = wf_path_places(p);
    int64_t *to_shares = s->values + (shares - p->values), *to_places = s->values + (places - p->values);
    for (ptrdiff_t row = -(ptrdiff_t)p->all_used; row < p->used; row++)
        if (stamps[row] >= since) {
            if (watched) {
                path_pair_set((int64_t *)(to + 2 * row), (const int64_t *)(saved + 2 * row));
                path_pair_set((int64_t *)(to + 2 * row + 1), (const int64_t *)(saved + 2 * row + 1));
            } else {
                to[2 * row] = saved[2 * row];
                to[2 * row + 1] = saved[2 * row + 1];
            }
            SET(to_shares[row], shares[row]);
        }
    for (uint32_t place = 0; place < p->places; place++)
        if (place_stamps[place] >= since)
            (watched ? path_pair_set : path_pair_copy)(to_places + 2 * place, places + 2 * place);
    if (__builtin_expect(p->listed != 0, 0))
        path_copy_list(p, s, since);
}

/* Calls `act` for the lines of the values that are met, in a snapshot of this shape; for savings only where they have
 * changed since. */
static inline __attribute__((always_inline)) void path_with_lines(struct wf_path *p, const struct wf_path_snapshot *s,
                                                                  uint32_t since, void (*act)(const void *line))
{
    enum { ROWS = 2, SHARES = 8, PLACES = 4 }; /* in a line */
    const uint32_t *stamps = wf_path_stamps(p);
    const int64_t *saved = s->values + (wf_path_savings(p) - p->values),
                  *shares = s->values + (wf_path_shares(p) - p->values),
                  *places = s->values + (wf_path_places(p) - p->values);
    for (ptrdiff_t row = -(ptrdiff_t)(p->all_used + 1) / ROWS * ROWS; row < p->used; row += ROWS)
        if (stamps[row] >= since || stamps[row + 1] >= since)
            act(saved + (ptrdiff_t)row * WF_PATH_STEPS);
    for (ptrdiff_t row = -(ptrdiff_t)wf_path_below(p->all_used); row < p->used; row += SHARES)
        act(shares + row);
    for (uint32_t place = 0; place < p->places; place += PLACES)
        act(places + 2 * place);
}

static void path_prefetch(const void *line)
{
    __builtin_prefetch(line);
}

void wf_path_fetch(struct wf_path *p, const struct wf_path_snapshot *s)
{
    path_prefetch(s);
    path_with_lines(p, s, 0, path_prefetch);
}

void wf_path_expect(struct wf_path *p, const struct wf_path_snapshot *s)
{
    wf_line_expect_write(s);
    path_with_lines(p, s, p->version - 1, wf_line_expect_write);
}

static inline __attribute__((always_inline)) void path_update(struct wf_path *p, struct wf_path_snapshot *s,
                                                              bool watched)
{
    bool on = wf_path_is_on(p);
    uint32_t since = s->version > p->all_since && s->epoch == p->epoch ? s->version : 0;
    if (on) {
        path_copy_changed(p, s, since, watched);
        path_with_lines(p, s, since, wf_line_hand_over);
    }
    /* The head is written last: readers may be waiting for it. The two calls below fill all that path_head_set reads.
     */
    /* cppcheck-suppress uninitvar */
    struct wf_path_snapshot head, *to = watched ? &head : s;
    wf_path_snapshot_shape(to, p->below, p->above, on ? p->places : 0, on ? p->listed : 0);
    path_head_write(p, to, p->epoch, on);
    if (watched)
        path_head_set(s, &head);
    s->version = ++p->version; /* no other process reads it */
}

void wf_path_update(struct wf_path *p, struct wf_path_snapshot *s)
{
    path_update(p, s, false);
}

void wf_path_update_watched(struct wf_path *p, struct wf_path_snapshot *s)
{
    path_update(p, s, true);
}

static inline void path_get_values(int64_t *to, const int64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = GET(from[i]);
}

bool wf_path_copy(struct wf_path *p, const struct wf_path_snapshot *from, struct wf_path_snapshot *to)
{
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)(uintptr_t)from; /* only read */
    to->epoch = GET(s->epoch);
    to->map = GET(s->map);
    to->slots = GET(s->slots);
    to->all_slots = GET(s->all_slots);
    to->place = GET(s->place);
    to->version = 0;
    to->length = GET(s->length);
    wf_path_snapshot_shape(to, GET(s->below), GET(s->above), GET(s->places), GET(s->listed));
    if (!wf_path_fits(p, to))
        return false;
    ptrdiff_t first = to->below - to->all_slots; /* rows that have been met lie together */
    size_t rows = (size_t)to->all_slots + to->slots;
    int64_t *shares = wf_path_snapshot_shares(to) - to->all_slots, *places = wf_path_snapshot_places(to);
    path_get_values(to->values + first * WF_PATH_STEPS, s->values + first * WF_PATH_STEPS, rows * WF_PATH_STEPS);
    path_get_values(shares, s->values + (shares - to->values), rows);
    path_get_values(places, s->values + (places - to->values), 2 * (size_t)to->places);
    struct wf_path_listed *list = wf_path_snapshot_list(to),
                          *other = (struct wf_path_listed *)(s->values + ((int64_t *)list - to->values));
    for (uint32_t i = 0; i < to->listed; i++)
        list[i] = (struct wf_path_listed){GET(other[i].share), GET(other[i].weight), GET(other[i].region), 0};
    return true;
}

/* The longer of two what-if paths is the one that saves less, measured from the same end. */
static inline void path_merge_row(struct wf_path *p, int32_t row, const int64_t *other, int64_t own_gap,
                                  int64_t other_gap)
{
    int64_t *own = wf_path_savings(p) + (ptrdiff_t)row * WF_PATH_STEPS;
    bool changed = false;
    for (int i = 0; i < WF_PATH_STEPS; i++) {
        int64_t a = own[i] + own_gap, b = other[i] + other_gap, least = a < b ? a : b;
        changed = changed || least != own[i];
        own[i] = least;
    }
    if (changed)
        wf_path_touch(p, row);
}

/* Rows that both have met. */
static void path_merge_one_by_one(struct wf_path *p, const int64_t *other, int32_t from, int32_t to, int64_t own_gap,
                                  int64_t other_gap)
{
    for (int32_t row = from; row < to; row++)
        path_merge_row(p, row, other + (ptrdiff_t)row * WF_PATH_STEPS, own_gap, other_gap);
}

#if defined(__x86_64__) && !defined(WF_PATH_ONE_BY_ONE)
/* With explicit vectors, because plain x86-64 has no vector comparison of 64-bit numbers, and without it compilers make
 * a loop slower than one by one. Two at a time and not four, to avoid a store-forwarding stall. */
__attribute__((target("sse4.2"))) static void path_merge_two_by_two(struct wf_path *p, const int64_t *other_rows,
                                                                    int32_t from, int32_t to, int64_t own_gap,
                                                                    int64_t other_gap)
{
    wf_path_two *own = (wf_path_two *)wf_path_savings(p), a_gap = {own_gap, own_gap}, b_gap = {other_gap, other_gap};
    const wf_path_two *other = (const wf_path_two *)other_rows;
    uint32_t *stamps = wf_path_stamps(p), version = p->version;
    for (ptrdiff_t row = from; row < to; row++) {
        wf_path_two was0 = own[2 * row], was1 = own[2 * row + 1];
        wf_path_two a0 = was0 + a_gap, a1 = was1 + a_gap, b0 = other[2 * row] + b_gap, b1 = other[2 * row + 1] + b_gap;
        wf_path_two less0 = a0 < b0, less1 = a1 < b1;
        a0 = (a0 & less0) | (b0 & ~less0);
        a1 = (a1 & less1) | (b1 & ~less1);
        wf_path_two changed = (a0 ^ was0) | (a1 ^ was1);
        if (changed[0] | changed[1]) {
            own[2 * row] = a0;
            own[2 * row + 1] = a1;
            stamps[row] = version;
        }
    }
}

static void path_merge_rows(struct wf_path *p, const int64_t *other, int32_t from, int32_t to, int64_t own_gap,
                            int64_t other_gap)
{
    (__builtin_cpu_supports("sse4.2") ? path_merge_two_by_two : path_merge_one_by_one)(p, other, from, to, own_gap,
                                                                                       other_gap);
}
#else
#define path_merge_rows path_merge_one_by_one
#endif

/* The same for rows that the other has never met: it saves nothing there. */
static void path_merge_with_none(struct wf_path *p, int32_t from, int32_t to, int64_t own_gap, int64_t other_gap)
{
    static const int64_t nothing[WF_PATH_STEPS];
    for (int32_t row = from; row < to; row++)
        path_merge_row(p, row, nothing, own_gap, other_gap);
}

static inline void path_take_share(struct wf_path *p, int32_t row, int64_t share)
{
    if (wf_path_shares(p)[row] == share)
        return;
    wf_path_shares(p)[row] = share;
    wf_path_touch(p, row);
}

static void path_take_list(struct wf_path *p, const struct wf_path_listed *other, uint32_t count)
{
    uint32_t was = p->listed;
    p->listed = (uint16_t)(count < WF_PATH_LISTED ? count : WF_PATH_LISTED);
    for (uint32_t i = 0; i < p->listed; i++) {
        struct wf_path_listed *e = &p->list[i];
        if (i < was && e->share == other[i].share && e->weight == other[i].weight && e->region == other[i].region)
            continue;
        path_list_set(e, &other[i]);
        e->stamp = p->version;
    }
}

/* The path goes on from the snapshot; rows from..to are those that it has met. */
static void path_take_over(struct wf_path *p, struct wf_path_snapshot *s, int32_t from, int32_t to)
{
    const int64_t *shares = wf_path_snapshot_shares(s), *other_places = wf_path_snapshot_places(s);
    int64_t *places = wf_path_places(p);
    uint32_t *place_stamps = wf_path_place_stamps(p), count = s->places < p->places ? s->places : p->places;
    for (int32_t row = -(int32_t)p->all_used; row < from; row++)
        path_take_share(p, row, 0);
    for (int32_t row = from; row < to; row++)
        path_take_share(p, row, shares[row]);
    for (int32_t row = to; row < p->used; row++)
        path_take_share(p, row, 0);
    for (uint32_t i = 0; i < count; i++)
        if (places[2 * i] != other_places[2 * i] || places[2 * i + 1] != other_places[2 * i + 1]) {
            path_pair_copy(places + 2 * i, other_places + 2 * i);
            place_stamps[i] = p->version;
        }
    if (p->place != WF_PATH_NOWHERE && s->place != p->place) {
        places[2 * p->place + 1]++;
        place_stamps[p->place] = p->version;
    }
    if (__builtin_expect((s->listed | p->listed) != 0, 0))
        path_take_list(p, wf_path_snapshot_list(s), s->listed);
    p->length = p->placed = s->length;
}

bool wf_path_part(struct wf_path *p, const struct wf_path_snapshot *snapshot, int64_t weight)
{
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)(uintptr_t)snapshot; /* only read, by functions that also
                                                                                    find places to write */
    if (!wf_path_is_on(p) || wf_path_stage(&s->epoch) != wf_path_stage(&p->epoch))
        return false;
    uint32_t slots = s->slots < p->capacity ? s->slots : p->capacity,
             all_slots = s->all_slots < p->capacity ? s->all_slots : p->capacity;
    int32_t from = -(int32_t)all_slots, to = (int32_t)slots;
    wf_path_use(p, slots);
    wf_path_use_all(p, all_slots);
    int64_t ahead = s->length + weight - p->length, own_gap = ahead > 0 ? WF_PATH_STEPS * ahead : 0,
            other_gap = ahead < 0 ? -WF_PATH_STEPS * ahead : 0;
    if (p->save_due != weight) /* active slots save of the weight on the other's path, too: min(own, other + x) =
                                  min(own - x, other) + x */
        path_give_active(p, 0, p->save_due - weight);
    p->save_due = weight;
    path_merge_rows(p, wf_path_snapshot_savings(s), from, to, own_gap, other_gap);
    path_merge_with_none(p, -(int32_t)p->all_used, from, own_gap, other_gap);
    path_merge_with_none(p, to, p->used, own_gap, other_gap);
    if (ahead > 0) {
        path_take_over(p, s, from, to);
        p->share_due = weight;
        p->length += weight;
    }
    return true;
}

void wf_path_end(struct wf_path *p, int64_t take, int64_t end)
{
    if (wf_path_is_on(p) && (take || p->share_due || p->save_due)) {
        p->length += take;
        path_give_active(p, p->share_due + take, p->save_due + take);
        if (__builtin_expect(p->statement == WF_PATH_TRANSFER, 0) && p->calling)
            wf_path_list(p, p->calling, p->share_due + take);
        p->share_due = p->save_due = 0;
    }
    path_count_from(p, end);
    p->inside = 0;
}

size_t wf_path_sample(struct wf_path *p, int64_t now, struct wf_path_snapshot *s)
{
    if (!p->inside)
        path_flush(p, now);
    return path_copy_state(p, s, p->values_epoch, true);
}
