/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Snapshots of the critical path: what a thread shows of its path (measure/path/feed.h) to those that depend on one of
 * its calls, in blocks of our own box, and what a thread has seen of others'. A header, a reply or an entry refers to a
 * snapshot by its offset in its owner's box, and by its ticket where it does not stay:
 *
 *     with a message       the block is free again when the receiver has read it (its ticket is 0 then)
 *     in a collective      that no member leaves before all have entered: two blocks that are used in turn
 *     for a while          in other collectives and in replies: one of WF_SNAPSHOTS_PASSING that are overwritten in
 *                          turn; their readers copy, and check the ticket then
 *
 * Any thread shows and sees its own path, in the call that it is in. What the threads share is under this file's own
 * lock, with MPI_THREAD_MULTIPLE. What is kept from one call to the next without a lock (a spare block, what went with
 * the last message) is not used then: another thread may have sent since.
 */
#ifndef WF_SNAPSHOT_H
#define WF_SNAPSHOT_H

#include "base/lock.h"
#include "measure/exchange/slots.h"
#include "measure/path/feed.h"

#define WF_SNAPSHOTS_PASSING 32u

/* A ticket of what goes with a message: a reader that finds another there has read it with that message. */
#define WF_SNAPSHOT_MESSAGE (UINT64_C(1) << 63)

/* Blocks of one size. When there are too few, as many again are added. */
struct wf_snapshot_pool {
    uint32_t first[24]; /* of the first few, of as many more, of twice as many more, ... */
    uint32_t count;
    uint32_t stride; /* in units */
    uint32_t next;
    uint32_t given[2]; /* the last one, and the one before */
};

struct wf_snapshots {
    struct wf_snapshot_pool messages, passing;
    uint64_t tickets; /* so many were given */
    struct wf_lock lock;
    uint32_t spare; /* a block that has been taken and given to no call yet */
    struct {        /* what went with the last message */
        uint64_t begin_virt;
        int32_t to;
        struct wf_showing showing;
    } sent;
    _Atomic bool late; /* a reply has gone without a path, because the call that posted the receive was over: from now
                          on such calls show theirs */
};

extern struct wf_snapshots wf_snapshots WF_HIDDEN;

/* ---- showing ---- */

/* Room for the snapshot of a message: its offset, or 0. It is taken until its reader frees it; until then its ticket is
 * one that no other ever has. */
uint32_t wf_snapshot_block(size_t bytes);

/* Shows the path to the receiver of a message, a rank of this host, in a block of its own; 0: there is nothing to show,
 * or no room. late: the message is under way first, so this is only promised (wf_feed_promise); else the call began at
 * begin_virt. */
uint32_t wf_snapshot_show(struct wf_feed *feed, int32_t to, bool late, uint64_t begin_virt);

/* Looks for a block now, so that the next message need not. */
void wf_snapshot_look_for_spare(const struct wf_feed *feed);

/* Two blocks that are used in turn, in collectives of one communicator that no member leaves before all have entered:
 * then no member is reading any more what was shown in the last but one of these. */
struct wf_snapshot_pair {
    uint32_t first;  /* the first block's offset; 0: there are none yet */
    uint32_t number; /* so often used */
};

/* Shows the path to those that will depend on the entry of a collective, and says where in *e. pair: NULL: for a while.
 */
void wf_snapshot_show_entry(struct wf_feed *feed, struct wf_snapshot_pair *pair, struct wf_entry *e);

/* All have entered a collective: the next snapshot is shown where no member reads any more. */
void wf_snapshot_expect_entry(const struct wf_feed *feed, const struct wf_snapshot_pair *pair);

/* Shows the path for a while: until WF_SNAPSHOTS_PASSING more such have been shown. */
struct wf_showing wf_snapshot_show_for_now(struct wf_feed *feed);

/* The path for the rank `to`, which waits for the reply to its message, if the thread is in the call that began at this
 * time. Where that call has sent a message to the rank itself, the snapshot that went with it will do. */
struct wf_showing wf_snapshot_show_reply(int32_t to, uint64_t begin_virt);

/* ---- seeing ---- */

/* The sender's, with a message of this time that has come to this statement; shown: NULL: there is none. feed: NULL:
 * the call is not followed; it is read all the same. */
void wf_snapshot_saw(struct wf_feed *feed, const struct wf_site *site, struct wf_shown *shown, uint64_t latency,
                     uint64_t sent_virt);

/* What is in another's box for a while, or, without a ticket, as long as it is wanted. */
void wf_snapshot_saw_for_now(struct wf_feed *feed, struct wf_shown *shown, uint64_t ticket, uint64_t sent_virt);

/* Its message was never sent: it is free, as if it had been read. */
static inline void wf_snapshot_release(struct wf_shown *shown)
{
    atomic_store_explicit(&shown->ticket, 0, memory_order_release);
}

#endif
