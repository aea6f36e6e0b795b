/* SPDX-License-Identifier: BSD-3-Clause
 *
 * weft's own messages between hosts: small, of one length, on a duplicate of MPI_COMM_WORLD, sent before what they
 * belong to. What they mean is for measure/exchange/remote.h; it takes what comes. What one process sends to another
 * comes in the order it was sent. No call here waits without a bound.
 *
 * Below MPI_THREAD_MULTIPLE only the thread that is in an MPI call comes here; with it, any, and each direction has a
 * lock.
 */
#ifndef WF_TRANSPORT_H
#define WF_TRANSPORT_H

#include <stdbool.h>
#include <stdint.h>

struct wf_feed;

enum wf_message_kind {
    WF_MESSAGE_HEADER = 1, /* of message `number` of this pair */
    WF_MESSAGE_RETRACT,    /* which was not sent after all */
    WF_MESSAGE_REPLY,      /* the receiver's, to header `number` */
    WF_MESSAGE_ENTRY,      /* into collective `number` of a communicator */
    WF_MESSAGE_ASK,        /* what time is it? `real` is when it was asked */
    WF_MESSAGE_TELL,       /* `real` as asked, the answer in `late` */
    WF_MESSAGE_DONE,       /* asked enough */
    WF_MESSAGE_GONE,       /* there will be no more headers from here */
    WF_MESSAGE_OFF,        /* nor does this process take any */
    WF_MESSAGE_PATH,       /* goes before one of the first and belongs to it: `number` bytes of critical path follow;
                              flags: the kind of that one */
};

struct wf_message {
    uint32_t kind, number;
    uint64_t comm;
    int32_t tag;
    uint32_t flags;
    int64_t real; /* common time (measure/exchange/host_time.h) */
    int64_t late; /* by how much virtual time is earlier, */
    int64_t lag;  /* and ideal time earlier than that: both in ns */
    uint64_t address;
    uint64_t path; /* 1: the one before was its path */
};

/* What came from this rank; behind it, its path. It may post, and not pump. */
typedef void wf_transport_take(int32_t from, const struct wf_message *message);

/* Makes the communicator: collective. False: there is none. */
bool wf_transport_open(void);

/* From now on messages are posted, and taken by `take`. False: there is no memory. */
bool wf_transport_start(wf_transport_take *take);

/* False: it was not sent. */
bool wf_transport_post(int32_t to, const struct wf_message *message);

/* What goes before a message of this kind: its sender's path. Returns what goes into that message's `path`: 0: there is
 * nothing to send, or no room. feed may be NULL. */
uint64_t wf_transport_post_path(int32_t to, struct wf_feed *feed, enum wf_message_kind with);

/* Takes what has come from this rank, or from any. MPI has to be asked, which takes its time. */
#define WF_TRANSPORT_ANY (-1)
void wf_transport_pump(int32_t from);

/* When it was last asked about all ranks, in ticks. */
uint64_t wf_transport_pumped(void);

/* Forgets what is sent, for so long at the most. */
void wf_transport_drain(int64_t limit_ns);

#endif
