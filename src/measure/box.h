/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The box: where a process leaves the stamps that go with what it sends, for the processes of the same host to take. The application's
 * messages stay untouched: a stamp lies here before its message is sent, and whoever receives the message finds out which stamp is its own
 * (measure/match.h).
 *
 *     | wf_box | slots of collectives | directory: one offset a rank | ring, ring, ...
 *
 * One file a process, in the run's directory. A ring holds the stamps for one receiver, in the order they were sent; it has one writer
 * and one reader, and a line of 64 bytes a stamp, so that a stamp costs the receiver one cache miss. A full ring is followed by one twice its size.
 * At the file's limit stamps are dropped, and both sides know (headers_dropped, headers_missing).
 *
 * The stamp of a collective lies in a slot that its communicator and its number choose; a reader checks that it still is that one.
 *
 * Beside stamps go snapshots of the critical path (measure/feed.h), in blocks of their own to which a stamp refers. That of a message is free again
 * when its receiver has taken its header and read it. That of a collective that nobody leaves before all have entered lies in one of two that are used in turn. Those of
 * others, and of replies, are overwritten after a while: their readers copy, and check then.
 *
 * Whoever writes may be killed in the middle of it, and a file may be shorter than it should be, or hold anything: what is read in another's box is
 * used only where it lies inside that box's file. A box in which something does not is not used any more, and its owner counts as not watched.
 *
 * Everything here that two threads or processes use without a lock is atomic, if only relaxed: on most machines that costs nothing.
 */
#ifndef WF_BOX_H
#define WF_BOX_H

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/line.h"
#include "base/lock.h"
#include "measure/feed.h"
#include "measure/limits.h"
#include "measure/virtual.h"

#define WF_BOX_PASSING 32u
#define WF_BOX_SLOTS 128u      /* a member may be that many collectives of one communicator ahead of another; */
#ifndef WF_BOX_SLOT_GROUPS /* a test has few */
#define WF_BOX_SLOT_GROUPS 8u /* and threads use several communicators at once: each has one of so many groups of slots */
#endif

enum wf_header_flags {
    WF_HEADER_SYNC = 1,   /* the sender may wait for the receive, and wants to know when that began if it was late */
    WF_HEADER_DEAD = 2,   /* the message was never sent */
    WF_HEADER_AWAITS = 4, /* with WF_HEADER_SYNC: the sender certainly waits, so a receive says so when it begins, not only when it ends */
    WF_HEADER_FAR = 8,    /* it came from another host */
    WF_HEADER_EAGER = 16, /* the sender does not wait for the receive, but may until the receiver is in MPI: it wants to know as with WF_HEADER_SYNC */
    WF_HEADER_BOTH = 32,  /* with WF_HEADER_SYNC: the call that sends it receives from there as well, so that its stamp is that of a receive, too */
};

/* Relaxed. */
#define wf_get(field) atomic_load_explicit(&(field), memory_order_relaxed)
#define wf_set(field, value) atomic_store_explicit(&(field), value, memory_order_relaxed)

/* A wf_stamp that others may be reading. */
struct wf_box_stamp {
    _Atomic uint64_t real, virt, ideal;
};

/* What goes with a message. */
struct wf_header {
    uint64_t comm;
    int32_t tag;
    uint32_t flags;
    struct wf_stamp stamp; /* at the begin of the send */
    uint64_t address;      /* the statement that sent it */
    uint32_t path;         /* the sender's snapshot: offset in its box; 0: none */
};

struct wf_record { /* a header in a ring */
    _Atomic uint32_t number; /* its place in the ring's history + 1: written last */
    _Atomic uint32_t flags;
    _Atomic uint64_t comm;
    _Atomic int32_t tag;
    uint32_t remote; /* of one that went to another host: its rank + 1 */
    struct wf_box_stamp stamp;
    _Atomic uint64_t address;
    uint32_t remote_number; /* of one that came from another host: its number there */
    _Atomic uint32_t path;
};

struct wf_reply { /* the begin of the receive, for a sender that waits for it */
    _Atomic uint32_t number; /* of the record: written last; first, one that nobody looks for here */
    _Atomic uint32_t path; /* the receiver's snapshot, in its box; 0: none */
    struct wf_box_stamp stamp;
    _Atomic uint64_t address;
    _Atomic uint64_t path_ticket; /* the snapshot's, as long as it is this one */
};

struct wf_ring { /* in a box; or in private memory, where it stands for what goes to or comes from another host (measure/remote.h) */
    uint32_t capacity; /* a power of 2 */
    uint32_t replies;  /* where they begin, behind the ring; 0: nobody has wanted any yet */
    _Atomic uint32_t syncs;    /* records with WF_HEADER_AWAITS so far, in this ring and those before it */
    _Atomic uint32_t full_at;  /* this record and later ones are in `next`... */
    _Atomic uint32_t next;     /* ... which is at this offset; 0: there is none */
    uint32_t reserved[11];
    _Atomic uint32_t taken; /* written by the reader, now and then: records before it may be overwritten */
    uint32_t reserved2[15];
    struct wf_record records[];
};

struct wf_slot {
    _Atomic uint64_t key; /* of communicator and number; 0: none yet */
    struct wf_box_stamp stamp;
    _Atomic uint64_t address; /* the communication statement before */
    _Atomic uint32_t path;    /* the member's snapshot, in its box; 0: none */
    _Atomic uint32_t sequence; /* odd: being written. Whoever finds it the same, and even, before and after has read what belongs together */
    _Atomic uint64_t path_ticket; /* as of a reply; 0: nobody overwrites it before all have read it */
    uint64_t reserved;
};

enum { WF_BOX_CLOCK_KNOWN = 1, WF_BOX_CLOCK_UNKNOWN = 2 };

struct wf_box_clock { /* how far the host's clock is from that of rank 0's host: a wf_reading, of the lowest rank on the host */
    _Atomic int64_t at, offset, error;
    _Atomic uint32_t state; /* 0: not asked yet; written last */
    uint32_t reserved;
};

struct wf_box_owner { /* which process it is (base/birth.h) */
    uint64_t start_time, pid_namespace;
    uint32_t pid; /* written last; 0: not yet */
    uint32_t reserved;
};

struct wf_box {
    char magic[8];
    uint32_t rank, size; /* the size is there as soon as there is a directory */
    _Atomic uint32_t directory; /* offset; 0: not yet */
    _Atomic uint32_t version;   /* written behind magic and rank, before MPI is initialised */
    struct wf_box_owner owner;
    uint32_t reserved[4];
    struct wf_box_clock clocks[2]; /* at start, at the end */
    struct wf_slot slots[WF_BOX_SLOT_GROUPS * WF_BOX_SLOTS];
};

static_assert(offsetof(struct wf_box, slots) % 64 == 0 && offsetof(struct wf_ring, records) % 64 == 0, "where cache lines begin");
static_assert(sizeof(struct wf_record) == 64 && sizeof(struct wf_slot) == 64, "a cache line each");

/* Where a process writes for one receiver. What is not atomic is its lock's. */
struct wf_writer {
    _Atomic(struct wf_ring *) ring; /* NULL: none yet, or dropped */
    uint32_t next;        /* number of the next record */
    uint32_t taken;       /* by the reader, when we last looked */
    uint32_t syncs;
    _Atomic uint64_t intrusion; /* the receiver's, when it last answered */
    bool dropped; /* for good: after a gap nobody could tell which stamp belongs to which message */
    _Atomic bool absent; /* nobody there takes any: not watched, or on another host that we exchange no headers with */
    bool remote;  /* on another host: the ring is only for replies, and always full */
    struct wf_lock lock; /* taken with MPI_THREAD_MULTIPLE */
};

/* Where a process reads what one sender left for it. With several threads, under the lock of measure/match.h; others only look. */
struct wf_reader {
    _Atomic(const struct wf_box *) box; /* NULL: not opened yet */
    _Atomic(struct wf_ring *) ring;     /* NULL: the sender has sent nothing yet */
    _Atomic uint32_t next;
    _Atomic uint32_t syncs; /* records with WF_HEADER_AWAITS taken so far */
    _Atomic uint64_t bytes; /* of the box that are there, when we last looked */
    _Atomic bool absent;    /* there is no such box here: not watched, or on another host; or it is not what it should be */
    bool remote;            /* on another host: ring and box are our own */
    uint32_t looks;         /* at a box that is not one yet */
};

/* Names the box by the rank that the launcher tells, before MPI_Init; so, when MPI_Init has returned, those of all watched ranks are there.
 * Returns 0 or an errno. `rank` < 0: not known yet, nothing happens. */
int wf_box_create(int rank);

/* MPI_Init has told rank and size. Also creates the box if it is not there yet. Returns 0 or an errno: nothing is sent then. */
int wf_box_start(int rank, int size);

/* The launcher's word on this process's rank, or -1. */
int wf_box_rank_before_init(void);

extern struct wf_box *wf_box;          /* our own; NULL: there is none */
extern struct wf_writer *wf_box_to;    /* by world rank */
extern struct wf_reader *wf_box_from;  /* by world rank */

/* Ensures that there is room for one more record to this rank; false: it is dropped, and counted. */
bool wf_box_room(int32_t to);

/* The box of another rank, or what stands for it; NULL: there is none. Any thread. */
const struct wf_box *wf_box_of(int32_t rank);

/* So much of another's box, from this offset on, is there to be read. */
bool wf_box_reaches(struct wf_reader *r, uint64_t bytes);
static inline bool wf_box_has(struct wf_reader *r, uint32_t offset, uint64_t bytes)
{
    uint64_t end = (uint64_t)offset * 64 + bytes;
    return __builtin_expect(end <= wf_get(r->bytes), 1) || wf_box_reaches(r, end);
}

/* Room for the replies to what is in a ring; before the first that wants one is sent. */
bool wf_box_add_replies(struct wf_ring *ring);

/* Room for a snapshot in our box: offset, or 0. It is taken until its reader frees it; until then its ticket is one that no other ever has. */
uint32_t wf_box_block(size_t bytes);
/* For whoever has time to look for the next one now. */
void wf_box_look_for_spare(size_t bytes);
/* That will probably be given next; NULL: there is none yet. */
struct wf_shown *wf_box_next_block(void);
/* Shows the thread's path for a while, WF_BOX_PASSING such shows long; *ticket: its ticket, as long as it is there. Returns its offset, or 0. */
uint32_t wf_box_show(struct wf_feed *feed, uint64_t *ticket);
/* Two that are used in turn, for whoever knows that the last but one has been read by all; *first: 0 or what was given before. */
uint32_t wf_box_pair_block(uint32_t *first, uint32_t number, size_t bytes);

/* A ticket of what goes with a message: whoever finds another there has read it with that. */
#define WF_TICKET_MESSAGE (UINT64_C(1) << 63)

/* Where a thread has shown its path for a while. */
struct wf_showing {
    uint32_t path; /* 0: nowhere */
    uint64_t ticket;
};

/* The block `path` goes with a message to `to`, in the call that began at this time. */
void wf_box_sent(int32_t to, uint32_t path, uint64_t begin_virt);

/* The thread's path for the writer of `ring`, who waits for the reply to its message, if the thread is in the call that began at this time. Where
 * that call has sent a message there itself, the one that went with it will do. */
struct wf_showing wf_box_show_reply(const struct wf_ring *ring, uint64_t begin_virt);

/* A reply has gone without a path, because the call that posted the receive was over: from now on such calls show theirs. */
extern _Atomic bool wf_box_is_late;

/* Finds the ring that `from` writes for us; NULL: there is none (yet). */
struct wf_ring *wf_box_find_ring(struct wf_reader *r, int32_t from);

/* Goes on to the ring behind this one; NULL: there is none. */
struct wf_ring *wf_box_next_ring(struct wf_reader *r);

static inline void *wf_box_at(const struct wf_box *box, uint32_t offset)
{
    return (char *)(uintptr_t)box + (uint64_t)offset * 64;
}

/* What another has shown, with its header; NULL: it is not inside its box. */
static inline struct wf_shown *wf_box_shown(struct wf_reader *r, uint32_t offset)
{
    const struct wf_box *box = atomic_load_explicit(&r->box, memory_order_acquire);
    return box && wf_box_has(r, offset, wf_feed_room) ? wf_box_at(box, offset) : NULL;
}

static inline void wf_box_write_stamp(struct wf_box_stamp *to, const struct wf_stamp *from)
{
    wf_set(to->real, from->real); /* one by one: see src/measure/CMakeLists.txt */
    wf_set(to->virt, from->virt);
    wf_set(to->ideal, from->ideal);
}

static inline void wf_box_read_stamp(struct wf_stamp *to, const struct wf_box_stamp *from)
{
    to->real = wf_get(from->real);
    to->virt = wf_get(from->virt);
    to->ideal = wf_get(from->ideal);
}

/* Leaves a header for `to`. Returns its record, or NULL: there is none, and it is counted. */
static inline struct wf_record *wf_box_put(int32_t to, const struct wf_header *h)
{
    struct wf_writer *w = &wf_box_to[to];
    struct wf_ring *ring = wf_get(w->ring);
    if (__builtin_expect(!ring || w->next - w->taken >= ring->capacity, 0)) {
        if (!wf_box_room(to))
            return NULL;
        ring = wf_get(w->ring);
    }
    uint32_t flags = h->flags;
    if (__builtin_expect(flags && !ring->replies, 0) && !wf_box_add_replies(ring))
        flags = 0;
    struct wf_record *record = &ring->records[w->next & (ring->capacity - 1)];
    wf_set(record->flags, flags);
    wf_set(record->comm, h->comm);
    wf_set(record->tag, h->tag);
    wf_box_write_stamp(&record->stamp, &h->stamp);
    wf_set(record->address, h->address);
    wf_set(record->path, h->path);
    w->next++;
    if (flags & WF_HEADER_AWAITS)
        wf_set(ring->syncs, ++w->syncs);
    atomic_store_explicit(&record->number, w->next, memory_order_release);
    wf_line_hand_over(record);
    wf_line_expect_write(&ring->records[w->next & (ring->capacity - 1)]);
    return record;
}

/* Where it will be, as far as is known. */
static inline const void *wf_box_expected(const struct wf_reader *r)
{
    const struct wf_ring *ring = atomic_load_explicit(&r->ring, memory_order_acquire);
    return ring ? (const void *)&ring->records[wf_get(r->next) & (ring->capacity - 1)] : r;
}

/* The next record from a sender, not taken yet; NULL: it has sent nothing more. */
static inline struct wf_record *wf_box_peek(struct wf_reader *r, int32_t from)
{
    struct wf_ring *ring = atomic_load_explicit(&r->ring, memory_order_acquire);
    uint32_t next = wf_get(r->next);
    if (__builtin_expect(!ring, 0) && !(ring = wf_box_find_ring(r, from)))
        return NULL;
    do {
        struct wf_record *record = &ring->records[next & (ring->capacity - 1)];
        if (__builtin_expect(atomic_load_explicit(&record->number, memory_order_acquire) == next + 1, 1))
            return record;
    } while ((ring = wf_box_next_ring(r)));
    return NULL;
}

static inline struct wf_reply *wf_box_reply_of(struct wf_ring *ring, uint32_t number)
{
    return (struct wf_reply *)((char *)ring + ring->replies) + ((number - 1) & (ring->capacity - 1));
}

/* One thread at a time. Its reader finds the number of another record before, of none here meanwhile, and this one then: each once at the most, so that
 * whoever finds the same number before and after has read what belongs together. */
static inline void wf_box_write_reply(struct wf_reply *reply, uint32_t number, const struct wf_stamp *begin, uint64_t address, struct wf_showing shown)
{
    wf_set(reply->number, number + 1); /* which belongs to the next place */
    atomic_thread_fence(memory_order_release);
    wf_box_write_stamp(&reply->stamp, begin);
    wf_set(reply->address, address);
    wf_set(reply->path, shown.path);
    wf_set(reply->path_ticket, shown.ticket);
    atomic_store_explicit(&reply->number, number, memory_order_release);
    wf_line_hand_over(reply);
}

/* The reply to a record; false: there is none, or no more. */
static inline bool wf_box_read_reply(const struct wf_reply *reply, uint32_t number, struct wf_stamp *begin, uint64_t *address, struct wf_showing *shown)
{
    if (atomic_load_explicit(&reply->number, memory_order_acquire) != number)
        return false;
    wf_box_read_stamp(begin, &reply->stamp);
    *address = wf_get(reply->address);
    shown->path = wf_get(reply->path);
    shown->ticket = wf_get(reply->path_ticket);
    atomic_thread_fence(memory_order_acquire);
    return wf_get(reply->number) == number;
}

/* Where the reply to a record goes that another process has written; NULL: it is not inside its box, or it is there already. */
static inline struct wf_reply *wf_box_reply_to(struct wf_reader *r, struct wf_ring *ring, uint32_t number)
{
    struct wf_reply *reply = wf_box_reply_of(ring, number);
    uint64_t end = (uint64_t)((char *)(reply + 1) - (const char *)wf_get(r->box));
    bool aligned = (uintptr_t)reply % _Alignof(struct wf_reply) == 0;
    return aligned && wf_box_has(r, 0, end) && wf_get(reply->number) != number ? reply : NULL;
}

/* Is the sender told when its receive began, if that was late? */
static inline bool wf_box_wants_reply(const struct wf_header *h)
{
    return h->flags & (WF_HEADER_SYNC | WF_HEADER_EAGER);
}

/* Tells the sender of a record when its receive began, if that was late, or would have been without watching. shown: then; NULL: if at all, it is the
 * call that the thread is in now. */
static __attribute__((noinline, unused)) void wf_box_reply(struct wf_reader *r, struct wf_ring *ring, uint32_t number, const struct wf_header *h,
                                                           const struct wf_stamp *begin, uint64_t address, const struct wf_showing *shown)
{
    if (!wf_box_wants_reply(h) ||
        (begin->real < h->stamp.real + wf_limits.late && begin->virt < h->stamp.virt + wf_limits.late))
        return;
    struct wf_reply *reply = wf_box_reply_to(r, ring, number);
    if (reply)
        wf_box_write_reply(reply, number, begin, address, shown && shown->path ? *shown : wf_box_show_reply(ring, begin->virt));
}

/* Takes what wf_box_peek has given. Returns its number. */
static inline uint32_t wf_box_take(struct wf_reader *r, struct wf_record *record, struct wf_header *h)
{
    struct wf_ring *ring = wf_get(r->ring);
    uint32_t next = wf_get(r->next) + 1;
    h->comm = wf_get(record->comm);
    h->tag = wf_get(record->tag);
    h->flags = wf_get(record->flags);
    wf_box_read_stamp(&h->stamp, &record->stamp);
    h->address = wf_get(record->address);
    h->path = wf_get(record->path);
    if (__builtin_expect(h->flags & WF_HEADER_AWAITS, 0))
        wf_set(r->syncs, wf_get(r->syncs) + 1);
    atomic_store_explicit(&r->next, next, memory_order_release);
    if (__builtin_expect((next & (ring->capacity / 2 - 1)) == 0, 0))
        atomic_store_explicit(&ring->taken, next, memory_order_release);
    return next;
}

static inline uint64_t wf_box_key(uint64_t comm, uint32_t number)
{
    uint64_t key = (comm + number) * 0x9E3779B97F4A7C15u;
    return key ? key : 1;
}

static inline uint32_t wf_box_slot(uint64_t comm, uint32_t number)
{
    return ((uint32_t)(comm >> 32) & (WF_BOX_SLOT_GROUPS - 1)) * WF_BOX_SLOTS + (number & (WF_BOX_SLOTS - 1));
}

struct wf_entry { /* of a member */
    struct wf_stamp stamp;
    uint64_t address, path_ticket;
    uint32_t path;
};

/* Enters collective number `number` of a communicator. One thread at a time. */
static inline void wf_box_enter(struct wf_box *box, uint64_t comm, uint32_t number, const struct wf_entry *e)
{
    struct wf_slot *slot = &box->slots[wf_box_slot(comm, number)];
    uint32_t sequence = wf_get(slot->sequence) | 1; /* odd already: whoever wrote there was killed */
    wf_set(slot->sequence, sequence);
    atomic_thread_fence(memory_order_release);
    wf_set(slot->key, wf_box_key(comm, number));
    wf_box_write_stamp(&slot->stamp, &e->stamp);
    wf_set(slot->address, e->address);
    wf_set(slot->path, e->path);
    wf_set(slot->path_ticket, e->path_ticket);
    atomic_store_explicit(&slot->sequence, sequence + 1, memory_order_release);
    wf_line_hand_over(slot);
    wf_line_expect_write(&box->slots[wf_box_slot(comm, number + 1)]);
}

/* When a member entered it; false: it has not, or so long ago that it is overwritten. */
static inline bool wf_box_entered(const struct wf_box *box, uint64_t comm, uint32_t number, struct wf_entry *e)
{
    const struct wf_slot *slot = &box->slots[wf_box_slot(comm, number)];
    uint32_t sequence = atomic_load_explicit(&slot->sequence, memory_order_acquire);
    if (sequence & 1 || wf_get(slot->key) != wf_box_key(comm, number))
        return false;
    wf_box_read_stamp(&e->stamp, &slot->stamp);
    e->address = wf_get(slot->address);
    e->path = wf_get(slot->path);
    e->path_ticket = wf_get(slot->path_ticket);
    atomic_thread_fence(memory_order_acquire);
    return wf_get(slot->sequence) == sequence;
}

/* For the slots of our own box, with MPI_THREAD_MULTIPLE. */
extern struct wf_lock wf_box_entering;

#endif
