/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which header belongs to which receive: MPI's matching, replayed. Messages of one sender on one communicator match in the order they were
 * sent, receives in the order they were posted; so, of the receives from one sender, the one posted first takes the first-sent header that
 * fits it, whatever order they are completed in. With receives from any source under way the answer may depend on timing: then the
 * first that fits is taken and, if there were others, counted as ambiguous.
 *
 * Any thread. Knows no MPI: sources are world ranks, communicators numbers that all members agree on.
 */
#ifndef WF_MATCH_H
#define WF_MATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/box.h"

#define WF_ANY INT32_MIN /* source or tag */

/* A receive that is posted, not complete yet; and later the header that it got. */
struct wf_posted;

/* `begin` is when it was posted: senders that wait for it are told. NULL: no room, it will not be followed. */
struct wf_posted *wf_match_post(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address);

/* What its thread showed of the critical path where it was posted: for senders that wait for it. */
void wf_match_show(struct wf_posted *posted, struct wf_showing shown);

/* It is complete, with a message of this source and tag. False: there is no header for it. Forgets it. */
bool wf_match_complete(struct wf_posted *posted, int32_t source, int32_t tag, struct wf_header *header);

/* It will not be completed: cancelled, failed. */
void wf_match_forget(struct wf_posted *posted);

/* The same for a receive that is posted and completed at once. `begin` as above. */
bool wf_match_receive_slow(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address, struct wf_header *header);

/* A blocking receive is about to begin: a sender that waits for it already is told. */
void wf_match_announce(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address);

/* Looks without taking, for a probe. */
bool wf_match_peek(int32_t source, int32_t tag, uint64_t comm, struct wf_header *header);

/* Is there a message from anybody that was sent before `virt` and not received yet? */
bool wf_match_earlier(uint64_t virt);

/* What the fast way needs to know: how many receives are posted and not complete, and headers kept aside, in all (with several threads, its lock's);
 * and how many of those headers want a reply. */
extern uint32_t wf_match_open;
extern _Atomic uint32_t wf_match_unanswered;

/* Does the sender wait for a receive, as far as is known? */
static inline bool wf_match_is_awaited(int32_t source)
{
    const struct wf_reader *r = &wf_box_from[source];
    const struct wf_ring *ring = atomic_load_explicit(&r->ring, memory_order_acquire);
    return wf_get(wf_match_unanswered) || (ring && __builtin_expect(wf_get(ring->syncs) != wf_get(r->syncs), 0));
}

/* The same for a receive that does not end before a send that its call makes, too: whoever sends first and then receives would wait in vain for a
 * reply at the end. One who is in such a call itself has our message to tell. */
static inline bool wf_match_is_awaited_by_both(int32_t source)
{
    const struct wf_reader *r = &wf_box_from[source];
    const struct wf_ring *ring = atomic_load_explicit(&r->ring, memory_order_acquire);
    uint32_t number = wf_get(r->next);
    const struct wf_record *next = ring ? &ring->records[number & (ring->capacity - 1)] : NULL;
    if (next && !r->remote && atomic_load_explicit(&next->number, memory_order_acquire) == number + 1 &&
        (wf_get(next->flags) & (WF_HEADER_SYNC | WF_HEADER_BOTH)) == WF_HEADER_SYNC)
        return true;
    return wf_match_is_awaited(source);
}

static inline bool wf_match_receive(int32_t source, int32_t tag, uint64_t comm, const struct wf_stamp *begin, uint64_t address,
                                    struct wf_header *header, bool threads)
{
    if (__builtin_expect(!threads && wf_match_open == 0, 1)) {
        struct wf_reader *r = &wf_box_from[source];
        struct wf_record *record = wf_box_peek(r, source);
        if (__builtin_expect(record && !r->remote && wf_get(record->comm) == comm && wf_get(record->tag) == tag &&
                                 !(wf_get(record->flags) & WF_HEADER_DEAD), 1)) {
            uint32_t number = wf_box_take(r, record, header);
            if (__builtin_expect(wf_box_wants_reply(header), 0))
                wf_box_reply(r, wf_get(r->ring), number, header, begin, address, NULL);
            return true;
        }
    }
    return wf_match_receive_slow(source, tag, comm, begin, address, header);
}

#endif
