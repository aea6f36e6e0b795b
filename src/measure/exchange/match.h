/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which header belongs to which receive: MPI's matching, replayed. Messages of one sender on one communicator match in
 * the order they were sent, and receives in the order they were posted. So, of the receives from one sender, the one
 * posted first takes the first-sent header that fits it, whatever order they are completed in. With receives from any
 * source under way the answer may depend on timing: then the first that fits is taken and, if there were others,
 * counted as ambiguous.
 *
 * Any thread: with MPI_THREAD_MULTIPLE its lock is held for all that receives headers. Knows no MPI: sources are world
 * ranks, communicators numbers that all members agree on.
 */
#ifndef WF_MATCH_H
#define WF_MATCH_H

#include "base/pool.h"
#include "measure/exchange/exchange.h"
#include "measure/exchange/link.h"
#include "measure/exchange/wildcard.h"

/* A receive that is posted, not complete yet; and later the header that it got. */
struct wf_posted;

/* This process receives from any source from now on: so each message that it takes may matter. */
void wf_match_expect_any_slow(void);

/* `begin` is when it was posted: senders that wait for it are told. NULL: no room, it will not be followed. */
struct wf_posted *wf_match_post(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin,
                                uint64_t address);

/* What it waits for. */
struct wf_match_wanted {
    int32_t tag; /* or WF_ANY */
    bool came;   /* its header has been seen: the message is on its way */
    uint64_t comm;
};
void wf_match_wants(const struct wf_posted *posted, struct wf_match_wanted *wanted);

/* What its thread showed of the critical path where it was posted: for senders that wait for it. */
void wf_match_show(struct wf_posted *posted, struct wf_showing shown);

/* Its source is any: where it counts. NULL: nowhere. */
void wf_match_count(struct wf_posted *posted, struct wf_order_record *record);

/* It is complete, with a message of this source and tag, by a call that began at `begin`. False: there is no header for
 * it. Forgets it. */
bool wf_match_complete(struct wf_posted *posted, int32_t source, int32_t tag, const struct wf_stamp *begin,
                       uint64_t address, struct wf_header *header);

/* It is over, with such a message, and will be completed later: looks at its header, which stays its own. */
bool wf_match_look(struct wf_posted *posted, int32_t source, int32_t tag, struct wf_header *header);

/* It will not be completed: cancelled, failed. */
void wf_match_forget(struct wf_posted *posted);

/* The same for a receive that is posted and completed at once. `begin` as above. by: its source was any; NULL: it was
 * this one. */
bool wf_match_receive(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address,
                      const struct wf_wildcard *by, struct wf_header *header);

/* A blocking receive is about to begin: a sender that waits for it already is told. */
void wf_match_announce(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address);

/* Looks without taking, for a probe. `by` as above. */
bool wf_match_peek(int32_t source, int32_t tag, uint64_t comm, const struct wf_wildcard *by, struct wf_header *header);

/* The first-sent message of a sender that a receive would get that was posted as number `order` (WF_MATCH_NOW: now).
 * Where no receive is posted, nothing is read but looked at, so other processes still see it on its way. False: there
 * is none yet. */
#define WF_MATCH_NOW UINT64_MAX
bool wf_match_first(int32_t source, int32_t tag, uint64_t comm, uint64_t order, struct wf_header *header);

/* Of the receives from any source, the first posted one of this tag and communicator that has no header yet: its
 * number; WF_MATCH_NOW: there is none. */
uint64_t wf_match_order(int32_t tag, uint64_t comm);

/* It gets the first-sent header of this sender that fits. */
void wf_match_reserve(int32_t tag, uint64_t comm, int32_t source);

/* Does a posted receive fit a message of this sender? */
bool wf_match_accepts(int32_t source, int32_t tag, uint64_t comm);

/* The earliest virtual send time of a header that was read already, and that such a receive fits (source, tag: or
 * WF_ANY); UINT64_MAX: there is none. */
uint64_t wf_match_aside(int32_t source, int32_t tag, uint64_t comm);

/* Is there a message that is not received yet, and was sent before `virt` by this sender, or before `others_virt` by
 * another one? */
bool wf_match_earlier(int32_t sender, uint64_t virt, uint64_t others_virt);

struct wf_match {
    uint32_t open;   /* receives that are posted and not complete, headers that were passed over, and `any`: while there
                        are any, matching takes the long way */
    uint32_t any;    /* 1: this process receives from any source */
    uint32_t posted; /* so many of these are receives, */
    uint32_t waiting;              /* and so many of the receives have no header yet */
    _Atomic uint32_t unanswered;   /* so many of those headers want a reply */
    struct wf_lock lock;           /* for all this and the links' readers, with MPI_THREAD_MULTIPLE */
    uint64_t orders;               /* receives so far */
    struct wf_match_queue *queues; /* of receives from any source, then by world rank; NULL: none yet */
    struct wf_pool cells;
};

extern struct wf_match wf_match WF_HIDDEN;

/* Does the sender wait for a receive, as far as is known? */
static inline bool wf_match_is_awaited(const struct wf_link *from)
{
    return wf_get(wf_match.unanswered) || wf_link_is_awaited(from);
}

/* The same for a receive that does not end before a send that its call makes, too: a sender that first sends and then
 * receives would wait in vain for a reply at the end. One that is in such a call itself has our message to tell. */
static inline bool wf_match_is_awaited_by_both(const struct wf_link *from)
{
    return wf_link_next_waits(from) || wf_match_is_awaited(from);
}

/* Before its first receive or probe from any source is complete. */
static inline void wf_match_expect_any(void)
{
    if (__builtin_expect(!wf_match.any, 0))
        wf_match_expect_any_slow();
}

/* wf_match_receive as fast as it can be: in a process of one thread, with nothing else under way, which has received
 * from no source that was not named. False: it has to go the long way. */
static inline bool wf_match_receive_at_once(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin,
                                            uint64_t address, struct wf_header *header)
{
    if (__builtin_expect(!wf_process.threads && wf_match.open == 0, 1)) {
        struct wf_link *link = wf_link_to(source);
        struct wf_record *record = wf_ring_peek(&link->from);
        if (__builtin_expect(record && wf_get(record->comm) == comm && wf_get(record->tag) == tag &&
                                 !(wf_get(record->flags) & WF_HEADER_DEAD),
                             1)) {
            uint32_t number = wf_ring_take(&link->from, record, header);
            if (__builtin_expect(wf_header_wants_reply(header), 0))
                wf_link_reply_now(link, number, header, begin, address);
            return true;
        }
    }
    return false;
}

#endif
