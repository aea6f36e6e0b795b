/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A ring: the headers that one process leaves for another one, in the order they were sent, and the replies to them. It
 * has one writer and one reader, and a line of 64 bytes a header, so that a header costs the receiver one cache miss. A
 * full ring is followed by one twice its size. It knows neither where it lies nor who uses it: in a box
 * (measure/exchange/box.h) for processes of one host, in private memory for what comes from another host
 * (measure/exchange/remote.h).
 *
 * The writer may be killed in the middle of a write. What one side reads of the other's is atomic; the writer's own
 * state (wf_ring_writer) is under its lock, the reader's own (wf_ring_reader) under that of measure/exchange/match.h.
 */
#ifndef WF_RING_H
#define WF_RING_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/line.h"
#include "base/lock.h"
#include "measure/exchange/stamp.h"

#define WF_ANY INT32_MIN /* source or tag */

enum wf_header_flags {
    WF_HEADER_SYNC = 1,   /* the sender may wait for the receive, and wants to know when that began if it was late */
    WF_HEADER_DEAD = 2,   /* the message was never sent */
    WF_HEADER_AWAITS = 4, /* with WF_HEADER_SYNC: the sender certainly waits, so a receive says so when it begins, not
                             only when it ends */
    WF_HEADER_FAR = 8,    /* it came from another host */
    WF_HEADER_EAGER = 16, /* the sender does not wait for the receive, but may until the receiver is in MPI: it wants to
                             know as with WF_HEADER_SYNC */
    WF_HEADER_BOTH = 32,  /* with WF_HEADER_SYNC: the call that sends it receives from there as well, so that its stamp
                             is that of a receive, too */
};

/* What goes with a message. */
struct wf_header {
    uint64_t comm;
    int32_t tag;
    uint32_t flags;
    struct wf_stamp stamp; /* at the begin of the send */
    uint64_t address;      /* the statement that sent it */
    uint32_t path;         /* the sender's snapshot: offset in its box; 0: none */
    uint32_t known;        /* the version of what the sender knew (measure/exchange/known.h); 0: that is not told */
};

struct wf_record {           /* a header in a ring */
    _Atomic uint32_t number; /* its place in the ring's history + 1: written last */
    _Atomic uint32_t flags;
    _Atomic uint64_t comm;
    _Atomic int32_t tag;
    _Atomic uint32_t known;
    struct wf_shared_stamp stamp;
    _Atomic uint64_t address;
    uint32_t far_number; /* of one that came from another host: its number there */
    _Atomic uint32_t path;
};

struct wf_reply {            /* the begin of the receive, for a sender that waits for it */
    _Atomic uint32_t number; /* of the record: written last; first, one that no sender looks for here */
    _Atomic uint32_t path;   /* the receiver's snapshot, in its box; 0: none */
    struct wf_shared_stamp stamp;
    _Atomic uint64_t address;
    _Atomic uint64_t path_ticket; /* the snapshot's, as long as it is this one */
};

struct wf_ring {
    uint32_t capacity;        /* a power of 2 */
    uint32_t replies;         /* where they begin, behind the ring; 0: no sender has wanted any yet */
    _Atomic uint32_t syncs;   /* records with WF_HEADER_AWAITS so far, in this ring and those before it */
    _Atomic uint32_t full_at; /* this record and later ones are in `next`... */
    _Atomic uint32_t next;    /* ... which is at this offset; 0: there is none */
    uint32_t tell;            /* the reader says how far it is when these bits of a record's number are 0 */
    uint32_t reserved[10];
    _Atomic uint32_t taken; /* written by the reader, now and then: records before it may be overwritten */
    uint32_t reserved2[15];
    struct wf_record records[];
};

static_assert(offsetof(struct wf_ring, records) % 64 == 0 && sizeof(struct wf_record) == 64, "a cache line each");

struct wf_ring_writer {
    _Atomic(struct wf_ring *) ring; /* NULL: none yet, or none any more */
    uint32_t next;                  /* number of the next record */
    uint32_t taken;                 /* by the reader, when we last looked */
    struct wf_lock lock;            /* taken with MPI_THREAD_MULTIPLE */
    bool lost; /* a header, so there are no more of them: behind a gap nothing tells which header belongs to which
                  message */
};

struct wf_ring_reader {
    _Atomic(struct wf_ring *) ring; /* NULL: none is known yet, or none is used any more */
    _Atomic uint32_t next;
    _Atomic uint32_t syncs; /* records with WF_HEADER_AWAITS taken so far */
};

static inline uint64_t wf_ring_bytes(uint64_t capacity)
{
    return sizeof(struct wf_ring) + capacity * sizeof(struct wf_record);
}

static inline struct wf_record *wf_ring_record(struct wf_ring *ring, uint32_t number)
{
    return &ring->records[number & (ring->capacity - 1)];
}

/* ---- the writer ---- */

static inline bool wf_ring_has_room(const struct wf_ring_writer *w)
{
    const struct wf_ring *ring = wf_get(w->ring);
    return ring && w->next - w->taken < ring->capacity;
}

/* Looks how much the reader has taken. If it says what cannot be, it has taken nothing. True: there is room now. */
static inline bool wf_ring_look(struct wf_ring_writer *w)
{
    struct wf_ring *ring = wf_get(w->ring);
    uint32_t taken = atomic_load_explicit(&ring->taken, memory_order_acquire);
    if (w->next - taken <= w->next - w->taken)
        w->taken = taken;
    return wf_ring_has_room(w);
}

/* Goes on in a larger ring, which the reader finds at `offset`. */
static inline void wf_ring_go_on(struct wf_ring_writer *w, struct wf_ring *larger, uint32_t offset)
{
    struct wf_ring *old = wf_get(w->ring);
    wf_set(larger->taken, w->next);
    wf_set(larger->syncs, wf_get(old->syncs));
    wf_set(old->full_at, w->next);
    atomic_store_explicit(&old->next, offset, memory_order_release);
    atomic_store_explicit(&w->ring, larger, memory_order_release);
    w->taken = w->next;
}

/* Leaves a header where there is room. `flags` are those that it has here. */
static inline struct wf_record *wf_ring_put(struct wf_ring_writer *w, struct wf_ring *ring, const struct wf_header *h,
                                            uint32_t flags)
{
    struct wf_record *record = wf_ring_record(ring, w->next);
    wf_set(record->flags, flags);
    wf_set(record->comm, h->comm);
    wf_set(record->tag, h->tag);
    wf_shared_stamp_write(&record->stamp, &h->stamp);
    wf_set(record->address, h->address);
    wf_set(record->path, h->path);
    wf_set(record->known, h->known);
    w->next++;
    if (flags & WF_HEADER_AWAITS)
        wf_set(ring->syncs, wf_get(ring->syncs) + 1);
    atomic_store_explicit(&record->number, w->next, memory_order_release);
    wf_line_hand_over(record);
    wf_line_expect_write(wf_ring_record(ring, w->next));
    return record;
}

/* ---- the reader ---- */

/* The next record of this ring, not taken yet; NULL: there is none. */
static inline struct wf_record *wf_ring_peek(const struct wf_ring_reader *r)
{
    struct wf_ring *ring = atomic_load_explicit(&r->ring, memory_order_acquire);
    uint32_t next = wf_get(r->next);
    if (__builtin_expect(!ring, 0))
        return NULL;
    struct wf_record *record = wf_ring_record(ring, next);
    bool is_there = atomic_load_explicit(&record->number, memory_order_acquire) == next + 1;
    return __builtin_expect(is_there, 1) ? record : NULL;
}

static inline void wf_header_read(const struct wf_record *record, struct wf_header *h)
{
    h->comm = wf_get(record->comm);
    h->tag = wf_get(record->tag);
    h->flags = wf_get(record->flags);
    wf_shared_stamp_read(&h->stamp, &record->stamp);
    h->address = wf_get(record->address);
    h->path = wf_get(record->path);
}

/* Is its message of this communicator and tag (or WF_ANY), and was it sent? */
static inline bool wf_header_fits(const struct wf_record *record, uint64_t comm, int32_t tag)
{
    return wf_get(record->comm) == comm && (tag == WF_ANY || wf_get(record->tag) == tag) &&
           !(wf_get(record->flags) & WF_HEADER_DEAD);
}

/* Takes what wf_ring_peek has given. Returns its number. */
static inline uint32_t wf_ring_take(struct wf_ring_reader *r, struct wf_record *record, struct wf_header *h)
{
    struct wf_ring *ring = wf_get(r->ring);
    uint32_t next = wf_get(r->next) + 1;
    wf_header_read(record, h);
    if (__builtin_expect(h->flags & WF_HEADER_AWAITS, 0))
        wf_set(r->syncs, wf_get(r->syncs) + 1);
    atomic_store_explicit(&r->next, next, memory_order_release);
    if (__builtin_expect((next & ring->tell) == 0, 0))
        atomic_store_explicit(&ring->taken, next, memory_order_release);
    return next;
}

/* The offset of the ring that follows when this one is read to its end; 0: there is none. */
static inline uint32_t wf_ring_next(const struct wf_ring_reader *r)
{
    struct wf_ring *ring = wf_get(r->ring);
    uint32_t offset = atomic_load_explicit(&ring->next, memory_order_acquire);
    return offset && wf_get(ring->full_at) == wf_get(r->next) ? offset : 0;
}

/* ---- replies ---- */

static inline struct wf_reply *wf_ring_reply(struct wf_ring *ring, uint32_t number)
{
    return (struct wf_reply *)((char *)ring + ring->replies) + ((number - 1) & (ring->capacity - 1));
}

/* One thread at a time. Its reader finds the number of another record before, of none here meanwhile, and this one
 * then: each once at the most, so a reader that finds the same number before and after has read what belongs together.
 */
static inline void wf_reply_write(struct wf_reply *reply, uint32_t number, const struct wf_stamp *begin,
                                  uint64_t address, struct wf_showing shown)
{
    wf_set(reply->number, number + 1); /* which belongs to the next place */
    atomic_thread_fence(memory_order_release);
    wf_shared_stamp_write(&reply->stamp, begin);
    wf_set(reply->address, address);
    wf_set(reply->path, shown.path);
    wf_set(reply->path_ticket, shown.ticket);
    atomic_store_explicit(&reply->number, number, memory_order_release);
    wf_line_hand_over(reply);
}

static inline bool wf_reply_is_there(const struct wf_reply *reply, uint32_t number)
{
    return atomic_load_explicit(&reply->number, memory_order_acquire) == number;
}

/* The reply to a record; false: there is none, or no more. */
static inline bool wf_reply_read(const struct wf_reply *reply, uint32_t number, struct wf_stamp *begin,
                                 uint64_t *address, struct wf_showing *shown)
{
    if (!wf_reply_is_there(reply, number))
        return false;
    wf_shared_stamp_read(begin, &reply->stamp);
    *address = wf_get(reply->address);
    shown->path = wf_get(reply->path);
    shown->ticket = wf_get(reply->path_ticket);
    atomic_thread_fence(memory_order_acquire);
    return wf_get(reply->number) == number;
}

/* Is the sender told when its receive began, if that was late? */
static inline bool wf_header_wants_reply(const struct wf_header *h)
{
    return h->flags & (WF_HEADER_SYNC | WF_HEADER_EAGER);
}

#endif
