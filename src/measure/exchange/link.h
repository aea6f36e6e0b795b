/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Links: what this process has with each other rank of the world, and with itself: where headers for it go and its
 * headers come from, replies in both directions, its entries into collectives, its snapshots of the critical path.
 *
 * A rank of this host is reached through boxes (measure/exchange/box.h), one of another host through messages
 * (measure/exchange/remote.h), one that is not watched not at all. What is inline here is the way between processes of
 * one host: it needs one test, because the rings of a link to any other rank are NULL. The function behind that test
 * decides by the link's kind.
 *
 * A line of 64 bytes a link. Sending (`to`) is under its lock with MPI_THREAD_MULTIPLE, receiving (`from`) under that
 * of measure/exchange/match.h; other threads only look.
 */
#ifndef WF_LINK_H
#define WF_LINK_H

#include "measure/exchange/box.h"
#include "measure/path/feed.h"

struct wf_link {
    struct wf_ring_writer to;
    struct wf_ring_reader from;
    struct wf_box_view view;
    _Atomic uint64_t intrusion; /* the other's, when it last replied */
};

static_assert(sizeof(struct wf_link) == WF_LINE_BYTES, "a cache line each");

struct wf_links {
    struct wf_link *of; /* by world rank; NULL: no headers go with this process's messages */
    int32_t count;
    bool far; /* some of them are to other hosts, which are reached */
};

extern struct wf_links wf_links WF_HIDDEN;

/* Makes the box, and a link to each rank. Returns 0 or an errno: nothing is sent then. */
int wf_links_start(int rank, int size);

/* Ranks of other hosts are reached by messages from now on. */
void wf_links_reach_hosts(void);

static inline struct wf_link *wf_link_to(int32_t rank)
{
    return &wf_links.of[rank];
}

static inline int32_t wf_link_rank(const struct wf_link *link)
{
    return (int32_t)(link - wf_links.of);
}

static inline bool wf_link_is_local(const struct wf_link *link)
{
    return wf_get(link->view.where) == WF_BOX_HERE;
}

static inline bool wf_link_is_far(const struct wf_link *link)
{
    return wf_get(link->view.where) == WF_BOX_FAR;
}

/* ---- headers for the other ---- */

/* Ensures that there is room for one more header, for a rank of this host; false: it is dropped, and counted, or there
 * is no such rank. */
bool wf_link_make_room(struct wf_link *link);

/* Leaves a header for a rank of this host. Returns its record; NULL: there is none. */
static inline struct wf_record *wf_link_put(struct wf_link *link, const struct wf_header *h)
{
    struct wf_ring_writer *w = &link->to;
    if (__builtin_expect(!wf_ring_has_room(w), 0) && !wf_link_make_room(link))
        return NULL;
    struct wf_ring *ring = wf_get(w->ring);
    uint32_t flags = h->flags;
    if (__builtin_expect(flags && !ring->replies, 0) && !wf_box_add_replies(ring))
        flags = 0;
    return wf_ring_put(w, ring, h, flags);
}

/* Sends one to a rank of another host, and what the thread shows of the critical path (feed; NULL: nothing). since:
 * when the work for it began. NULL: the rank takes none, or it was dropped and counted. */
struct wf_record *wf_link_put_far(struct wf_link *link, const struct wf_header *h, struct wf_feed *feed,
                                  uint64_t since);

/* The message of this record was not sent. If the record has been read, and is another message's by now, that one
 * stays.
 */
void wf_link_take_back(struct wf_link *link, struct wf_record *record, uint32_t number);

/* Where the reply to what was put last will be; NULL: none is wanted. Between hosts no send waits for the receiver to
 * be in MPI. */
struct wf_ring *wf_link_far_replies(const struct wf_link *link, uint32_t flags);

static inline struct wf_ring *wf_link_replies(const struct wf_link *link, uint32_t flags)
{
    struct wf_ring *ring = wf_get(link->to.ring);
    if (__builtin_expect(!ring, 0))
        return wf_link_far_replies(link, flags);
    return ring->replies ? ring : NULL;
}

/* Between hosts, takes the reply to a send that took `ticks`, if it has come; if that was long, waits a moment for it.
 */
void wf_link_await_reply(const struct wf_link *link, struct wf_ring *ring, uint32_t number, uint64_t ticks);

/* ---- headers from the other ---- */

/* Where the next one will be, as far as is known. */
static inline const void *wf_link_expected(const struct wf_link *link)
{
    struct wf_ring *ring = atomic_load_explicit(&link->from.ring, memory_order_acquire);
    return ring ? (const void *)wf_ring_record(ring, wf_get(link->from.next)) : link;
}

/* Does the other wait for a receive, as far as is known? One on another host may. */
static inline bool wf_link_is_awaited(const struct wf_link *link)
{
    const struct wf_ring *ring = atomic_load_explicit(&link->from.ring, memory_order_acquire);
    if (__builtin_expect(!ring, 0))
        return wf_link_is_far(link);
    return __builtin_expect(wf_get(ring->syncs) != wf_get(link->from.syncs), 0);
}

/* Is the next header that of a send that may wait, in a call that receives nothing from here? */
static inline bool wf_link_next_waits(const struct wf_link *link)
{
    const struct wf_record *next = wf_ring_peek(&link->from);
    return next && (wf_get(next->flags) & (WF_HEADER_SYNC | WF_HEADER_BOTH)) == WF_HEADER_SYNC;
}

struct wf_record *wf_link_peek_slow(struct wf_link *link);

/* The next header, not taken yet; NULL: there is none (yet). */
static inline struct wf_record *wf_link_peek(struct wf_link *link)
{
    struct wf_record *record = wf_ring_peek(&link->from);
    return __builtin_expect(record != NULL, 1) ? record : wf_link_peek_slow(link);
}

/* The first that has this communicator and tag (or WF_ANY), without taking any; false: there is none (yet). For a rank
 * of this host. */
bool wf_link_look(struct wf_link *link, uint64_t comm, int32_t tag, struct wf_header *h);

/* How many were taken: it changes when one is. */
uint32_t wf_link_taken(const struct wf_link *link);

/* A header that was taken, and what a reply to it needs. */
struct wf_taken {
    struct wf_header header;
    struct wf_ring *ring; /* NULL: it came from another host */
    uint32_t number;
    bool answered;
};

uint32_t wf_link_take_far(struct wf_link *link, struct wf_record *record, struct wf_header *h);

/* Takes what wf_link_peek has given. */
static inline void wf_link_take(struct wf_link *link, struct wf_record *record, struct wf_taken *taken)
{
    taken->answered = false;
    taken->ring = wf_get(link->from.ring);
    uint32_t known = wf_get(record->known);
    if (__builtin_expect(taken->ring != NULL, 1))
        taken->number = wf_ring_take(&link->from, record, &taken->header);
    else
        taken->number = wf_link_take_far(link, record, &taken->header);
    taken->header.known = known;
}

/* Has its sender taken it back meanwhile? Where that was long ago, its record may be another's by now: then it counts.
 */
static inline bool wf_link_is_dead(const struct wf_taken *taken)
{
    const struct wf_record *record = taken->ring ? wf_ring_record(taken->ring, taken->number - 1) : NULL;
    return record && wf_get(record->flags) & WF_HEADER_DEAD && wf_get(record->number) == taken->number;
}

/* Tells the sender of a header when its receive began, if that was late, or would have been without watching. shown:
 * then; NULL: if at all, it is the call that the thread is in now. */
void wf_link_reply(struct wf_link *link, struct wf_taken *taken, const struct wf_stamp *begin, uint64_t address,
                   const struct wf_showing *shown);

/* The same for header `number`, which a process of this host has sent and the thread receives now. */
void wf_link_reply_now(struct wf_link *link, uint32_t number, const struct wf_header *h, const struct wf_stamp *begin,
                       uint64_t address);

/* A header from another host must be on its way. Waits for one that is not taken yet; false: it did not come in time.
 * *since: when the waiting began; 0: now. */
bool wf_link_await(const struct wf_link *link, int64_t *since);

/* The header of a message from there did not come: should it come later, it belongs to no receive. */
void wf_link_skip(const struct wf_link *link, uint64_t comm, int32_t tag);

/* Takes what has come from other hosts. MPI has to be asked, which takes its time: once a call, not more. */
void wf_links_pump(void);
void wf_links_pump_seldom(void); /* unless that was done just before: for calls that are made by the thousand */

/* ---- entries and snapshots of the other ---- */

bool wf_link_entered_slow(struct wf_link *link, uint64_t comm, uint32_t number, struct wf_entry *e);

/* When it entered a collective; false: it has not, or so long ago that it is overwritten. */
static inline bool wf_link_entered(struct wf_link *link, uint64_t comm, uint32_t number, struct wf_entry *e)
{
    const struct wf_box *box = atomic_load_explicit(&link->view.box, memory_order_acquire);
    if (__builtin_expect(!box, 0))
        return wf_link_entered_slow(link, comm, number, e);
    return wf_slots_entered(&box->slots, comm, number, e);
}

/* When a rank of this host last came back to MPI after long computing; false: it has not. */
static inline bool wf_link_returned(struct wf_link *link, struct wf_entry *e)
{
    const struct wf_box *box = wf_link_is_local(link) ? wf_box_in(&link->view, wf_link_rank(link)) : NULL;
    return box && wf_slot_read(&box->returned, WF_BOX_RETURN, e);
}

/* Tells those of these ranks that are on other hosts of our entry into a collective, and what the thread shows; since:
 * when the work for it began. False: there are none. */
bool wf_links_tell(const int32_t *ranks, int count, uint64_t comm, uint32_t number, const struct wf_entry *e,
                   struct wf_feed *feed, uint64_t since);

/* Waits until the entry of a member on another host has come; false: it did not come in time. */
bool wf_link_await_entry(const struct wf_link *link, uint64_t comm, uint32_t number);

/* What it has shown at this offset of its box; NULL: that is not inside its box. */
struct wf_shown *wf_link_shown(struct wf_link *link, uint32_t offset);

/* The same where that is known at once: its box is open and reaches so far. */
static inline struct wf_shown *wf_link_shown_at_once(const struct wf_link *link, uint32_t offset)
{
    const struct wf_box *box = atomic_load_explicit(&link->view.box, memory_order_acquire);
    uint64_t end = (uint64_t)offset * WF_ARENA_UNIT + wf_feed_room;
    return box && end <= (uint64_t)wf_get(link->view.units) * WF_ARENA_UNIT ? wf_box_at(box, offset) : NULL;
}

#endif
