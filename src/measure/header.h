/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the classes of calls do with headers: leave one with what is sent, find the one that came with what was received, and put together whom
 * a call depended on. Before a call nothing here asks MPI anything: its handles may be wrong, and only known communicators are followed.
 */
#ifndef WF_HEADER_H
#define WF_HEADER_H

#include <sched.h>

#include "measure/args.h"
#include "measure/call.h"
#include "measure/comm.h"
#include "measure/flavour.h"
#include "measure/match.h"
#include "measure/remote.h"
#include "measure/request.h"

/* From this size on a send may wait for its receiver: no MPI library sends more at once without being asked to. */
#define WF_SYNC_BYTES 4096u

/* Above this size a send may wait until its receiver is in MPI, although that need not have begun the receive. Open MPI's do, within a host: they are
 * complete when the receiver has given back the memory that they came in. */
#define WF_EAGER_BYTES 256u

/* All sends together wait in vain for their receivers' answers: one part of so many of the run so far. */
#define WF_AWAIT_SHARE 256u

/* Whom a call depended on, and how the wait for the latest of them is called. */
struct wf_others {
    struct wf_merge merge;
    uint32_t kind; /* enum wf_wait_kind */
    bool both;     /* what came has told when the other's receive began, too */
};

static inline void wf_others_add(struct wf_others *o, const struct wf_stamp *stamp, uint64_t latency, int32_t who, uint64_t address, uint32_t kind)
{
    uint64_t latest = o->merge.entry_virt;
    wf_merge_add(&o->merge, stamp, latency, who, address);
    if (o->merge.parts == 1 || o->merge.entry_virt != latest)
        o->kind = kind;
}

static inline void wf_call_settle_with(struct wf_call *c, struct wf_others *o)
{
    if (o->kind == WF_WAIT_LATE_SENDER && __builtin_expect(wf_less(o->merge.entry_virt, c->start - c->before.intrusion) > wf_limits.long_wait, 0) &&
        wf_match_earlier(c->start - c->before.intrusion))
        o->kind = WF_WAIT_WRONG_ORDER;
    wf_call_settle(c, &o->merge, o->kind);
}

/* Messages. */

static inline unsigned wf_size_class(uint64_t bytes)
{
    return bytes ? 64 - (unsigned)__builtin_clzll(bytes) : 0;
}

/* May it wait for its receiver? Types that are not predefined are not asked for their size: they may be wrong. */
static inline uint32_t wf_args_flags(const struct wf_args *a)
{
    if (a->synchronous)
        return WF_HEADER_SYNC | WF_HEADER_AWAITS;
    uint64_t bytes = wf_type_bytes_predefined(a->type);
    if (bytes == 0 || (uint64_t)a->n * bytes >= WF_SYNC_BYTES)
        return WF_HEADER_SYNC;
    return (uint64_t)a->n * bytes > WF_EAGER_BYTES ? WF_HEADER_EAGER : 0;
}

/* The receiver's world rank, or -1: nobody whom a header would reach. */
static inline int32_t wf_header_to(const struct wf_ranks *ranks, int peer)
{
    return ranks && peer >= 0 && peer < ranks->size ? ranks->partner[peer] : -1;
}

/* The statement that a collective's member came through: what it waited for, or did, before. */
static inline uint64_t wf_call_through(const struct wf_call *c)
{
    return c->lane->previous ? c->lane->previous : c->site->address;
}

static inline void wf_remote_put_took(uint64_t ticks)
{
    int64_t usual = wf_get(wf_remote_put_ticks);
    wf_set(wf_remote_put_ticks, usual + ((int64_t)ticks - usual) / 8);
}

/* ---- the critical path ---- */

/* Shows it to the receiver of a message, or promises to, in a block of its own; 0: there is nothing to show, or no room. */
static __attribute__((noinline, unused)) uint32_t wf_header_show(struct wf_call *c, int32_t to)
{
    if (wf_box_to[to].remote || wf_get(wf_box_to[to].absent))
        return 0;
    size_t bytes = wf_feed_shown_bytes(c->feed);
    uint32_t offset = bytes ? wf_box_block(bytes) : 0;
    if (offset && c->late) { /* takes no time that could be told */
        wf_feed_promise(c->feed, wf_box_at(wf_box, offset));
        return offset;
    }
    if (offset) {
        struct wf_shown *shown = wf_box_at(wf_box, offset);
        wf_feed_show(c->feed, shown);
        atomic_store_explicit(&shown->promised, 0, memory_order_relaxed);
        wf_line_hand_over(shown);
        wf_box_sent(to, offset, wf_call_virt(c));
    }
    wf_call_put_off_since(c, c->start);
    return offset;
}

/* The next one will have no time for that. */
static inline void wf_header_look_for_spare(const struct wf_call *c)
{
    if (c->feed)
        wf_box_look_for_spare(wf_feed_shown_bytes(c->feed));
}

/* The same to whoever will depend on the entry of a collective. steady: it is one that nobody leaves before all have entered; then nobody can be
 * reading any more what was shown in the last but one of these. */
static __attribute__((noinline, unused)) void wf_header_show_entry(struct wf_call *c, struct wf_ranks *ranks, bool steady, struct wf_entry *e)
{
    size_t bytes = steady ? wf_feed_shown_bytes(c->feed) : 0;
    if (bytes)
        e->path = wf_box_pair_block(&ranks->path_blocks, ranks->steady++, bytes);
    else if (!steady)
        e->path = wf_box_show(c->feed, &e->path_ticket);
    if (bytes && e->path) {
        struct wf_shown *shown = wf_box_at(wf_box, e->path);
        wf_feed_show(c->feed, shown);
        wf_line_hand_over(shown);
    }
    wf_call_put_off_since(c, c->start);
}

/* All have entered a collective, so nobody reads any more what was shown in the one before: there the next one is shown. */
static __attribute__((noinline, unused)) void wf_header_expect_entry(struct wf_call *c, struct wf_ranks *ranks)
{
    uint32_t block = wf_box_pair_block(&ranks->path_blocks, ranks->steady, wf_feed_shown_bytes(c->feed));
    wf_feed_expect(c->feed, wf_box_at(wf_box, block));
}

/* The sender's, with a message that has come. Not followed: it is read all the same. */
static __attribute__((noinline, unused)) void wf_header_saw(const struct wf_call *c, const struct wf_header *h, int32_t from, uint64_t latency)
{
    struct wf_shown *shown = h->path ? wf_box_shown(&wf_box_from[from], h->path) : NULL;
    struct wf_shown *next = c->feed && !c->site->path_soon ? wf_box_next_block() : NULL;
    if (next) /* most probably its reader was the one who sent this */
        wf_feed_expect(c->feed, next);
    if (c->feed && shown)
        wf_feed_part(c->feed, &(struct wf_feed_part){.shown = shown, .release = true, .latency = latency, .sent_virt = h->stamp.virt});
    else if (c->feed)
        wf_feed_lost(c->feed);
    else if (shown)
        atomic_store_explicit(&shown->ticket, 0, memory_order_release);
}

/* What is in another's box for a while, or, without a ticket, as long as it is wanted. */
static __attribute__((noinline, unused)) void wf_header_saw_for_now(const struct wf_call *c, int32_t from, uint32_t path, uint64_t ticket, uint64_t virt)
{
    struct wf_shown *shown = path && wf_box_of(from) ? wf_box_shown(&wf_box_from[from], path) : NULL;
    bool message = ticket & WF_TICKET_MESSAGE;
    if (shown && message && (atomic_load_explicit(&shown->ticket, memory_order_acquire) != ticket || wf_feed_has_part(c->feed, shown)))
        return;
    bool stays = ticket == 0 || (message && !wf_process.threads); /* until we have received that message; another thread of ours may do that now */
    if (shown)
        wf_feed_part(c->feed, &(struct wf_feed_part){.shown = shown, .check = stays ? NULL : &shown->ticket, .is = ticket, .sent_virt = virt});
    else
        wf_feed_lost(c->feed);
}

/* To another host. The stamp is of when the header will have been sent, and goes with it: that has to be estimated. */
static __attribute__((noinline, unused)) struct wf_record *wf_header_put_far(struct wf_call *c, int32_t to, struct wf_header *h)
{
    if (!wf_box_to[to].remote || wf_get(wf_box_to[to].absent))
        return NULL;
    uint64_t since = wf_clock_ticks();
    wf_call_feed_begin(c); /* what goes there is written now */
    h->stamp.real += (uint64_t)wf_get(wf_remote_put_ticks);
    struct wf_record *record = wf_remote_put(to, h, c->feed);
    wf_remote_put_took(wf_call_put_off_since(c, since));
    return record;
}

/* With MPI_THREAD_MULTIPLE. */
static __attribute__((noinline, cold, unused)) void wf_header_lock(struct wf_lock *lock)
{
    wf_lock_take(lock);
}

/* Where the receiver's reply to what was put last will be; NULL: none is wanted. Between hosts no send waits for the receiver to be in MPI. */
static inline struct wf_ring *wf_header_replies(const struct wf_writer *w, const struct wf_record *record, uint32_t flags)
{
    if (__builtin_expect(!flags || !record || (flags == WF_HEADER_EAGER && w->remote), 1))
        return NULL;
    struct wf_ring *ring = wf_get(w->ring);
    return ring->replies ? ring : NULL;
}

/* Leaves a header with a message that is about to be sent; *number is its record's, and *ring where a reply to it will be, as above. */
static inline struct wf_record *wf_header_put(struct wf_call *c, int32_t to, uint64_t comm, int tag, uint32_t flags, bool both, uint32_t *number,
                                              struct wf_ring **ring)
{
    uint32_t path = c->feed ? wf_header_show(c, to) : 0;
    wf_call_put_off(c, wf_process.cost.put);
    struct wf_header h = {.comm = comm,
                          .tag = tag,
                          .flags = flags | (both && flags & WF_HEADER_SYNC ? WF_HEADER_BOTH : 0),
                          .stamp = wf_call_stamp(c),
                          .address = c->site->address,
                          .path = path};
    struct wf_writer *w = &wf_box_to[to];
    bool threads = wf_process.threads;
    if (__builtin_expect(threads, 0))
        wf_header_lock(&w->lock);
    struct wf_record *record = wf_box_put(to, &h);
    if (__builtin_expect(!record, 0))
        record = wf_header_put_far(c, to, &h);
    *number = w->next;
    *ring = wf_header_replies(w, record, flags);
    if (__builtin_expect(threads, 0))
        wf_lock_give(&w->lock);
    c->lane->record->headers.sent += record != NULL;
    return record;
}

/* The send of a call that has one; its record is kept in *a until the call has ended. both: the call receives from there, too. */
static inline void wf_header_send_and(struct wf_call *c, struct wf_args *a, bool both)
{
    const struct wf_ranks *ranks = wf_box ? wf_comm_known(a->comm) : NULL;
    int32_t to = wf_header_to(ranks, a->peer);
    a->record = NULL;
    if (to < 0)
        return;
    a->flags = wf_args_flags(a);
    a->record = wf_header_put(c, to, ranks->id, a->tag, a->flags, both, &a->record_number, &a->ring);
}

static inline void wf_header_send(struct wf_call *c, struct wf_args *a)
{
    wf_header_send_and(c, a, false);
}

/* The call failed: nothing was sent. Whoever reads the record gives back what was shown with it. If it has been read, and is another message's by now,
 * that one stays. NULL: the one that is in the ring now, if it is still that. */
static __attribute__((noinline, cold, unused)) void wf_header_take_back(int32_t to, struct wf_record *record, uint32_t number)
{
    struct wf_writer *w = &wf_box_to[to];
    if (wf_process.threads)
        wf_lock_take(&w->lock);
    struct wf_ring *ring = wf_get(w->ring);
    if (!record && ring)
        record = &ring->records[(number - 1) & (ring->capacity - 1)];
    bool same = record && wf_get(record->number) == number;
    if (same && w->remote)
        wf_remote_retract(record);
    else if (same)
        wf_set(record->flags, wf_get(record->flags) | WF_HEADER_DEAD);
    if (wf_process.threads)
        wf_lock_give(&w->lock);
}

static inline void wf_header_retract(const struct wf_args *a)
{
    int32_t to = a->record ? wf_header_to(wf_comm_known(a->comm), a->peer) : -1;
    if (to >= 0)
        wf_header_take_back(to, a->record, a->record_number);
}

/* The receiver's answer to a send that has waited for it, if there is one. A receive that began after the send had ended was not waited for, nor
 * was one that had begun before if the send need not wait. */
static __attribute__((noinline, unused)) void wf_header_reply(const struct wf_call *c, struct wf_ring *ring, uint32_t number, uint32_t flags, int32_t to, struct wf_others *o)
{
    struct wf_stamp stamp;
    struct wf_showing shown;
    uint64_t address;
    bool remote = wf_box_to[to].remote;
    if (__builtin_expect(remote, 0))
        wf_remote_await_reply(ring, number, c->end - c->start);
    if (!wf_box_read_reply(wf_box_reply_of(ring, number), number, &stamp, &address, &shown))
        return;
    wf_set(wf_box_to[to].intrusion, stamp.real - stamp.virt);
    if (__builtin_expect(!remote, 1) && (stamp.real > c->end || (flags == WF_HEADER_EAGER && stamp.real < c->start)))
        return;
    wf_others_add(o, &stamp, 0, to, address, WF_WAIT_LATE_RECEIVER);
    if (c->feed)
        wf_header_saw_for_now(c, to, shown.path, shown.ticket, stamp.virt);
}

/* How long a send would have waited for its receiver without watching, at the most: as much as it is itself later than the receiver, as far as is
 * known. */
static inline uint64_t wf_header_at_stake(const struct wf_call *c, int32_t to)
{
    return wf_less(c->before.intrusion, wf_get(wf_box_to[to].intrusion));
}

/* A send that took much longer than others of its size, or than any memory needs, has waited for its receiver. */
static inline uint64_t wf_header_waited(const struct wf_call *c, uint64_t bytes)
{
    uint64_t took = c->end - c->start, most = wf_limits_copy(bytes), *shared = &wf_process.send_ticks[wf_size_class(bytes)];
    uint64_t least = __atomic_load_n(shared, __ATOMIC_RELAXED);
    if (least == 0 || took < least) {
        least = took < most ? took : most;
        __atomic_store_n(shared, least, __ATOMIC_RELAXED);
    }
    return took > 2 * least ? took : 0;
}

/* With much at stake, waits for the receiver's answer. It is written when the receive begins or, if it had begun before the send, when it ends: now,
 * or as soon as the receiver gets a core. A message that was sent at once gets none for long, and one whose receive was not late gets none at all:
 * then the next ones do not wait for theirs either, and to wait in vain takes no more than a small part of the run. */
static inline void wf_header_await_reply(struct wf_call *c, struct wf_ring *ring, uint32_t number, int32_t to, uint64_t stake)
{
    if (__builtin_expect(stake < wf_limits.long_wait, 1) || wf_box_to[to].remote ||
        __atomic_load_n(&wf_process.vain_ticks, __ATOMIC_RELAXED) > (c->end - wf_process.segment.header->init_end_ticks) / WF_AWAIT_SHARE)
        return;
    const struct wf_reply *reply = wf_box_reply_of(ring, number);
    uint64_t most = stake / 16 < wf_limits.await ? stake / 16 : wf_limits.await;
    bool came = false;
    for (int i = 0; !came && c->awaited < most; i++) {
        came = atomic_load_explicit(&reply->number, memory_order_acquire) == number;
        if (!came && i > 64)
            sched_yield();
        c->awaited = wf_less(wf_clock_ticks(), c->end);
    }
    if (came)
        return;
    __atomic_fetch_add(&wf_process.vain_ticks, c->awaited, __ATOMIC_RELAXED);
    wf_set(wf_box_to[to].intrusion, c->before.intrusion);
}

/* A send that need not wait did not, unless it took long; whether it would have without watching is not known. */
static inline bool wf_header_went_at_once(const struct wf_call *c, uint32_t flags)
{
    return flags == WF_HEADER_EAGER && c->end - c->start < wf_limits.long_wait;
}

static inline void wf_header_eager_sent(struct wf_call *c, struct wf_ring *ring, uint32_t number, int32_t to, struct wf_others *o)
{
    if (__builtin_expect(wf_header_went_at_once(c, WF_HEADER_EAGER), 1))
        return;
    wf_header_await_reply(c, ring, number, to, c->end - c->start);
    wf_header_reply(c, ring, number, WF_HEADER_EAGER, to, o);
}

static inline void wf_header_sent(struct wf_call *c, const struct wf_args *a, int32_t to, struct wf_others *o)
{
    if (__builtin_expect(a->ring == NULL, 1))
        return;
    if (a->flags == WF_HEADER_EAGER) {
        wf_header_eager_sent(c, a->ring, a->record_number, to, o);
        return;
    }
    uint64_t waited = wf_header_waited(c, (uint64_t)a->n * wf_type_bytes(a->type));
    if (!o->both)
        wf_header_await_reply(c, a->ring, a->record_number, to, wf_max(waited, wf_header_at_stake(c, to)));
    wf_header_reply(c, a->ring, a->record_number, a->flags, to, o);
}

/* A send is complete; how long that took tells nothing of it, because it may have been completed together with others. */
static inline void wf_header_send_complete(struct wf_call *c, struct wf_ring *ring, uint32_t number, uint32_t flags, int32_t to,
                                           struct wf_others *o)
{
    if (flags == WF_HEADER_EAGER) {
        wf_header_eager_sent(c, ring, number, to, o);
        return;
    }
    wf_header_await_reply(c, ring, number, to, wf_header_at_stake(c, to));
    wf_header_reply(c, ring, number, flags, to, o);
}

/* The header of a message that has come. */
static inline void wf_header_came(const struct wf_call *c, const struct wf_header *h, int32_t from, uint64_t bytes, bool blocking, struct wf_others *o)
{
    struct wf_latency *l = &wf_process.latency[wf_size_class(bytes) + (h->flags & WF_HEADER_FAR) / WF_HEADER_FAR * WF_SIZE_CLASSES];
    bool sync = h->flags & WF_HEADER_SYNC;
    c->lane->record->headers.taken++;
    if (blocking && !sync)
        wf_latency_learn(l, h->stamp.real, c->start, c->end);
    uint64_t latency = sync ? 0 : wf_latency_estimate(l), longest = wf_less(c->end, h->stamp.real);
    latency = latency < longest ? latency : longest;
    wf_others_add(o, &h->stamp, latency, from, h->address, WF_WAIT_LATE_SENDER);
    o->both = h->flags & WF_HEADER_BOTH;
    if (c->feed || h->path)
        wf_header_saw(c, h, from, latency);
}

static inline void wf_header_missing(const struct wf_call *c, int32_t from)
{
    if (from < 0)
        return;
    c->lane->record->headers.missing++;
    if (c->feed)
        wf_feed_lost(c->feed);
}

/* A blocking receive is about to begin: its sender may be waiting for it. both: the call sends as well. */
static inline void wf_header_announce(struct wf_call *c, const struct wf_args *a, int source, int tag, bool both)
{
    const struct wf_ranks *ranks = wf_box ? wf_comm_known(a->comm) : NULL;
    int32_t from = wf_header_to(ranks, source);
    if (from < 0)
        return;
    c->expected = wf_box_expected(&wf_box_from[from]);
    if (__builtin_expect(!(both ? wf_match_is_awaited_by_both(from) : wf_match_is_awaited(from)), 1))
        return;
    struct wf_stamp begin = wf_call_stamp(c);
    uint64_t since = wf_clock_ticks();
    wf_match_announce(from, tag == MPI_ANY_TAG ? WF_ANY : tag, ranks->id, &begin, c->site->address);
    if (wf_box_from[from].remote)
        wf_call_put_off_since(c, since);
}

/* A blocking receive has ended. */
static inline void wf_header_received(struct wf_call *c, const struct wf_args *a, int32_t from, struct wf_others *o)
{
    struct wf_header h;
    const struct wf_ranks *ranks = wf_box && from >= 0 ? wf_comm_known(a->comm) : NULL;
    if (!ranks)
        return;
    struct wf_stamp begin = wf_call_stamp(c);
    if (wf_match_receive(from, a->status->MPI_TAG, ranks->id, &begin, c->site->address, &h, wf_process.threads))
        wf_header_came(c, &h, from, wf_status_bytes(a->status), true, o);
    else
        wf_header_missing(c, from);
}

/* The path as it is where a receive is posted. */
static __attribute__((noinline, unused)) void wf_header_show_post(struct wf_call *c, struct wf_posted *posted)
{
    struct wf_showing shown;
    shown.path = wf_box_show(c->feed, &shown.ticket);
    wf_match_show(posted, shown);
    wf_call_put_off_since(c, c->start);
}

static inline struct wf_posted *wf_header_post_to(struct wf_call *c, int32_t source, int32_t tag, uint64_t comm)
{
    struct wf_stamp begin = wf_call_stamp(c);
    struct wf_posted *posted = wf_match_post(source, tag, comm, &begin, c->site->address);
    if (__builtin_expect(posted && wf_get(wf_box_is_late) && c->feed, 0))
        wf_header_show_post(c, posted);
    return posted;
}

/* A receive is about to be posted. */
static inline struct wf_posted *wf_header_post(struct wf_call *c, const struct wf_ranks *ranks, int source, int tag)
{
    if (!wf_box || !ranks || (source != MPI_ANY_SOURCE && wf_header_to(ranks, source) < 0))
        return NULL;
    return wf_header_post_to(c, source == MPI_ANY_SOURCE ? WF_ANY : ranks->partner[source], tag == MPI_ANY_TAG ? WF_ANY : tag, ranks->id);
}

static inline void wf_header_unpost(struct wf_posted *posted)
{
    if (posted)
        wf_match_forget(posted);
}

/* Collectives. */

static inline __attribute__((always_inline)) void wf_header_write_entry(uint64_t comm, uint32_t number, const struct wf_entry *e)
{
    bool threads = wf_process.threads;
    if (__builtin_expect(threads, 0))
        wf_header_lock(&wf_box_entering);
    wf_box_enter(wf_box, comm, number, e);
    if (__builtin_expect(threads, 0))
        wf_lock_give(&wf_box_entering);
}

/* The caller enters: whoever will depend on it may read this from now on. */
static inline __attribute__((always_inline)) void wf_header_enter(struct wf_call *c, struct wf_ranks *ranks, uint32_t number, bool steady)
{
    struct wf_entry e = {.address = wf_call_through(c)};
    if (c->feed)
        wf_header_show_entry(c, ranks, steady, &e);
    wf_call_put_off(c, wf_process.cost.put);
    e.stamp = wf_call_stamp(c);
    wf_header_write_entry(ranks->id, number, &e);
    c->lane->record->headers.sent++;
}

/* And those on other hosts are told. */
static __attribute__((noinline, unused)) void wf_header_enter_far(struct wf_call *c, struct wf_ranks *ranks, uint32_t number, enum wf_waits waits,
                                                                  int root)
{
    uint64_t since = wf_clock_ticks();
    struct wf_stamp stamp = wf_call_stamp(c);
    if (wf_remote_enter(ranks, waits, root, number, &stamp, wf_call_through(c), c->feed)) {
        wf_remote_put_took(wf_call_put_off_since(c, since));
        struct wf_entry e = {.path = 0};
        wf_box_entered(wf_box, ranks->id, number, &e);
        e.stamp = wf_call_stamp(c); /* now it is known */
        wf_header_write_entry(ranks->id, number, &e);
    }
}

/* Which of the members the caller depends on. */
static inline bool wf_waits_for(const struct wf_ranks *ranks, enum wf_waits waits, int root, int member)
{
    switch (waits) {
    case WF_WAITS_none:
    case WF_WAITS_neighbours:
        return false;
    case WF_WAITS_barrier:
    case WF_WAITS_all:
        return member != ranks->rank;
    case WF_WAITS_root:
        return member == root && ranks->rank != root;
    case WF_WAITS_members:
        return ranks->rank == root && member != root;
    case WF_WAITS_below:
        return member < ranks->rank;
    }
    return false;
}

static const uint8_t wf_wait_of[] = {
    [WF_WAITS_barrier] = WF_WAIT_BARRIER,       [WF_WAITS_all] = WF_WAIT_ALL_TO_ALL,      [WF_WAITS_root] = WF_WAIT_LATE_BROADCAST,
    [WF_WAITS_members] = WF_WAIT_EARLY_REDUCE,  [WF_WAITS_below] = WF_WAIT_SCAN,          [WF_WAITS_neighbours] = WF_WAIT_NEIGHBOUR,
};

static inline void wf_header_member(const struct wf_call *c, const struct wf_ranks *ranks, int32_t member, uint32_t number, enum wf_waits waits, struct wf_others *o)
{
    struct wf_entry e;
    const struct wf_box *box = member >= 0 ? wf_box_of(member) : NULL;
    bool found = box && wf_box_entered(box, ranks->id, number, &e);
    if (__builtin_expect(!found, 0) && box && wf_box_from[member].remote && wf_remote_reaches(ranks->size, waits))
        found = wf_remote_await_entry(member, ranks->id, number) && wf_box_entered(box, ranks->id, number, &e);
    if (found) {
        wf_others_add(o, &e.stamp, 0, member, e.address, wf_wait_of[waits]);
        if (c->feed)
            wf_header_saw_for_now(c, member, e.path, e.path_ticket, e.stamp.virt);
        c->lane->record->headers.taken++;
    } else {
        wf_header_missing(c, member);
    }
}

/* The collective is complete: when did those enter that the caller had to wait for? */
static inline void wf_header_gather(const struct wf_call *c, struct wf_ranks *ranks, MPI_Comm comm, uint32_t number, enum wf_waits waits, int root, struct wf_others *o)
{
    if (waits == WF_WAITS_neighbours) {
        int count;
        const int32_t *sources = wf_comm_sources(ranks, comm, &count);
        for (int i = 0; i < count; i++)
            if (sources[i] != ranks->partner[ranks->rank])
                wf_header_member(c, ranks, sources[i], number, waits, o);
        return;
    }
    if (waits == WF_WAITS_root) {
        if (ranks->rank != root && root >= 0 && root < ranks->size)
            wf_header_member(c, ranks, ranks->partner[root], number, waits, o);
        return;
    }
    for (int i = 0; i < ranks->size; i++)
        if (wf_waits_for(ranks, waits, root, i))
            wf_header_member(c, ranks, ranks->partner[i], number, waits, o);
}

#endif
