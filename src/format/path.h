/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path while the program runs: the longest chain of activity that leads to where a thread is now, the
 * share of each tracked region in it, and how much shorter it would be if the region were faster. The functions compute
 * with the memory they are given and nothing else. docs/critical-path.md has the rules and their proof.
 *
 * A thread has one wf_path, in memory that the caller owns. It has no pointers, so that it can lie in a segment and a
 * monitor can copy it. Only its thread writes it.
 *
 * A wf_path_snapshot goes with a message. Its size follows from the regions used. Or it is written again and again in
 * the same place (wf_path_update): then only what has changed since is copied, which is little between two messages.
 * The rest stays in the caches of its readers.
 *
 * Time is the caller's activity clock, of which only differences count: virtual time for elapsed weights, a CPU clock
 * for CPU weights. All values are signed, so that a clock which steps back a few ticks takes back what it gave.
 *
 *     slot      The place of a followed region in all arrays, the same in all processes. A region is a procedure, a
 *               loop, a communication statement, or the stretch behind one.
 *     map       Which region has which slot. It changes one slot at a time, by wf_path_reassign; version 1 is as
 *               wf_path_init makes it. For another region a slot begins with 0.
 *     list      What regions have of the path while they have no slot, as far as there is room: it is in the shares of
 *               WF_PATH_OTHER and WF_PATH_TRANSFER, and the list says whose it is. Where it is full, the entry with
 *               the least weight is replaced (Metwally, Efficient Computation of Frequent and Top-k Elements in Data
 *               Streams, 2005). So every region with more than 1/WF_PATH_LISTED of such time is in it, and its share
 *               there lacks no more than that.
 *     share     Ticks of the longest path that belong to a region. Own: while it is the innermost one. All: while it
 *               is active; recursion does not count twice. A statement, and the stretch behind one, have only an own
 *               share.
 *     saved     Quarter ticks by which the longest path would be shorter if the region's own time (or all that
 *               happens inside it) took 25, 50, 75 or 100 % less. This is the longest path less the what-if path. It
 *               is kept instead of the what-if path because it changes only while the region is active, and is 0 for
 *               a region never met.
 *     place     Ticks of the longest path that were spent in one process, and how often the path came to it from
 *               another.
 */
#ifndef WF_PATH_H
#define WF_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WF_PATH_OTHER = 0,    /* computing in regions that have no slot: has an own share and own savings only */
    WF_PATH_TRANSFER = 1, /* all: transfers in any statement; own: those in statements that have no slot */
    WF_PATH_FIRST = 2,    /* the first slot that the caller may assign */
    WF_PATH_STEPS = 4,    /* 25, 50, 75, 100 % */
    WF_PATH_DEPTH = 128,  /* of nested regions; deeper ones count for the innermost one on the stack */
    WF_PATH_NOWHERE = 0xffff,
    WF_PATH_LISTED = 64, /* regions in the list */
    WF_PATH_HINTS = 256,
};

/* Regions have numbers from 1 on, the same in all processes; with this, it is a statement's. */
#define WF_PATH_STATEMENT (UINT32_C(1) << 31)

enum wf_path_part_of { WF_PATH_OWN = 0, WF_PATH_ALL = 1 };

struct wf_path_entry { /* a region that is active */
    int64_t since;     /* the share of all is counted up to here; only where first */
    int64_t own;       /* own ticks that are not counted yet */
    uint32_t again;    /* entered so many times more, without leaving it and without another region in between */
    uint16_t slot;
    uint16_t first; /* 1: its share of all is counted here, because its slot is not active below */
};

struct wf_path_listed { /* a region that has, or had, no slot */
    int64_t share;
    int64_t weight;  /* the share, and that of what it has replaced */
    uint32_t region; /* its number */
    uint32_t stamp;
};

/* A slot has two rows, one for its own time and one for all inside it, in arrays that are counted from their middle:
 * own rows from 0 up, all rows from -1 down. Statements and stretches have only own rows, so the rows of an unmodified
 * program lie together, in few lines of the cache. */
static inline int32_t wf_path_row(uint32_t slot, enum wf_path_part_of of)
{
    return of == WF_PATH_ALL ? -1 - (int32_t)slot : (int32_t)slot;
}

struct wf_path {
    uint32_t epoch;          /* odd: computing; even: not. See wf_path_adopt */
    uint32_t map;            /* the version of the map; right behind the epoch, as in a snapshot: wf_path_stage */
    uint32_t values_epoch;   /* the epoch of the values: the last one that was computed */
    uint16_t capacity;       /* room for so many slots */
    uint16_t used, all_used; /* slots that have been met; slots that may have time of other regions inside */
    uint16_t below, above;   /* numbers of rows: all, own */
    uint16_t places, place;  /* number of places, and the own one; WF_PATH_NOWHERE: none, it only collects */
    uint16_t inside;         /* 1: in a call */
    uint16_t statement;      /* the slot of that call */
    uint16_t listed;         /* so many entries of the list are used */
    uint32_t calling;        /* the region that the call's statement is, if it is known; where it has no slot, its time
                                goes to the list */
    uint32_t around;         /* the same of what is around all regions */
    int64_t around_due;      /* has been attributed to others, and is not taken from it in the list yet */
    uint32_t depth, beyond;  /* of the stack; entries that found no room on it */
    int64_t since;           /* the clock up to which length is counted */
    int64_t length;          /* the longest path to there */
    int64_t placed;          /* the length up to which it is counted in its place */
    int64_t share_due, save_due; /* of the call: transfer that the active slots have not been given yet */
    uint32_t version;            /* of the values; values that change now get it as their stamp */
    uint32_t all_since;          /* the version since which all values have changed */
    struct wf_path_entry stack[WF_PATH_DEPTH];
    struct wf_path_listed list[WF_PATH_LISTED];
    uint8_t hints[WF_PATH_HINTS]; /* by region: where it was found in the list */
    int64_t values[]; /* saved[below + above][WF_PATH_STEPS], share[below + above], place[places][2], uint32_t
                         stamp[below + above + places], active[capacity], region[capacity] */
};

/* The state as it goes with a message, at the entry of a collective, or to a monitor. */
struct wf_path_snapshot {
    uint32_t epoch;
    uint32_t map;
    uint16_t slots, all_slots; /* that have been met */
    uint16_t below, above;     /* room for so many rows */
    uint16_t places;
    uint16_t place;   /* the place that it comes from */
    uint32_t bytes;   /* of the whole snapshot */
    uint32_t version; /* of the state's values; only for snapshots that are written again */
    uint16_t listed;  /* entries of the list, behind the values */
    uint16_t reserved;
    int64_t length;
    int64_t values[]; /* saved[below + above][WF_PATH_STEPS], share[below + above], place[places][2]; struct
                         wf_path_listed list[listed] */
};

/* The numbers of rows for a capacity. If the values of a snapshot begin with a line of the cache, so do its rows -2 and
 * 0, row -2 of its shares, and its places. */
static inline uint32_t wf_path_below(uint32_t capacity)
{
    return (capacity + 5) / 8 * 8 + 2;
}

static inline uint32_t wf_path_above(uint32_t capacity)
{
    return (capacity + 1) / 8 * 8 + 6;
}

/* By row: WF_PATH_STEPS each. */
static inline int64_t *wf_path_savings(struct wf_path *p)
{
    return p->values + (size_t)p->below * WF_PATH_STEPS;
}

/* By row. */
static inline int64_t *wf_path_shares(struct wf_path *p)
{
    return p->values + (size_t)(p->below + p->above) * WF_PATH_STEPS + p->below;
}

static inline int64_t *wf_path_places(struct wf_path *p)
{
    return p->values + (size_t)(p->below + p->above) * (WF_PATH_STEPS + 1);
}

/* By row. */
static inline uint32_t *wf_path_stamps(struct wf_path *p)
{
    return (uint32_t *)(wf_path_places(p) + 2 * (size_t)p->places) + p->below;
}

static inline uint32_t *wf_path_place_stamps(struct wf_path *p)
{
    return wf_path_stamps(p) + p->above;
}

static inline uint32_t *wf_path_actives(struct wf_path *p)
{
    return wf_path_place_stamps(p) + p->places;
}

/* By slot: the number of the region that has it; 0: none. */
static inline uint32_t *wf_path_regions(struct wf_path *p)
{
    return wf_path_actives(p) + p->capacity;
}

static inline void wf_path_touch(struct wf_path *p, int32_t row)
{
    wf_path_stamps(p)[row] = p->version;
}

/* So many slots count as met from now on. The zeros of a slot that is met now are news, too. */
static inline void wf_path_use(struct wf_path *p, uint32_t slots)
{
    for (; p->used < slots; p->used++)
        wf_path_touch(p, wf_path_row(p->used, WF_PATH_OWN));
}

static inline void wf_path_use_all(struct wf_path *p, uint32_t slots)
{
    for (; p->all_used < slots; p->all_used++)
        wf_path_touch(p, wf_path_row(p->all_used, WF_PATH_ALL));
}

/* Epoch and map, which are compared together. */
static inline uint64_t wf_path_stage(const uint32_t *epoch)
{
    return __atomic_load_n((const uint64_t *)epoch, __ATOMIC_RELAXED);
}

static inline bool wf_path_is_on(const struct wf_path *p)
{
    return p->epoch & 1;
}

static inline size_t wf_path_value_bytes(uint32_t rows, uint32_t places)
{
    return sizeof(int64_t) * ((size_t)rows * (WF_PATH_STEPS + 1) + 2 * (size_t)places);
}

/* The capacity includes the first two slots. */
static inline size_t wf_path_bytes(uint32_t capacity, uint32_t places)
{
    uint32_t rows = wf_path_below(capacity) + wf_path_above(capacity);
    return sizeof(struct wf_path) + wf_path_value_bytes(rows, places) +
           sizeof(uint32_t) * (rows + places + 2 * capacity);
}

/* The most that a snapshot can take. */
static inline size_t wf_path_snapshot_bytes(uint32_t capacity, uint32_t places)
{
    return sizeof(struct wf_path_snapshot) +
           wf_path_value_bytes(wf_path_below(capacity) + wf_path_above(capacity), places) +
           WF_PATH_LISTED * sizeof(struct wf_path_listed);
}

/* Gives a snapshot room for exactly so many rows, places and entries of the list; it writes no values. */
static inline void wf_path_snapshot_shape(struct wf_path_snapshot *s, uint32_t below, uint32_t above, uint32_t places,
                                          uint32_t listed)
{
    s->below = (uint16_t)below;
    s->above = (uint16_t)above;
    s->places = (uint16_t)places;
    s->listed = (uint16_t)listed;
    s->bytes =
        (uint32_t)(sizeof *s + wf_path_value_bytes(below + above, places) + listed * sizeof(struct wf_path_listed));
}

static inline int64_t *wf_path_snapshot_savings(struct wf_path_snapshot *s)
{
    return s->values + (size_t)s->below * WF_PATH_STEPS;
}

static inline int64_t *wf_path_snapshot_shares(struct wf_path_snapshot *s)
{
    return s->values + (size_t)(s->below + s->above) * WF_PATH_STEPS + s->below;
}

static inline int64_t *wf_path_snapshot_places(struct wf_path_snapshot *s)
{
    return s->values + (size_t)(s->below + s->above) * (WF_PATH_STEPS + 1);
}

static inline struct wf_path_listed *wf_path_snapshot_list(struct wf_path_snapshot *s)
{
    return (struct wf_path_listed *)(wf_path_snapshot_places(s) + 2 * (size_t)s->places);
}

/* In wf_path_bytes of memory. Nothing is computed until wf_path_start, but regions may be entered. The regions 1, 2,
 * ... have the slots WF_PATH_FIRST, ... */
void wf_path_init(struct wf_path *p, uint32_t capacity, uint32_t places, uint32_t place);

/* ---- epochs: which part of the run ---- */

/* Computes from now on; epoch is odd, and higher than any before. All values begin at 0; active slots stay active. */
void wf_path_start(struct wf_path *p, uint32_t epoch, int64_t now);
/* Stops computing now; epoch is even, and higher than any before. The values stay. */
void wf_path_stop(struct wf_path *p, uint32_t epoch, int64_t now);
/* Adopts an epoch that came with a snapshot, before the snapshot is used: a state that is behind starts or stops where
 * its call began. To be called for all snapshots of a call first. */
static inline void wf_path_adopt(struct wf_path *p, uint32_t epoch, int64_t begin)
{
    if (__builtin_expect(epoch <= p->epoch, 1))
        return;
    (epoch & 1 ? wf_path_start : wf_path_stop)(p, epoch, begin);
}

/* ---- the map ---- */

/* The next version: region `to` gets a slot from `from` (0: it was free), whose share goes to the list. In no call, and
 * with all counted up to now; regions are entered anew. */
void wf_path_reassign(struct wf_path *p, uint32_t slot, uint32_t from, uint32_t to);

/* Makes a state that is a snapshot, to reassign its slots: of at least as many slots and places, and without a place.
 * It does not know which regions have slots. */
void wf_path_load(struct wf_path *p, struct wf_path_snapshot *s);

/* Adds time of a region that has no slot. */
void wf_path_list(struct wf_path *p, uint32_t region, int64_t ticks);

/* ---- regions ---- */

/* Savings are written, and copied, two at a time: a load of bytes that several stores have written waits for these
 * stores and all before them (a store-forwarding stall). */
typedef int64_t wf_path_two __attribute__((vector_size(16), aligned(8), may_alias));

static inline void wf_path_save(int64_t *saved, int64_t ticks)
{
    wf_path_two *to = (wf_path_two *)saved, both = {ticks, ticks}, first = both + (wf_path_two){0, ticks};
    to[0] += first;
    to[1] += first + both + both;
}

/* Adds activity of a slot: while it is the innermost one, or while it is active at all. */
static inline void wf_path_charge(struct wf_path *p, int32_t row, int64_t ticks)
{
    wf_path_shares(p)[row] += ticks;
    wf_path_save(wf_path_savings(p) + (ptrdiff_t)row * WF_PATH_STEPS, ticks);
    wf_path_touch(p, row);
}

static inline void wf_path_advance(struct wf_path *p, int64_t now)
{
    int64_t ticks = now - p->since;
    p->since = now;
    if (!wf_path_is_on(p))
        return;
    p->length += ticks;
    p->stack[p->depth - 1].own += ticks;
}

static inline void wf_path_push(struct wf_path *p, uint32_t slot, int64_t now)
{
    bool first = slot != WF_PATH_OTHER && wf_path_actives(p)[slot]++ == 0;
    p->stack[p->depth++] = (struct wf_path_entry){.since = now, .slot = (uint16_t)slot, .first = first};
    wf_path_use(p, slot + 1);
    if (first)
        wf_path_use_all(p, slot + 1);
}

static inline void wf_path_pop(struct wf_path *p)
{
    const struct wf_path_entry *e = &p->stack[--p->depth];
    if (e->slot != WF_PATH_OTHER)
        wf_path_actives(p)[e->slot]--;
}

static inline uint32_t wf_path_slot(const struct wf_path *p, uint32_t slot)
{
    return slot < p->capacity ? slot : WF_PATH_OTHER;
}

/* Enters a region. One that is not tracked is WF_PATH_OTHER, or has no slot here. */
static inline void wf_path_enter(struct wf_path *p, uint32_t slot, int64_t now)
{
    struct wf_path_entry *top = &p->stack[p->depth - 1];
    slot = wf_path_slot(p, slot);
    if (__builtin_expect(p->depth >= WF_PATH_DEPTH, 0)) {
        p->beyond++;
    } else if (top->slot == slot && p->depth > 1) { /* the entry around all regions may change */
        top->again++;
    } else {
        wf_path_advance(p, now);
        wf_path_push(p, slot, now);
    }
}

/* Leaves the innermost region, if there is one. */
static inline void wf_path_leave(struct wf_path *p, int64_t now)
{
    struct wf_path_entry *top = &p->stack[p->depth - 1];
    if (__builtin_expect(p->beyond != 0, 0)) {
        p->beyond--;
    } else if (top->again) {
        top->again--;
    } else if (p->depth > 1) {
        wf_path_advance(p, now);
        if (wf_path_is_on(p)) {
            wf_path_charge(p, wf_path_row(top->slot, WF_PATH_OWN), top->own);
            if (top->first)
                wf_path_charge(p, wf_path_row(top->slot, WF_PATH_ALL), now - top->since);
        }
        wf_path_pop(p);
    }
}

/* Sets the slot around all regions: in an unmodified program, the stretch behind a communication statement; else
 * WF_PATH_OTHER. */
void wf_path_stretch(struct wf_path *p, uint32_t slot, int64_t now);

/* Behind it, with nothing counted since: which region that is, if it has no slot. */
static inline void wf_path_around(struct wf_path *p, uint32_t region)
{
    p->around = region;
    p->around_due = 0;
}

/* Skips a pause: the time since the last wf_path_advance does not count. */
void wf_path_skip(struct wf_path *p, int64_t now);

/* Leaves all regions; for a caller that enters them again because slots have changed. */
void wf_path_leave_all(struct wf_path *p, int64_t now);

/* Gives a region its part of the activity since the last call. For a caller that counts regions itself and enters them
 * only around a call, so that the call knows which are active. Its order is: wf_path_advance, wf_path_enter of each,
 * wf_path_begin, this for each; wf_path_end, wf_path_leave_all. Before, all of the activity is counted to the slot
 * around all regions. region: whose time it is, if that has no slot; 0: not known. This comes before wf_path_begin if
 * there are such regions. */
static inline void wf_path_attribute_of(struct wf_path *p, uint32_t slot, uint32_t region, int64_t own, int64_t all)
{
    slot = wf_path_slot(p, slot);
    if (slot == WF_PATH_OTHER && region == 0)
        return;
    wf_path_charge(p, wf_path_row(p->stack[0].slot, WF_PATH_OWN), -own);
    p->around_due -= own;
    wf_path_charge(p, wf_path_row(slot, WF_PATH_OWN), own);
    if (slot == WF_PATH_OTHER) {
        wf_path_list(p, region, own);
        return;
    }
    wf_path_use(p, slot + 1);
    wf_path_use_all(p, slot + 1);
    wf_path_charge(p, wf_path_row(slot, WF_PATH_ALL), all);
}

static inline void wf_path_attribute(struct wf_path *p, uint32_t slot, int64_t own, int64_t all)
{
    wf_path_attribute_of(p, slot, 0, own, all);
}

/* ---- calls ---- */

/* Begins a communication statement. No region is entered or left until wf_path_end. */
void wf_path_begin(struct wf_path *p, uint32_t statement, int64_t begin);

/* Takes a snapshot of the state at the begin of a call, after wf_path_begin, into at most wf_path_snapshot_bytes.
 * Returns its bytes. If the state is not computing, the snapshot tells only this. */
size_t wf_path_snapshot(struct wf_path *p, struct wf_path_snapshot *s);

/* The same into memory that holds an earlier snapshot of this state, or zeros, and has room for wf_path_snapshot_bytes
 * of its capacity and places. */
void wf_path_update(struct wf_path *p, struct wf_path_snapshot *s);

/* The same where another process may be reading the old snapshot, with wf_path_copy. The caller's own check tells that
 * reader that it is no longer valid. */
void wf_path_update_watched(struct wf_path *p, struct wf_path_snapshot *s);

/* Whether a snapshot is of a state as large as this one, or smaller. Another process may have left anything in shared
 * memory. */
static inline bool wf_path_fits(const struct wf_path *p, const struct wf_path_snapshot *s)
{
    return s->slots <= s->above && s->above <= p->above && s->all_slots <= s->below && s->below <= p->below &&
           s->places <= p->places && s->listed <= WF_PATH_LISTED;
}

/* Copies a snapshot that can be merged into this state, into as much memory as one of its own snapshots takes. False:
 * it does not fit. */
bool wf_path_copy(struct wf_path *p, const struct wf_path_snapshot *from, struct wf_path_snapshot *to);

/* Prefetches a snapshot of the same shape that will be read soon; or one that will be written next, and that others
 * have read. */
void wf_path_fetch(struct wf_path *p, const struct wf_path_snapshot *s);
void wf_path_expect(struct wf_path *p, const struct wf_path_snapshot *s);

/* Merges a snapshot on which the call depends: it could not end before the snapshot's moment plus `weight` of transfer.
 * False: the snapshot is of another epoch or map, and nothing has changed. */
bool wf_path_part(struct wf_path *p, const struct wf_path_snapshot *s, int64_t weight);

/* Ends the call: `take` after the last of its parts, and after its begin. */
void wf_path_end(struct wf_path *p, int64_t take, int64_t end);

/* Takes a snapshot of the state as it is now, for a monitor; between two calls or in one. If the state is not
 * computing, it is the final state of its last epoch. Samples of one epoch, from any process and moment, are merged as
 * parts without weight of a wf_path that is NOWHERE and was started with that epoch. */
size_t wf_path_sample(struct wf_path *p, int64_t now, struct wf_path_snapshot *s);

/* For elapsed weights: the weight of a part that was entered at sent_virt, and the take after all parts, in a call that
 * ends at end_virt. (end_virt is its begin + wf_settled.ticks; the last part arrived at arrival_virt, 0: no parts.)
 * Where an estimated latency is too long, or a clock ahead, wf_settle limits the end, and this limits the weight. The
 * weight may be negative: else two clocks that differ would make the path longer with every message between them. */
static inline int64_t wf_path_weight(uint64_t latency, uint64_t sent_virt, uint64_t end_virt)
{
    int64_t most = (int64_t)(end_virt - sent_virt);
    return (int64_t)latency < most ? (int64_t)latency : most;
}

static inline int64_t wf_path_take(uint64_t begin_virt, uint64_t arrival_virt, uint64_t end_virt)
{
    uint64_t from = begin_virt > arrival_virt ? begin_virt : arrival_virt;
    return end_virt > from ? (int64_t)(end_virt - from) : 0;
}

/* The savings at one step (1 to 4: 25 to 100 %), in ticks, rounded down. */
static inline int64_t wf_path_saved_ticks(struct wf_path *p, uint32_t slot, enum wf_path_part_of of, int step)
{
    return wf_path_savings(p)[(ptrdiff_t)wf_path_row(slot, of) * WF_PATH_STEPS + step - 1] / WF_PATH_STEPS;
}

#endif
