/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the classes of calls do with headers: leave one with what is sent, find the one that came with what was
 * received, and put together on whom a call depended. Before a call nothing here asks MPI anything: its handles may be
 * wrong, and only known communicators are followed.
 *
 * What is inline becomes part of the wrappers; the rest is in header.c. No state of its own; any thread, in its call.
 */
#ifndef WF_HEADER_H
#define WF_HEADER_H

#include "measure/clock/limits.h"
#include "measure/event/call.h"
#include "measure/exchange/comm.h"
#include "measure/exchange/match.h"
#include "measure/exchange/race.h"
#include "measure/exchange/snapshot.h"
#include "measure/library/flavour.h"
#include "measure/exchange/args.h"

/* From this size on a send may wait for its receiver: no MPI library sends more at once without being asked to. */
#define WF_SYNC_BYTES 4096u

/* Above this size a send may wait until its receiver is in MPI, although that need not have begun the receive. Open
 * MPI's do, within a host: they are complete when the receiver has given back the memory that they came in. */
#define WF_EAGER_BYTES 256u

/* A message of another sender was sent earlier if that was at least this part of the wait before the end. */
#define WF_ORDER_SHARE 10u

/* Do headers go with this process's messages? */
static inline bool wf_header_is_on(void)
{
    return wf_links.of != NULL;
}

/* What leaving a header costs, the best of many that the process sends to itself: told to measure/process. */
void wf_header_calibrate(int rank);

/* On whom a call depended, and how the wait for the latest of them is called. */
struct wf_others {
    struct wf_merge merge;
    uint32_t kind; /* enum wf_wait_kind */
    bool both;     /* what came has told when the other's receive began, too */
};

static inline void wf_others_add(struct wf_others *o, const struct wf_stamp *stamp, uint64_t latency, int32_t who,
                                 uint64_t address, uint32_t kind)
{
    uint64_t latest = o->merge.entry_virt;
    wf_merge_add(&o->merge, stamp, latency, who, address);
    if (o->merge.parts == 1 || o->merge.entry_virt != latest)
        o->kind = kind;
}

/* Whose work was behind a long wait of `ticks`? And tells those that wait for this process. It gets values, and no
 * event: an event whose address was taken would be written and copied in every call. */
const struct wf_roots *wf_header_find_roots(struct wf_call *c, uint64_t ticks, int32_t culprit, uint64_t through);

/* The last call was long, and it is not known why. So a wait for the caller that comes from this has no known root. */
void wf_header_tell_unknown(struct wf_call *c);

/* The wait is in the wrong order if another message was sent before the one that was waited for, and is still not
 * received. If another sender has sent it, it was so much earlier that it could have been received meanwhile. Where
 * several threads may receive, another one may be about to; and a call that completes several had to wait for all. */
static inline void wf_others_find_order(struct wf_others *o, uint64_t begin_virt)
{
    uint64_t sent = o->merge.entry_virt, wait = wf_less(sent, begin_virt);
    if (__builtin_expect(wait > wf_limits.long_wait && o->merge.parts == 1 && !wf_process.threads, 0) &&
        wf_match_earlier(o->merge.who, sent, sent - wait / WF_ORDER_SHARE))
        o->kind = WF_WAIT_WRONG_ORDER;
}

static inline __attribute__((always_inline)) void wf_call_settle_with(struct wf_call *c, struct wf_others *o,
                                                                      struct wf_event *e)
{
    if (o->kind == WF_WAIT_LATE_SENDER)
        wf_others_find_order(o, wf_call_virt(c));
    wf_call_settle(c, &o->merge, o->kind, e);
    if (__builtin_expect(e->times.sync > wf_limits.long_wait, 0))
        e->roots = wf_header_find_roots(c, e->times.sync, e->culprit, e->through);
}

/* The same for a call that may go on with a chain of polls. */
void wf_call_settle_polled(struct wf_call *c, struct wf_others *o, struct wf_event *e);
void wf_call_take_polled(struct wf_call *c, struct wf_others *o, int32_t partner, uint64_t num, uint64_t bytes);

/* A call that depended on others, or may have. */
static inline __attribute__((always_inline)) void wf_call_take_with(struct wf_call *c, struct wf_others *o,
                                                                    int32_t partner, uint64_t num, uint64_t bytes)
{
    if (__builtin_expect(c->chained, 0)) {
        struct wf_others polled = *o; /* one whose address is taken would be in memory in every call */
        wf_call_take_polled(c, &polled, partner, num, bytes);
        return;
    }
    struct wf_event e;
    wf_call_settle_with(c, o, &e);
    wf_call_take(c, &e, partner, num, bytes);
}

/* ---- messages that are sent ---- */

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

/* The receiver's world rank, or -1: no header would reach it. */
static inline int32_t wf_header_to(const struct wf_group *group, int peer)
{
    return group && peer >= 0 && peer < group->size ? group->partner[peer] : -1;
}

/* The next send will have no time for that. */
static inline void wf_header_look_for_spare(const struct wf_call *c)
{
    if (c->feed)
        wf_snapshot_look_for_spare(c->feed);
}

/* Shows the path to the receiver. */
static inline uint32_t wf_header_show(struct wf_call *c, const struct wf_link *link, int32_t to)
{
    if (!wf_link_is_local(link))
        return 0;
    uint32_t path = wf_snapshot_show(c->feed, to, c->late, wf_call_virt(c));
    if (!c->late)
        wf_call_put_off_since(c, c->start);
    return path;
}

/* To another host, if the rank is on one. */
struct wf_record *wf_header_put_far(struct wf_call *c, struct wf_link *link, const struct wf_header *h);

/* wf_race_show, where there is something to show. */
uint32_t wf_header_show_known_now(struct wf_call *c, uint32_t flags);

static inline uint32_t wf_header_show_known(struct wf_call *c, uint32_t flags)
{
    return __builtin_expect(wf_races.on, 0) ? wf_header_show_known_now(c, flags) : 0;
}

/* Leaves a header with a message that is about to be sent; NULL: there is none. *number is its record's, and *ring
 * where the receiver's reply to it will be; NULL: none is wanted. both: the call receives from there, too. */
static inline struct wf_record *wf_header_put(struct wf_call *c, int32_t to, uint64_t comm, int tag, uint32_t flags,
                                              bool both, uint32_t *number, struct wf_ring **ring)
{
    struct wf_link *link = wf_link_to(to);
    uint32_t path = c->feed ? wf_header_show(c, link, to) : 0, known = wf_header_show_known(c, flags);
    wf_call_put_off(c, wf_process.cost.put);
    struct wf_header h = {.comm = comm,
                          .tag = tag,
                          .flags = flags | (both && flags & WF_HEADER_SYNC ? WF_HEADER_BOTH : 0),
                          .stamp = wf_call_stamp(c),
                          .address = c->site->address,
                          .path = path,
                          .known = known};
    wf_threads_lock(&link->to.lock);
    struct wf_record *record = wf_link_put(link, &h);
    if (__builtin_expect(!record, 0))
        record = wf_header_put_far(c, link, &h);
    *number = link->to.next;
    *ring = __builtin_expect(!flags || !record, 1) ? NULL : wf_link_replies(link, flags);
    wf_threads_unlock(&link->to.lock);
    c->lane->record->headers.sent += record != NULL;
    return record;
}

/* The send of a call that has one; its record is kept in *a until the call has ended. both: the call receives from
 * there, too. */
static inline void wf_header_send_and(struct wf_call *c, struct wf_args *a, bool both)
{
    const struct wf_group *group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL;
    int32_t to = wf_header_to(group, a->peer);
    a->record = NULL;
    if (to < 0)
        return;
    a->flags = wf_args_flags(a);
    a->record = wf_header_put(c, to, group->id, a->tag, a->flags, both, &a->record_number, &a->ring);
}

static inline void wf_header_send(struct wf_call *c, struct wf_args *a)
{
    wf_header_send_and(c, a, false);
}

/* The call failed: the message of this record was not sent. The reader of the record gives back what was shown with it.
 */
void wf_header_take_back(int32_t to, struct wf_record *record, uint32_t number);

static inline void wf_header_retract(const struct wf_args *a)
{
    int32_t to = a->record ? wf_header_to(wf_comm_known(a->comm), a->peer) : -1;
    if (to >= 0)
        wf_header_take_back(to, a->record, a->record_number);
}

/* ---- replies to what was sent ---- */

/* The receiver's reply to a send that has waited for it, if there is one; with a `stake` that is worth it, waits for
 * it. The stake is how long the send would have waited for its receiver without watching, at the most. */
void wf_header_reply(struct wf_call *c, struct wf_ring *ring, uint32_t number, uint32_t flags, int32_t to,
                     uint64_t stake, struct wf_others *o);

/* As much as the send is itself later than the receiver, as far as is known. */
static inline uint64_t wf_header_at_stake(const struct wf_call *c, int32_t to)
{
    return wf_less(c->before.intrusion, wf_get(wf_link_to(to)->intrusion));
}

/* A send that took much longer than others of its size, or than any memory needs, has waited for its receiver. */
static inline uint64_t wf_header_waited(const struct wf_call *c, uint64_t bytes)
{
    uint64_t took = c->end - c->start, most = wf_limits_copy(bytes),
             *shared = &wf_process.send_ticks[wf_size_class(bytes)];
    uint64_t least = __atomic_load_n(shared, __ATOMIC_RELAXED);
    if (least == 0 || took < least) {
        least = took < most ? took : most;
        __atomic_store_n(shared, least, __ATOMIC_RELAXED);
    }
    return took > 2 * least ? took : 0;
}

/* A send that need not wait did not, unless it took long; whether it would have without watching is not known. */
static inline bool wf_header_went_at_once(const struct wf_call *c, uint32_t flags)
{
    return flags == WF_HEADER_EAGER && c->end - c->start < wf_limits.long_wait;
}

static inline void wf_header_eager_sent(struct wf_call *c, struct wf_ring *ring, uint32_t number, int32_t to,
                                        struct wf_others *o)
{
    if (__builtin_expect(!wf_header_went_at_once(c, WF_HEADER_EAGER), 0))
        wf_header_reply(c, ring, number, WF_HEADER_EAGER, to, c->end - c->start, o);
}

/* A call that sends has ended. */
static inline void wf_header_sent(struct wf_call *c, const struct wf_args *a, int32_t to, struct wf_others *o)
{
    if (__builtin_expect(a->ring == NULL, 1))
        return;
    if (a->flags == WF_HEADER_EAGER) {
        wf_header_eager_sent(c, a->ring, a->record_number, to, o);
        return;
    }
    uint64_t waited = wf_header_waited(c, (uint64_t)a->n * wf_type_bytes(a->type));
    uint64_t stake = o->both ? 0 : wf_max(waited, wf_header_at_stake(c, to));
    wf_header_reply(c, a->ring, a->record_number, a->flags, to, stake, o);
}

/* So much of a long call is not explained by what it has completed so far. */
static inline uint64_t wf_header_unexplained(const struct wf_call *c, const struct wf_others *o)
{
    uint64_t rest = wf_less(c->end, wf_max(c->start, o->merge.real));
    return c->chained || rest > wf_limits.long_call ? rest : 0;
}

/* A send is complete, perhaps together with other operations. */
static inline void wf_header_send_complete(struct wf_call *c, struct wf_ring *ring, uint32_t number, uint32_t flags,
                                           int32_t to, struct wf_others *o)
{
    if (flags == WF_HEADER_EAGER)
        wf_header_eager_sent(c, ring, number, to, o);
    else
        wf_header_reply(c, ring, number, flags, to, wf_max(wf_header_at_stake(c, to), wf_header_unexplained(c, o)), o);
}

/* ---- messages that are received ---- */

/* Sees what the sender has shown with a message. feed: NULL: the call is not followed. */
void wf_header_saw(struct wf_feed *feed, const struct wf_site *site, int32_t from, uint64_t latency,
                   const struct wf_header *h);

/* The receive may tell how long messages of its size take. It does not if it took so long, once both were there, that
 * it had no core, or did something else. What other hosts send may take any time. */
static inline bool wf_header_shows_latency(const struct wf_call *c, const struct wf_header *h, uint64_t bytes)
{
    uint64_t seen = wf_less(c->end, wf_max(c->start, h->stamp.real));
    return __builtin_expect(seen <= wf_limits.long_call, 1) || h->flags & WF_HEADER_FAR ||
           seen <= wf_limits.long_call + 4 * wf_limits_copy(bytes);
}

/* The header of a message that has come. */
static inline void wf_header_came(const struct wf_call *c, const struct wf_header *h, int32_t from, uint64_t bytes,
                                  bool blocking, struct wf_others *o)
{
    struct wf_latency *l =
        &wf_process.latency[wf_size_class(bytes) + (h->flags & WF_HEADER_FAR) / WF_HEADER_FAR * WF_SIZE_CLASSES];
    bool sync = h->flags & WF_HEADER_SYNC;
    c->lane->record->headers.taken++;
    if (blocking && !sync && !c->chained && wf_header_shows_latency(c, h, bytes))
        wf_latency_learn(l, h->stamp.real, c->start, c->end);
    uint64_t latency = sync ? 0 : wf_latency_estimate(l), longest = wf_less(c->end, h->stamp.real);
    latency = latency < longest ? latency : longest;
    wf_others_add(o, &h->stamp, latency, from, h->address, WF_WAIT_LATE_SENDER);
    o->merge.real = wf_max(o->merge.real, c->granted);
    o->both = h->flags & WF_HEADER_BOTH;
    if (c->feed || h->path)
        wf_header_saw(c->feed, c->site, from, latency, h);
}

static inline void wf_header_missing(const struct wf_call *c, int32_t from)
{
    if (from < 0)
        return;
    c->lane->record->headers.missing++;
    wf_race_lose();
    if (c->feed)
        wf_feed_lost(c->feed);
}

/* A probe for a message of this source and with this tag, which may be any, has found one of `from`. */
void wf_header_found(struct wf_call *c, const struct wf_args *a, int32_t from, struct wf_others *o);

/* A call has found a message that is received later. */
void wf_header_probed(const struct wf_call *c, const struct wf_header *h, int32_t from, struct wf_others *o);

/* Its sender may be waiting for it: it is told. */
static inline void wf_header_announce_now(struct wf_call *c, int32_t from, int32_t tag, uint64_t comm)
{
    struct wf_stamp begin = wf_call_stamp(c);
    uint64_t since = wf_clock_ticks();
    wf_match_announce(from, tag, comm, &begin, c->site->address);
    if (wf_link_is_far(wf_link_to(from)))
        wf_call_put_off_since(c, since);
}

/* A receive or a probe is about to be complete: is it from any source? */
static inline void wf_header_expect(int source)
{
    if (source == MPI_ANY_SOURCE)
        wf_match_expect_any();
}

/* A blocking receive from this rank of the world is about to begin. both: the call sends as well. */
static inline void wf_header_announce_to(struct wf_call *c, const struct wf_group *group, int32_t from, int tag,
                                         bool both)
{
    const struct wf_link *link = wf_link_to(from);
    c->expected = wf_link_expected(link);
    if (__builtin_expect(both ? wf_match_is_awaited_by_both(link) : wf_match_is_awaited(link), 0))
        wf_header_announce_now(c, from, tag == MPI_ANY_TAG ? WF_ANY : tag, group->id);
}

static inline void wf_header_announce(struct wf_call *c, const struct wf_args *a, int source, int tag, bool both)
{
    const struct wf_group *group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL;
    int32_t from = wf_header_to(group, source);
    if (from >= 0)
        wf_header_announce_to(c, group, from, tag, both);
    else
        wf_header_expect(source);
}

/* A receive is over, and nothing is known of its message. from: the sender, as far as that is known. */
static inline void wf_header_unknown(struct wf_call *c, int source, int32_t from)
{
    if (from != WF_PARTNER_NONE)
        wf_race_lose();
    if (__builtin_expect(source == MPI_ANY_SOURCE, 0))
        wf_order_count_undecided(wf_lane_order(c->lane, c->site));
}

/* wf_header_received, where it takes longer. */
void wf_header_received_slow(struct wf_call *c, const MPI_Status *status, uint64_t comm, int32_t from, int source,
                             int tag, struct wf_others *o);

/* A blocking receive, or a matching probe, from this source and with this tag has ended; they may be any. */
static inline void wf_header_received(struct wf_call *c, const struct wf_args *a, int32_t from, int source, int tag,
                                      struct wf_others *o)
{
    struct wf_header h;
    const struct wf_group *group = wf_header_is_on() && from >= 0 ? wf_comm_known(a->comm) : NULL;
    if (!group) {
        wf_header_unknown(c, source, from);
        return;
    }
    struct wf_stamp begin = wf_call_stamp(c);
    if (__builtin_expect(wf_match_receive_at_once(from, a->status->MPI_TAG, group->id, &begin, c->site->address, &h),
                         1)) {
        wf_header_came(c, &h, from, wf_status_bytes(a->status), true, o);
        return;
    }
    struct wf_others others = *o; /* one whose address is taken would be in memory in every call */
    wf_header_received_slow(c, a->status, group->id, from, source, tag, &others);
    *o = others;
}

static inline struct wf_posted *wf_header_post_to(struct wf_call *c, int32_t source, int32_t tag, uint64_t comm)
{
    struct wf_stamp begin = wf_call_stamp(c);
    struct wf_posted *posted = wf_match_post(source, tag, comm, &begin, c->site->address);
    if (__builtin_expect(posted && wf_get(wf_snapshots.late) && c->feed, 0)) {
        wf_match_show(posted, wf_snapshot_show_for_now(c->feed));
        wf_call_put_off_since(c, c->start);
    }
    if (__builtin_expect(posted && source == WF_ANY, 0))
        wf_match_count(posted, wf_lane_order(c->lane, c->site));
    return posted;
}

/* A receive is about to be posted. */
static inline struct wf_posted *wf_header_post(struct wf_call *c, const struct wf_group *group, int source, int tag)
{
    if (!wf_header_is_on() || !group || (source != MPI_ANY_SOURCE && wf_header_to(group, source) < 0)) {
        if (source != MPI_PROC_NULL)
            wf_race_lose();
        return NULL;
    }
    return wf_header_post_to(c, source == MPI_ANY_SOURCE ? WF_ANY : group->partner[source],
                             tag == MPI_ANY_TAG ? WF_ANY : tag, group->id);
}

static inline void wf_header_unpost(struct wf_posted *posted)
{
    if (posted)
        wf_match_forget(posted);
}

/* ---- collectives ---- */

/* The statement that a collective's member came through: what it waited for, or did, before. */
static inline uint64_t wf_call_through(const struct wf_call *c)
{
    return c->lane->previous ? c->lane->previous : c->site->address;
}

static inline __attribute__((always_inline)) void wf_header_write_entry(uint64_t comm, uint32_t number,
                                                                        const struct wf_entry *e)
{
    wf_threads_lock(&wf_own_box.entering);
    wf_slots_enter(&wf_own_box.box->slots, comm, number, e);
    wf_threads_unlock(&wf_own_box.entering);
}

/* The caller enters what has this name and number, through a statement: those that depend on it may read this from now
 * on. pair: where its path is shown, if no member leaves before all have entered; else NULL. */
static inline __attribute__((always_inline)) struct wf_entry
wf_header_enter_as(struct wf_call *c, struct wf_snapshot_pair *pair, uint64_t id, uint32_t number, uint64_t through)
{
    struct wf_entry e = {.address = through, .known = wf_header_show_known(c, 0)};
    if (c->feed) {
        wf_snapshot_show_entry(c->feed, pair, &e);
        wf_call_put_off_since(c, c->start);
    }
    wf_call_put_off(c, wf_process.cost.put);
    e.stamp = wf_call_stamp(c);
    wf_header_write_entry(id, number, &e);
    c->lane->record->headers.sent++;
    return e;
}

/* A collective of a group. steady: no member leaves it before all have entered. */
static inline __attribute__((always_inline)) void wf_header_enter(struct wf_call *c, struct wf_group *group,
                                                                  uint32_t number, bool steady)
{
    wf_header_enter_as(c, steady ? &group->shown : NULL, group->id, number, wf_call_through(c));
}

/* And those on other hosts are told, if some are reached (wf_links.far). */
void wf_header_enter_far(struct wf_call *c, struct wf_group *group, uint32_t number, enum wf_depends depends, int root);

/* All have entered, in a call that is followed: the next snapshot is shown where no member reads any more. */
static inline void wf_header_expect_entry(struct wf_call *c, const struct wf_group *group)
{
    if (group->shown.first)
        wf_snapshot_expect_entry(c->feed, &group->shown);
}

/* The collective is complete: when did those enter that the caller had to wait for? */
void wf_header_gather(const struct wf_call *c, struct wf_group *group, MPI_Comm comm, uint32_t number,
                      enum wf_depends depends, int root, struct wf_others *o);

#endif
