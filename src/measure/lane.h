/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lane: the records of one thread, with the indexes that find them. Only its thread touches it; when the thread ends, the lane
 * waits for the next new thread, so that lanes are as many as threads at one time, not as threads ever.
 *
 * A site is a communication statement (a return address and an MPI function); a com is a site with one partner. Both are looked up
 * at every call, so the usual case is inline here; what happens once for each of them is in lane.c.
 */
#ifndef WF_LANE_H
#define WF_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"
#include "measure/clock.h"
#include "measure/segment.h"
#include "guest/shared.h"
#include "weft/probe.h"

/* More regions are not recorded, and counted. A region is on a shadow stack once at the most, so no stack is deeper. */
#define WF_MAX_REGIONS 65536u
#define WF_LISTED_VISITS 65536u
#define WF_ENDED_VISITS 16u

struct wf_feed;

struct wf_site {
    uintptr_t address;
    uint32_t call;
    uint32_t offset; /* of the record in the segment; 0: it has none, what is counted there is lost or not wanted */
    struct wf_site_record *record;
    struct wf_com_record *last; /* the partner of the last call: most statements have one partner at a time */
    struct wf_wait_record *last_wait; /* whom it waited for last */
    uint64_t after; /* what weft usually does after such a call takes */
    uint32_t path_epoch; /* of the critical path: what the slots below are of */
    uint16_t path_slot, path_stretch;
    uint32_t path_soon; /* so many times, without another one between, a small message was sent right behind it */
    uint32_t path_number, path_stretch_number; /* what it is in all processes (measure/agree.h) */
};

/* Finds records in the segment's chunks by a hash of what they are of: open addressing, and what is in it stays. */
struct wf_index {
    uint32_t mask, used;
    uint32_t *slots; /* where records are, in words of WF_SEGMENT_WORD bytes behind base; 0: empty */
    char *base;      /* of the segment */
};

typedef uint32_t wf_index_hash(const void *record);

/* How long something took: altogether, and of that waiting for others; in real and in virtual time. */
struct wf_span {
    uint64_t raw, virt, sync_raw, sync;
};

/* What others tell a lane's thread, which hears of it when it enters weft next. */
enum wf_attend {
    WF_ATTEND_PAUSED = 1,  /* nothing is counted until this is taken back */
    WF_ATTEND_RESUMED = 2, /* a pause is over */
    WF_ATTEND_CLOSED = 4,  /* a library has been closed: what is known of its addresses is of the past */
};

/* Where a program or library keeps this thread's lane, and which: something in it. */
struct wf_lane_slot {
    struct weft_lane_ **slot;
    uintptr_t inside;
};

/* What a lane knows of a region. */
struct wf_lane_region {
    struct wf_visit_record *last; /* of the last entry, or NULL */
    const struct wf_region_record *record; /* NULL: it has never been entered */
    uint32_t active;              /* how many visits are under way, where the region's own key does not tell */
    int64_t nested_virtual;       /* of its own time, in loops and in regions marked by hand right inside it */
    uint64_t slow;                /* visits that were entered the slow way */
    uint64_t num, ticks, ticks_virtual; /* of all its visits, from wherever; as they were when regions were last judged */
};

struct wf_lane {
    struct weft_lane_ probes; /* first: instrumented code knows the lane as this. The top of the shadow stack; there is always one entry */
    struct wf_lane_record *record;
    uint64_t lag;       /* virtual time - time on an ideal network */
    uint64_t previous;  /* the communication statement before */
    bool charged;       /* what watching costs goes to probes.intrusion */
    uint32_t offset;
    uint32_t site_mask, site_used;
    struct wf_site **sites; /* open addressing; entries stay where they are */
    struct wf_index coms, waits, visits;
    struct wf_chunk *site_chunk, *com_chunk, *wait_chunk; /* with room for more records, or NULL */
    struct wf_site *site_pool;               /* private halves of sites, the next free one */
    uint32_t site_pool_left;
    struct wf_site lost;             /* stands for statements that found no room */
    struct wf_site muted;            /* stands for all statements while monitoring is paused */
    struct wf_site_record void_site; /* where those two write */
    struct weft_stack_ *stack;        /* its first entry stands for no region */
    struct wf_visit_record no_region; /* and is counted here */
    _Atomic uint32_t attention;  /* enum wf_attend; the next four are others', too, with wf_lanes_lock */
    uint64_t pause_since, pause_ticks; /* the last pause, and how long all were that the thread has not heard of */
    struct wf_lane_slot *slots;  /* of the program and its libraries */
    uint32_t slot_count, slot_room;
    uint32_t region_slots;
    uint32_t slow_entries; /* of all regions; modulo 2^32 */
    struct wf_lane_region *regions; /* by the region's index */
    uint64_t nestings;              /* how often nested_virtual of a region has grown */
    uint64_t ended;                 /* visits that ended the slow way, and the last WF_ENDED_VISITS of them */
    struct weft_visit_ *last_ended[WF_ENDED_VISITS];
    uint32_t *visit_list;           /* offsets of visit records in the order they were made, the first WF_LISTED_VISITS; NULL: none yet */
    uint32_t visit_count;           /* of all there are */
    struct wf_chunk *visit_chunk;
    void *scratch;
    size_t scratch_bytes;
    struct wf_feed *feed; /* of the critical path; NULL: not yet, or never */
    struct wf_lane *next;      /* of all lanes of the process */
    struct wf_lane *next_free;
};

/* Of the list of lanes, and of what lanes have for others than their thread. Taken in quiet. */
extern struct wf_lock wf_lanes_lock;

/* All lanes there are; with the lock. */
struct wf_lane *wf_lane_first(void);

/* With the lock: no probe of its thread goes the fast way until it has asked for the lane again. */
void wf_lane_revoke(struct wf_lane *lane);

/* Gives the program or library that `inside` lies in the lane, unless its thread has to attend to something first, or there is no room: then it asks again. */
void wf_lane_lend(struct wf_lane *lane, struct weft_lane_ **slot, uintptr_t inside);

/* What was between these addresses is gone: tells all lanes, and forgets where it kept them. */
void wf_lane_module_closed(uintptr_t start, uintptr_t end);

/* The lane's thread has heard of it: statements of modules that are closed are not found any more. */
void wf_lane_forget_closed(struct wf_lane *lane);

/* The lane of the calling thread's own, or NULL if there is no room for one (counted) or nothing is watched. */
struct wf_lane *wf_lane_acquire(struct wf_segment *segment);
void wf_lane_release(struct wf_lane *lane);

struct wf_site *wf_lane_add_site(struct wf_lane *lane, uintptr_t address, uint32_t call) WF_SHARED(lane_add_site);

/* The record of one partner, now also site->last; NULL: there is no room, or the site has no records at all. */
struct wf_com_record *wf_lane_com(struct wf_lane *lane, struct wf_site *site, int32_t partner) WF_SHARED(lane_com);

/* The record of waiting for somebody, now also site->last_wait; NULL: there is no room, or the site has no records at all. */
struct wf_wait_record *wf_lane_wait(struct wf_lane *lane, struct wf_site *site, int32_t culprit, uint32_t kind, uint64_t address)
    WF_SHARED(lane_wait);

/* Counts what found no room. */
void wf_lane_drop(const struct wf_site *site, uint64_t num, uint64_t ticks) WF_SHARED(lane_drop);

/* The next record in the lane's chunk of this kind, opening a new chunk where needed; not there for readers before it is published.
 * NULL: no room. */
void *wf_lane_next_record(struct wf_lane *lane, struct wf_chunk **chunk, enum wf_chunk_kind kind, uint32_t record_bytes);
void wf_lane_publish(struct wf_chunk *chunk);

/* Puts a record into an index, by what `hash` says of it. False: there is no room. */
bool wf_index_add(struct wf_index *index, const void *record, wf_index_hash *hash);

/* Takes out all that are not wanted. */
void wf_index_keep(struct wf_index *index, bool (*is_wanted)(const void *record), wf_index_hash *hash);

/* The record in a slot; NULL: it is empty. Who looks for a record goes on from the slot of its hash until he finds it or an empty one. */
static inline void *wf_index_at(const struct wf_index *index, uint32_t slot)
{
    uint32_t words = index->slots[slot & index->mask];
    return words ? index->base + (size_t)words * WF_SEGMENT_WORD : NULL;
}

/* At least `bytes` of memory that stay valid until the lane's next call of this function; NULL: there is none. */
void *wf_lane_scratch(struct wf_lane *lane, size_t bytes) WF_SHARED(lane_scratch);

static inline uint32_t wf_lane_hash(uint64_t key)
{
    return (uint32_t)((key * 0x9E3779B97F4A7C15u) >> 32);
}

static inline struct wf_site *wf_lane_site(struct wf_lane *lane, uintptr_t address, uint32_t call)
{
    for (uint32_t i = wf_lane_hash(address);; i++) {
        struct wf_site *site = lane->sites[i & lane->site_mask];
        if (__builtin_expect(!site, 0))
            return wf_lane_add_site(lane, address, call);
        if (__builtin_expect(site->address == address && site->call == call, 1))
            return site;
    }
}

/* What weft did since `since` was rare and costly: nothing calibrated covers it. */
static inline void wf_lane_charge(struct wf_lane *lane, uint64_t since)
{
    uint64_t ticks = wf_clock_ticks() - since;
    lane->record->overhead_ticks += ticks;
    if (lane->charged)
        lane->probes.intrusion += ticks;
}

/* Adds to one partner's record of a site. */
static inline void wf_lane_count(struct wf_lane *lane, struct wf_site *site, int32_t partner, uint64_t num, uint64_t bytes,
                                 const struct wf_span *span)
{
    struct wf_com_record *com = site->last;
    if (__builtin_expect(com->partner != partner, 0)) {
        com = wf_lane_com(lane, site, partner);
        if (!com) {
            wf_lane_drop(site, num, span->raw);
            return;
        }
    }
    com->num += num;
    com->bytes += bytes;
    com->trans_raw_ticks += span->raw - span->sync_raw;
    com->trans_virtual_ticks += span->virt - span->sync;
    com->sync_raw_ticks += span->sync_raw;
    com->sync_virtual_ticks += span->sync;
}

#endif
