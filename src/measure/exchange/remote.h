/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks of other hosts. What goes to them travels as messages (measure/exchange/transport.h). What comes from one is
 * kept in private memory, as it would lie in a box of the own host: headers in a ring, replies behind another, entries
 * in slots, snapshots in blocks. So matching, collectives and replies are the same for both. It is reached where a link
 * is far (measure/exchange/link.h), and knows ranks, not links.
 *
 * No call here waits without a bound. Below MPI_THREAD_MULTIPLE only the thread that is in an MPI call comes here. With
 * it: what goes to one rank is under that link's lock, headers are taken under that of matching, and what comes is
 * written by one thread at a time (measure/exchange/transport.h).
 */
#ifndef WF_REMOTE_H
#define WF_REMOTE_H

#include "measure/exchange/ring.h"
#include "measure/exchange/slots.h"
#include "measure/exchange/transport.h"

struct wf_feed;
struct wf_shown;

/* All processes have agreed to exchange headers (measure/exchange/hosts.h), and come here in MPI_Init. able: this one
 * can take part. False: it does not, and the others are told, if there is anything to tell them with. */
bool wf_remote_start(int rank, int size, bool able);

/* It does not take part after all. */
void wf_remote_say_off(void);

/* Is the rank on another host? Does it take headers, too? */
bool wf_remote_is_far(int32_t rank);
bool wf_remote_takes(int32_t rank);

/* ---- sending ---- */

/* Sends header `number`, and what the thread shows of the critical path (feed; NULL: nothing); since: when the work for
 * it began. The stamp is of when the header will have been sent, and goes with it: that is estimated. Returns its
 * record, where the reply will be; NULL: it was not sent. */
struct wf_record *wf_remote_put(int32_t to, uint32_t number, const struct wf_header *h, struct wf_feed *feed,
                                uint64_t since);
void wf_remote_retract(int32_t to, uint32_t number);

/* No more headers come from here: one was lost, and nothing tells any more which header belongs to which message. */
void wf_remote_end(int32_t to);

/* Answers header `number` of a sender that waits for it. */
void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address);

/* An entry into a collective, to be sent to several; its stamp is of when all are told. */
struct wf_remote_entry {
    struct wf_message message;
    struct wf_feed *feed;
    uint64_t since;
};
void wf_remote_begin_entry(struct wf_remote_entry *entry, uint64_t comm, uint32_t number, const struct wf_entry *e);
void wf_remote_enter(int32_t to, struct wf_remote_entry *entry);
void wf_remote_end_entry(const struct wf_remote_entry *entry);

/* ---- what has come ---- */

/* Takes it. MPI has to be asked, which takes its time: once a call, not more. */
void wf_remote_pump(void);
void wf_remote_pump_seldom(void); /* unless that was done just before */

/* The next header, not taken yet; NULL: none has come. */
struct wf_record *wf_remote_peek(int32_t from);
/* Takes it. Returns the number that a reply has to name. */
uint32_t wf_remote_take(int32_t from, struct wf_record *record, struct wf_header *h);
uint32_t wf_remote_taken(int32_t from); /* so many were */

/* A header from this rank must be on its way. Waits for one that is not taken yet; false: it did not come in time.
 * *since: when the waiting began; 0: now. */
bool wf_remote_await(int32_t from, int64_t *since);

/* The header of a message from this rank did not come: should it come later, it belongs to no receive. */
void wf_remote_skip(int32_t from, uint64_t comm, int32_t tag);

/* The ring behind which replies from this rank come; NULL: no header has gone there. */
struct wf_ring *wf_remote_replies(int32_t to);

/* Takes the receiver's reply to a send that took `ticks`, if it has come; if that was long, waits a moment for it. */
void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks);

/* The entry of this rank into a collective, if it has come; or waits for it: false: it did not come in time. */
bool wf_remote_entered(int32_t rank, uint64_t comm, uint32_t number, struct wf_entry *e);
bool wf_remote_await_entry(int32_t rank, uint64_t comm, uint32_t number);

/* A snapshot that came with something else; NULL: there is none at this offset. */
struct wf_shown *wf_remote_shown(int32_t rank, uint32_t offset);

#endif
