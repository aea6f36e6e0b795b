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
    p->depth = 1; /* there is always one around all others */
}

/* ---- what is active ---- */

static inline void count_place(struct wf_path *p)
{
    if (p->place != WF_PATH_NOWHERE && p->length != p->placed) {
        wf_path_places(p)[2 * p->place] += p->length - p->placed;
        wf_path_place_stamps(p)[p->place] = p->version;
    }
    p->placed = p->length;
}

/* Counts everything up to now. */
static inline void flush(struct wf_path *p, int64_t now)
{
    wf_path_advance(p, now);
    for (uint32_t i = 0; i < p->depth; i++) {
        struct wf_path_entry *e = &p->stack[i];
        if (e->own)
            wf_path_charge(p, wf_path_row(e->slot, WF_PATH_OWN), e->own);
        if (e->first && wf_path_is_on(p))
            wf_path_charge(p, wf_path_row(e->slot, WF_PATH_ALL), now - e->since);
        e->since = now;
        e->own = 0;
    }
    count_place(p);
}

static inline void count_from(struct wf_path *p, int64_t now)
{
    p->since = now;
    for (uint32_t i = 0; i < p->depth; i++) {
        p->stack[i].since = now;
        p->stack[i].own = 0;
    }
}

static inline void give(struct wf_path *p, int32_t row, int64_t share, int64_t save)
{
    wf_path_shares(p)[row] += share;
    wf_path_save(wf_path_savings(p) + (ptrdiff_t)row * WF_PATH_STEPS, save);
    wf_path_touch(p, row);
}

/* Transfer on the longest path, and what of it would be shorter if what is active were faster: the statement, all transfers, and the regions that the
 * call is in. The stretch that is around all regions has ended where the call began. */
static inline void give_active(struct wf_path *p, int64_t share, int64_t save)
{
    give(p, wf_path_row(p->statement, WF_PATH_OWN), share, save);
    give(p, wf_path_row(WF_PATH_TRANSFER, WF_PATH_ALL), share, save);
    for (uint32_t i = 1; i < p->depth; i++)
        if (p->stack[i].first)
            give(p, wf_path_row(p->stack[i].slot, WF_PATH_ALL), share, save);
}

/* ---- epochs ---- */

void wf_path_start(struct wf_path *p, uint32_t epoch, int64_t now)
{
    memset(p->values, 0, wf_path_value_bytes(p->below + p->above, p->places));
    p->epoch = p->values_epoch = epoch;
    p->all_since = ++p->version;
    p->length = p->placed = p->share_due = p->save_due = 0;
    p->used = p->all_used = WF_PATH_FIRST;
    wf_path_use(p, p->statement + 1u);
    for (uint32_t i = 0; i < p->depth; i++) {
        wf_path_use(p, p->stack[i].slot + 1u);
        if (p->stack[i].first)
            wf_path_use_all(p, p->stack[i].slot + 1u);
    }
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
    flush(p, begin);
    statement = wf_path_slot(p, statement);
    p->inside = 1;
    p->statement = (uint16_t)(statement < WF_PATH_FIRST ? WF_PATH_TRANSFER : statement);
    wf_path_use(p, statement + 1);
}

/* Where others may be reading, or writing. */
#define SET(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define GET(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static inline void write_head(const struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, bool filled)
{
    s->epoch = epoch;
    s->slots = filled ? p->used : 0;
    s->all_slots = filled ? p->all_used : 0;
    s->place = p->place;
    s->length = p->length;
}

static void set_head(struct wf_path_snapshot *to, const struct wf_path_snapshot *from)
{
    SET(to->epoch, from->epoch);
    SET(to->slots, from->slots);
    SET(to->all_slots, from->all_slots);
    SET(to->below, from->below);
    SET(to->above, from->above);
    SET(to->places, from->places);
    SET(to->place, from->place);
    SET(to->bytes, from->bytes);
    SET(to->length, from->length);
}

static size_t copy(struct wf_path *p, struct wf_path_snapshot *s, uint32_t epoch, bool filled)
{
    write_head(p, s, epoch, filled);
    s->version = 0;
    wf_path_snapshot_shape(s, s->all_slots, s->slots, filled ? p->places : 0);
    size_t rows = (size_t)s->below + s->above;
    memcpy(s->values, wf_path_savings(p) - (size_t)s->below * WF_PATH_STEPS, sizeof(int64_t) * WF_PATH_STEPS * rows);
    memcpy(wf_path_snapshot_shares(s) - s->below, wf_path_shares(p) - s->below, sizeof(int64_t) * rows);
    memcpy(wf_path_snapshot_places(s), wf_path_places(p), sizeof(int64_t) * 2 * s->places);
    return s->bytes;
}

size_t wf_path_snapshot(struct wf_path *p, struct wf_path_snapshot *s)
{
    return copy(p, s, p->epoch, wf_path_is_on(p));
}

static inline void copy_pair(int64_t *to, const int64_t *from)
{
    to[0] = from[0];
    to[1] = from[1];
}

static inline void set_pair(int64_t *to, const int64_t *from)
{
    SET(to[0], from[0]);
    SET(to[1], from[1]);
}

/* What has a stamp of the version that the snapshot was of, or a later one, may have changed behind it. */
static inline __attribute__((always_inline)) void copy_changed(struct wf_path *p, struct wf_path_snapshot *s, uint32_t since, bool watched)
{
    const uint32_t *stamps = wf_path_stamps(p), *place_stamps = wf_path_place_stamps(p);
    const wf_path_two *saved = (const wf_path_two *)wf_path_savings(p);
    wf_path_two *to = (wf_path_two *)(s->values + (wf_path_savings(p) - p->values));
    const int64_t *shares = wf_path_shares(p), *places = wf_path_places(p);
    int64_t *to_shares = s->values + (shares - p->values), *to_places = s->values + (places - p->values);
    for (ptrdiff_t row = -(ptrdiff_t)p->all_used; row < p->used; row++)
        if (stamps[row] >= since) {
            if (watched) {
                set_pair((int64_t *)(to + 2 * row), (const int64_t *)(saved + 2 * row));
                set_pair((int64_t *)(to + 2 * row + 1), (const int64_t *)(saved + 2 * row + 1));
            } else {
                to[2 * row] = saved[2 * row];
                to[2 * row + 1] = saved[2 * row + 1];
            }
            SET(to_shares[row], shares[row]);
        }
    for (uint32_t place = 0; place < p->places; place++)
        if (place_stamps[place] >= since)
            (watched ? set_pair : copy_pair)(to_places + 2 * place, places + 2 * place);
}

/* The lines of the values in a snapshot of this shape, as many as are met; savings only where something has changed since. */
static inline __attribute__((always_inline)) void
with_lines(struct wf_path *p, const struct wf_path_snapshot *s, uint32_t since, void (*act)(const void *line))
{
    enum { ROWS = 2, SHARES = 8, PLACES = 4 }; /* in a line */
    const uint32_t *stamps = wf_path_stamps(p);
    const int64_t *saved = s->values + (wf_path_savings(p) - p->values), *shares = s->values + (wf_path_shares(p) - p->values),
                  *places = s->values + (wf_path_places(p) - p->values);
    for (ptrdiff_t row = -(ptrdiff_t)(p->all_used + 1) / ROWS * ROWS; row < p->used; row += ROWS)
        if (stamps[row] >= since || stamps[row + 1] >= since)
            act(saved + (ptrdiff_t)row * WF_PATH_STEPS);
    for (ptrdiff_t row = -(ptrdiff_t)wf_path_below(p->all_used); row < p->used; row += SHARES)
        act(shares + row);
    for (uint32_t place = 0; place < p->places; place += PLACES)
        act(places + 2 * place);
}

static void prefetch(const void *line)
{
    __builtin_prefetch(line);
}

void wf_path_fetch(struct wf_path *p, const struct wf_path_snapshot *s)
{
    prefetch(s);
    with_lines(p, s, 0, prefetch);
}

void wf_path_expect(struct wf_path *p, const struct wf_path_snapshot *s)
{
    wf_line_expect_write(s);
    with_lines(p, s, p->version - 1, wf_line_expect_write);
}

static inline __attribute__((always_inline)) void update(struct wf_path *p, struct wf_path_snapshot *s, bool watched)
{
    bool on = wf_path_is_on(p);
    uint32_t since = s->version > p->all_since && s->epoch == p->epoch ? s->version : 0;
    if (on) {
        copy_changed(p, s, since, watched);
        with_lines(p, s, since, wf_line_hand_over);
    }
    struct wf_path_snapshot head, *to = watched ? &head : s; /* last: others may be looking whether it is there already */
    wf_path_snapshot_shape(to, p->below, p->above, on ? p->places : 0);
    write_head(p, to, p->epoch, on);
    if (watched)
        set_head(s, &head);
    s->version = ++p->version; /* nobody else looks at it */
}

void wf_path_update(struct wf_path *p, struct wf_path_snapshot *s)
{
    update(p, s, false);
}

void wf_path_update_watched(struct wf_path *p, struct wf_path_snapshot *s)
{
    update(p, s, true);
}

static inline void get_values(int64_t *to, const int64_t *from, size_t count)
{
    for (size_t i = 0; i < count; i++)
        to[i] = GET(from[i]);
}

bool wf_path_copy(struct wf_path *p, const struct wf_path_snapshot *from, struct wf_path_snapshot *to)
{
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)(uintptr_t)from; /* only read */
    to->epoch = GET(s->epoch);
    to->slots = GET(s->slots);
    to->all_slots = GET(s->all_slots);
    to->place = GET(s->place);
    to->version = 0;
    to->length = GET(s->length);
    wf_path_snapshot_shape(to, GET(s->below), GET(s->above), GET(s->places));
    if (!wf_path_fits(p, to))
        return false;
    ptrdiff_t first = to->below - to->all_slots; /* rows that have been met lie together */
    size_t rows = (size_t)to->all_slots + to->slots;
    int64_t *shares = wf_path_snapshot_shares(to) - to->all_slots, *places = wf_path_snapshot_places(to);
    get_values(to->values + first * WF_PATH_STEPS, s->values + first * WF_PATH_STEPS, rows * WF_PATH_STEPS);
    get_values(shares, s->values + (shares - to->values), rows);
    get_values(places, s->values + (places - to->values), 2 * (size_t)to->places);
    return true;
}

/* The longest of the two what-if paths is the one that saves least, measured from the same end. */
static inline void merge_row(struct wf_path *p, int32_t row, const int64_t *other, int64_t own_gap, int64_t other_gap)
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
static void merge_one_by_one(struct wf_path *p, const int64_t *other, int32_t from, int32_t to, int64_t own_gap, int64_t other_gap)
{
    for (int32_t row = from; row < to; row++)
        merge_row(p, row, other + (ptrdiff_t)row * WF_PATH_STEPS, own_gap, other_gap);
}

#if defined(__x86_64__) && !defined(WF_PATH_ONE_BY_ONE)
/* By hand, because x86-64 as such has no comparison of 64-bit numbers in vectors, and compilers make the loop slower than one by one without it. Not
 * four at once: what two stores have written cannot be loaded before both are done. */
__attribute__((target("sse4.2"))) static void
merge_two_by_two(struct wf_path *p, const int64_t *other_rows, int32_t from, int32_t to, int64_t own_gap, int64_t other_gap)
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

static void merge(struct wf_path *p, const int64_t *other, int32_t from, int32_t to, int64_t own_gap, int64_t other_gap)
{
    (__builtin_cpu_supports("sse4.2") ? merge_two_by_two : merge_one_by_one)(p, other, from, to, own_gap, other_gap);
}
#else
#define merge merge_one_by_one
#endif

/* The same for rows that the other has never met: it would save nothing. */
static void merge_with_none(struct wf_path *p, int32_t from, int32_t to, int64_t own_gap, int64_t other_gap)
{
    static const int64_t nothing[WF_PATH_STEPS];
    for (int32_t row = from; row < to; row++)
        merge_row(p, row, nothing, own_gap, other_gap);
}

static inline void take_share(struct wf_path *p, int32_t row, int64_t share)
{
    if (wf_path_shares(p)[row] == share)
        return;
    wf_path_shares(p)[row] = share;
    wf_path_touch(p, row);
}

/* The path goes on from there; rows from..to are those that the other has met. */
static void take_over(struct wf_path *p, struct wf_path_snapshot *s, int32_t from, int32_t to)
{
    const int64_t *shares = wf_path_snapshot_shares(s), *other_places = wf_path_snapshot_places(s);
    int64_t *places = wf_path_places(p);
    uint32_t *place_stamps = wf_path_place_stamps(p), count = s->places < p->places ? s->places : p->places;
    for (int32_t row = -(int32_t)p->all_used; row < from; row++)
        take_share(p, row, 0);
    for (int32_t row = from; row < to; row++)
        take_share(p, row, shares[row]);
    for (int32_t row = to; row < p->used; row++)
        take_share(p, row, 0);
    for (uint32_t i = 0; i < count; i++)
        if (places[2 * i] != other_places[2 * i] || places[2 * i + 1] != other_places[2 * i + 1]) {
            copy_pair(places + 2 * i, other_places + 2 * i);
            place_stamps[i] = p->version;
        }
    if (p->place != WF_PATH_NOWHERE && s->place != p->place) {
        places[2 * p->place + 1]++;
        place_stamps[p->place] = p->version;
    }
    p->length = p->placed = s->length;
}

bool wf_path_part(struct wf_path *p, const struct wf_path_snapshot *snapshot, int64_t weight)
{
    struct wf_path_snapshot *s = (struct wf_path_snapshot *)(uintptr_t)snapshot; /* only read, by functions that find where to write as well */
    if (!wf_path_is_on(p) || s->epoch != p->epoch)
        return false;
    uint32_t slots = s->slots < p->capacity ? s->slots : p->capacity, all_slots = s->all_slots < p->capacity ? s->all_slots : p->capacity;
    int32_t from = -(int32_t)all_slots, to = (int32_t)slots;
    wf_path_use(p, slots);
    wf_path_use_all(p, all_slots);
    int64_t ahead = s->length + weight - p->length, own_gap = ahead > 0 ? WF_PATH_STEPS * ahead : 0, other_gap = ahead < 0 ? -WF_PATH_STEPS * ahead : 0;
    if (p->save_due != weight) /* what is active saves of the weight, too, on the other's way: min(own, other + x) = min(own - x, other) + x */
        give_active(p, 0, p->save_due - weight);
    p->save_due = weight;
    merge(p, wf_path_snapshot_savings(s), from, to, own_gap, other_gap);
    merge_with_none(p, -(int32_t)p->all_used, from, own_gap, other_gap);
    merge_with_none(p, to, p->used, own_gap, other_gap);
    if (ahead > 0) {
        take_over(p, s, from, to);
        p->share_due = weight;
        p->length += weight;
    }
    return true;
}

void wf_path_end(struct wf_path *p, int64_t take, int64_t end)
{
    if (wf_path_is_on(p) && (take || p->share_due || p->save_due)) {
        p->length += take;
        give_active(p, p->share_due + take, p->save_due + take);
        p->share_due = p->save_due = 0;
    }
    count_from(p, end);
    p->inside = 0;
}

size_t wf_path_sample(struct wf_path *p, int64_t now, struct wf_path_snapshot *s)
{
    if (!p->inside)
        flush(p, now);
    return copy(p, s, p->values_epoch, true);
}
