/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of measure/exchange/remote.h share, and no other file sees.
 */
#ifndef WF_REMOTE_STATE_H
#define WF_REMOTE_STATE_H

#include "base/shared.h"
#include "measure/exchange/remote.h"
#include "measure/guest/thread.h"
#include "measure/path/feed.h"

#define WF_REMOTE_SKIPS 16
#define WF_REMOTE_PATIENCE_NS 20000000 /* for what has been sent before something that has come; */
#define WF_REMOTE_REPLY_NS 1000000     /* for a reply: each is less after it often did not come */
#define WF_REMOTE_SHOWN_BYTES 16384u   /* room for one snapshot here */

/* Snapshots of one rank, for headers that are not received yet: further ones are lost. And as many of the latest of
 * other kinds. */
#define WF_REMOTE_PATHS 64u

/* What a rank would have in its box on this host. Offsets of snapshots are in lines, from its begin. */
struct wf_remote_box {
    struct wf_slots slots;
    char shown[2 * WF_REMOTE_PATHS][WF_REMOTE_SHOWN_BYTES];
};

struct wf_remote_skip {
    uint64_t comm;
    int32_t tag;
};

struct wf_remote_peer {
    /* Written with what comes (remote_came.c). */
    _Atomic(struct wf_remote_box *) box; /* NULL: nothing was needed yet */
    uint32_t shown;                      /* snapshots, so far */
    struct wf_showing last;              /* the last of them, for what comes behind it */
    struct wf_ring_reader came;          /* what it sent: the ring is written here, and grows in place; */
    _Atomic uint32_t written;            /* so many records */
    _Atomic bool gone;                   /* nothing more will come */
    _Atomic bool off;                    /* nor does it take anything */
    /* Written with what goes there (remote.c). */
    _Atomic(struct wf_ring *) sent; /* where a header leaves a trace until its message is received: for its reply, and
                                       to take it back */
    bool told;                      /* that nothing more will come from here */
    /* Under wf_remote.skipping. */
    uint32_t skip_count;
    struct wf_remote_skip skips[WF_REMOTE_SKIPS];
};

struct wf_remote {
    int rank, size;
    struct wf_remote_peer *peers; /* by world rank */
    _Atomic int64_t put_ticks;    /* what telling other hosts takes, as of late */
    _Atomic int64_t patience_ns, reply_ns;
    struct wf_lock skipping; /* for skips, with MPI_THREAD_MULTIPLE */
    struct wf_lock making;   /* of boxes */
};

extern struct wf_remote wf_remote WF_HIDDEN;

static inline struct wf_remote_peer *wf_remote_peer(int32_t rank)
{
    return &wf_remote.peers[rank];
}

/* The thread's own; NULL: it has none. */
static inline struct wf_feed *wf_remote_feed(void)
{
    return weft_tls.lane ? weft_tls.lane->feed : NULL;
}

/* Takes a message that has come from this rank. */
void wf_remote_take_message(int32_t from, const struct wf_message *m);

#endif
