/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path while the program runs: the longest chain of activity that leads to where a thread is now, what each followed region has of it,
 * and how much shorter it would be if the region were faster. Pure: numbers in, numbers out. docs/critical-path.md has the rules and their proof.
 *
 * A thread has one wf_path, in memory that the caller gives: it has no pointers, so that it can lie in a segment and a monitor can copy it. Only its
 * thread writes it. What goes with a message is a wf_path_snapshot, of as many bytes as regions are used; or one that is written again and again in the
 * same place, where only what has changed since is copied (wf_path_update): between two messages that is little, and what has not changed stays in
 * the caches of those who read it.
 *
 * Time is the caller's activity clock, of which only differences count: virtual time for elapsed weights, a CPU clock for CPU weights. All values are
 * signed, so that a clock which steps back a few ticks takes back what it gave.
 *
 *     slot      a followed region: its place in all arrays, the same in all processes. A procedure, a loop, a communication statement, the stretch
 *               behind one; or many regions, where there are more than slots (wf_buckets)
 *     share     ticks of the longest path that are a region's; own: while it is the innermost, all: while it is active, which recursion does not
 *               count twice. A statement, and the stretch behind one, have no more than their own
 *     saved     quarter ticks by which the longest path would be shorter if the region's own time (or all that happens inside it) took 25, 50, 75
 *               or 100 % less. This is the longest path less the what-if path, which is what has to be kept: it changes only while the region is
 *               active, and a region never met has 0
 *     place     ticks of the longest path that were spent in one process, and how often the path came to it from another
 */
#ifndef WF_PATH_H
#define WF_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    WF_PATH_OTHER = 0,    /* computing in regions that are not followed: has a share and savings of its own only */
    WF_PATH_TRANSFER = 1, /* all: transfers, in whatever statement; own: those in statements that are not followed */
    WF_PATH_FIRST = 2,    /* the first slot that is the caller's to give away */
    WF_PATH_STEPS = 4,    /* 25, 50, 75, 100 % */
    WF_PATH_DEPTH = 128,  /* of nested regions; what is deeper counts for the innermost one that is not */
    WF_PATH_NOWHERE = 0xffff,
};

enum wf_path_part_of { WF_PATH_OWN = 0, WF_PATH_ALL = 1 };

struct wf_path_entry { /* a region that is active */
    int64_t since;  /* up to when its share of all is counted; only where first */
    int64_t own;    /* of its own, not counted yet */
    uint32_t again; /* entered so many times more without leaving it, and without another in between */
    uint16_t slot;
    uint16_t first; /* 1: its share of all is counted here: its slot is not active below */
};

/* A slot has two rows, one for its own time and one for all inside it, in arrays that are counted from their middle: own rows from 0 up, all rows from
 * -1 down. Statements and stretches have no more than their own, so what an unmodified program uses lies together, in few lines of the cache. */
static inline int32_t wf_path_row(uint32_t slot, enum wf_path_part_of of)
{
    return of == WF_PATH_ALL ? -1 - (int32_t)slot : (int32_t)slot;
}

struct wf_path {
    uint32_t epoch;  /* odd: computing; even: not. See wf_path_adopt */
    uint32_t values_epoch;    /* what the values are of: the last one that it computed */
    uint16_t capacity;        /* there is room for so many slots */
    uint16_t used, all_used;  /* slots that have been met; that may have time of others inside them */
    uint16_t below, above;    /* rows: all, own */
    uint16_t places, place;   /* processes told apart, and which of them this is; WF_PATH_NOWHERE: none, it only collects */
    uint16_t inside;          /* 1: in a call, */
    uint16_t statement;       /* of this slot */
    uint16_t reserved;
    uint32_t depth, beyond;   /* of the stack; entries that found no room on it */
    int64_t since;            /* the clock up to which length is counted */
    int64_t length;           /* the longest path to there */
    int64_t placed;           /* up to this length it is counted in its place */
    int64_t share_due, save_due; /* of the call: transfer that what is active has not been given yet */
    uint32_t version;         /* of the values; what is changed now has it as its stamp */
    uint32_t all_since;       /* since this version nothing is as it was */
    struct wf_path_entry stack[WF_PATH_DEPTH];
    int64_t values[]; /* saved[below + above][WF_PATH_STEPS], share[below + above], place[places][2], uint32_t stamp[below + above + places],
                         active[capacity] */
};

/* What goes with a message, is shown at the entry of a collective, or to a monitor. */
struct wf_path_snapshot {
    uint32_t epoch;
    uint16_t slots, all_slots; /* that have been met */
    uint16_t below, above;     /* room for so many rows */
    uint16_t places;
    uint16_t place;    /* where it is from */
    uint32_t bytes;    /* of all this */
    uint32_t version;  /* of the state's values; only where it is written again */
    int64_t length;
    int64_t values[]; /* saved[below + above][WF_PATH_STEPS], share[below + above], place[places][2] */
};

/* Rows for a capacity: such that if the values of a snapshot begin with a line of the cache, so do its rows -2 and 0, row -2 of its shares, and its places. */
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

static inline void wf_path_touch(struct wf_path *p, int32_t row)
{
    wf_path_stamps(p)[row] = p->version;
}

/* So many slots are met from now on; what a slot that is met late has so far, nothing, is news, too. */
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

static inline bool wf_path_is_on(const struct wf_path *p)
{
    return p->epoch & 1;
}

static inline size_t wf_path_value_bytes(uint32_t rows, uint32_t places)
{
    return sizeof(int64_t) * ((size_t)rows * (WF_PATH_STEPS + 1) + 2 * (size_t)places);
}

/* capacity: with the first two. */
static inline size_t wf_path_bytes(uint32_t capacity, uint32_t places)
{
    uint32_t rows = wf_path_below(capacity) + wf_path_above(capacity);
    return sizeof(struct wf_path) + wf_path_value_bytes(rows, places) + sizeof(uint32_t) * (rows + places + capacity);
}

/* At the most. */
static inline size_t wf_path_snapshot_bytes(uint32_t capacity, uint32_t places)
{
    return sizeof(struct wf_path_snapshot) + wf_path_value_bytes(wf_path_below(capacity) + wf_path_above(capacity), places);
}

/* Room for exactly so many rows and places, of which nothing is written yet. */
static inline void wf_path_snapshot_shape(struct wf_path_snapshot *s, uint32_t below, uint32_t above, uint32_t places)
{
    s->below = (uint16_t)below;
    s->above = (uint16_t)above;
    s->places = (uint16_t)places;
    s->bytes = (uint32_t)(sizeof *s + wf_path_value_bytes(below + above, places));
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

/* In wf_path_bytes of memory. Nothing is computed until wf_path_start, but regions may be entered. */
void wf_path_init(struct wf_path *p, uint32_t capacity, uint32_t places, uint32_t place);

/* ---- epochs: which part of the run ---- */

/* From now on; epoch is odd, and higher than any before. Everything begins at 0; what is active stays so. */
void wf_path_start(struct wf_path *p, uint32_t epoch, int64_t now);
/* Until now; epoch is even, and higher than any before. The values stay. */
void wf_path_stop(struct wf_path *p, uint32_t epoch, int64_t now);
/* An epoch that came with a snapshot, before the snapshot is used: whoever is behind it starts or stops where its call began. For all snapshots of a
 * call first. */
static inline void wf_path_adopt(struct wf_path *p, uint32_t epoch, int64_t begin)
{
    if (__builtin_expect(epoch <= p->epoch, 1))
        return;
    (epoch & 1 ? wf_path_start : wf_path_stop)(p, epoch, begin);
}

/* ---- regions ---- */

/* Savings are written, and copied, two at a time: a load of more than one store has written waits for those stores, and all before them. */
typedef int64_t wf_path_two __attribute__((vector_size(16), aligned(8), may_alias));

static inline void wf_path_save(int64_t *saved, int64_t ticks)
{
    wf_path_two *to = (wf_path_two *)saved, both = {ticks, ticks}, first = both + (wf_path_two){0, ticks};
    to[0] += first;
    to[1] += first + both + both;
}

/* Activity of a slot while it is the innermost one, or active at all. */
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

/* A region that is not followed is WF_PATH_OTHER, or has no slot here. */
static inline void wf_path_enter(struct wf_path *p, uint32_t slot, int64_t now)
{
    struct wf_path_entry *top = &p->stack[p->depth - 1];
    slot = wf_path_slot(p, slot);
    if (__builtin_expect(p->depth >= WF_PATH_DEPTH, 0)) {
        p->beyond++;
    } else if (top->slot == slot && p->depth > 1) { /* what is around all regions may change */
        top->again++;
    } else {
        wf_path_advance(p, now);
        wf_path_push(p, slot, now);
    }
}

/* The innermost one; where there is none, nothing happens. */
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

/* What is around all regions from now on: in an unmodified program, the stretch behind a communication statement. Else WF_PATH_OTHER. */
void wf_path_stretch(struct wf_path *p, uint32_t slot, int64_t now);

/* What has been counted (wf_path_advance) stays; from there to now nothing counts: a pause. */
void wf_path_skip(struct wf_path *p, int64_t now);

/* Leaves all regions; for whoever enters them again because slots have changed. */
void wf_path_leave_all(struct wf_path *p, int64_t now);

/* For whoever counts regions itself and enters them only around a call, so that what is active is known there (wf_path_advance, wf_path_enter of each,
 * wf_path_begin, this for each; wf_path_end, wf_path_leave_all): so much of the activity since the last call was this region's. All of it had been
 * counted to what is around all regions. */
static inline void wf_path_attribute(struct wf_path *p, uint32_t slot, int64_t own, int64_t all)
{
    slot = wf_path_slot(p, slot);
    if (slot == WF_PATH_OTHER)
        return;
    wf_path_use(p, slot + 1);
    wf_path_use_all(p, slot + 1);
    wf_path_charge(p, wf_path_row(p->stack[0].slot, WF_PATH_OWN), -own);
    wf_path_charge(p, wf_path_row(slot, WF_PATH_OWN), own);
    wf_path_charge(p, wf_path_row(slot, WF_PATH_ALL), all);
}

/* ---- calls ---- */

/* A communication statement begins. Until wf_path_end no region is entered or left. */
void wf_path_begin(struct wf_path *p, uint32_t statement, int64_t begin);

/* The state as it is counted: at a call's begin, after wf_path_begin. Into at most wf_path_snapshot_bytes; returns how many. Not computing: no more
 * than that. */
size_t wf_path_snapshot(struct wf_path *p, struct wf_path_snapshot *s);

/* The same into memory that held one of this state before, or zeros; room for wf_path_snapshot_bytes of its capacity and places. */
void wf_path_update(struct wf_path *p, struct wf_path_snapshot *s);

/* The same where another may be reading what was there before, and will find out that it is no more: wf_path_copy, and a check of the caller's. */
void wf_path_update_watched(struct wf_path *p, struct wf_path_snapshot *s);

/* Can it be of a state as large as this one, or smaller? What another process has left in memory that both share may be anything. */
static inline bool wf_path_fits(const struct wf_path *p, const struct wf_path_snapshot *s)
{
    return s->slots <= s->above && s->above <= p->above && s->all_slots <= s->below && s->below <= p->below && s->places <= p->places;
}

/* Copies what can be merged into this state, into at most as much memory as one of its own snapshots takes. False: it does not fit. */
bool wf_path_copy(struct wf_path *p, const struct wf_path_snapshot *from, struct wf_path_snapshot *to);

/* What was written that way by another state of the same shape will be read soon; or will be written next, where others have read it. */
void wf_path_fetch(struct wf_path *p, const struct wf_path_snapshot *s);
void wf_path_expect(struct wf_path *p, const struct wf_path_snapshot *s);

/* The call could not end before what this snapshot shows, and `weight` of transfer after it. False: it is of another epoch, and nothing has changed. */
bool wf_path_part(struct wf_path *p, const struct wf_path_snapshot *s, int64_t weight);

/* The call ends: `take` after the last of its parts, and after its begin. */
void wf_path_end(struct wf_path *p, int64_t take, int64_t end);

/* The state now, for a monitor; between two calls or in one. Not computing: what it was in the end. To put together samples of one epoch, whatever
 * process and moment each is from, make them parts, with no weight, of a wf_path that is NOWHERE and has been started with that epoch. */
size_t wf_path_sample(struct wf_path *p, int64_t now, struct wf_path_snapshot *s);

/* With elapsed weights, where the call ends at end_virt (its begin + wf_settled.ticks): the weight of a part that was entered at sent_virt, and the
 * take behind all parts, of which the last arrived at arrival_virt (wf_merge.virt; 0: no parts). Where an estimated latency is too long, or a clock
 * ahead, wf_settle has held the end back: so is the weight. It may be negative: else two clocks that differ would make the path longer with every
 * message from one to the other. */
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
