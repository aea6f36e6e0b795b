/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Headers between hosts. What goes to a rank of another host travels as a small message of its own, on a duplicate of MPI_COMM_WORLD, sent before
 * what it belongs to. What comes is put where a rank of the own host would have left it: into a ring and a box in private memory that stand for the
 * sender's. So matching, collectives and replies are the same code for both (measure/match.h, measure/header.h), and everything here is
 * reached only where that finds nothing.
 *
 * No call here waits without a bound. Below MPI_THREAD_MULTIPLE only the thread that is in an MPI call comes here.
 */
#ifndef WF_REMOTE_H
#define WF_REMOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/box.h"
#include "measure/waits.h"

struct wf_ranks;

/* In larger communicators an entry does not go from one member to each of the others: what would need that is counted as missing. */
#define WF_REMOTE_MEMBERS 128

extern bool wf_remote_on;
extern _Atomic int64_t wf_remote_put_ticks; /* what telling other hosts takes, as of late */

/* In MPI_Init, once all boxes there will be are there: finds out who is where, agrees on headers between hosts, and on one time base. `able` false:
 * this process cannot take part, but the others may not know. */
void wf_remote_start(int rank, int size, bool able);

/* There are no headers between hosts in this process's world; to be called before its box can be seen. */
void wf_remote_refuse(void);

/* MPI_Finalize begins: the time base, once more. */
void wf_remote_finish(void);

/* Sends a header, and what the thread shows of the critical path (feed; NULL: nothing). Returns its record, or NULL: there is none. */
struct wf_record *wf_remote_put(int32_t to, const struct wf_header *h, struct wf_feed *feed);
void wf_remote_retract(const struct wf_record *record);

/* Answers header `number` of a sender that waits for it. */
void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address);

/* Takes what has come. MPI has to be asked, which takes its time: once a call, not more. */
void wf_remote_pump(void);
void wf_remote_pump_seldom(void); /* unless that was done just before: for calls that come by the thousand */

/* A header from this source must be on its way. Waits for one that is not taken yet; false: it did not come in time. *since: when the waiting
 * began; 0: now. */
bool wf_remote_await(int32_t source, int64_t *since);

/* The header of a message from this source did not come: should it come later, it is nobody's. */
void wf_remote_skip(int32_t source, uint64_t comm, int32_t tag);

/* Takes the receiver's answer to a send that took `ticks`, if it has come; if that was long, waits a moment for it. */
void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks);

/* Does whoever depends on a member of another host hear of its entry? */
static inline bool wf_remote_reaches(int size, enum wf_waits waits)
{
    return waits != WF_WAITS_neighbours && (waits == WF_WAITS_members || size <= WF_REMOTE_MEMBERS);
}

/* Tells those members on other hosts that depend on the caller's entry; false: there are none. */
bool wf_remote_enter(const struct wf_ranks *ranks, enum wf_waits waits, int root, uint32_t number, const struct wf_stamp *stamp, uint64_t address,
                     struct wf_feed *feed);

/* Waits until a member's entry is in the box that stands for it; false: it did not come in time. */
bool wf_remote_await_entry(int32_t member, uint64_t comm, uint32_t number);

/* What stands for the box of a rank of another host. */
struct wf_box *wf_remote_box(int32_t rank);

#endif
