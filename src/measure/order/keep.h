/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The way of --keep-order, for its own files: keep.c has the calls that block or ask, kept.c the receives that are held
 * back as stand-ins. A receive from any source is held until the message is certain that would have come first without
 * monitoring (choice.h), but not longer than a limit. The time for which it is held while a message is there is
 * monitoring's own.
 *
 * Receives take messages in the order in which they were posted. So a receive or probe that fits what an open stand-in
 * fits waits until that one is decided; a nonblocking receive becomes a stand-in itself then.
 *
 * One thread, the one that makes the MPI calls.
 */
#ifndef WF_KEEP_H
#define WF_KEEP_H

#include "measure/order/choice.h"
#include "measure/order/completion.h"
#include "measure/order/order.h"

/* How it came out for one receive or probe. */
enum wf_keep_outcome {
    WF_KEEP_DECIDED,
    WF_KEEP_RELEASED,  /* held for the longest time */
    WF_KEEP_UNDECIDED, /* a sender cannot be seen, or the call is left to MPI */
};

extern uint64_t wf_keep_longest; /* ticks that a receive is held */

/* Decides once, if that can be, and if the message is there. *since: when something that fits was sent first,
 * undecided; 0: nothing was. False: it is still to be held. released: the limit is over, and MPI is to decide. */
bool wf_keep_try(const struct wf_wanted *wanted, int tag, MPI_Comm comm, uint64_t *since, struct wf_choice *choice,
                 bool *released);

/* Is there a message in MPI, and from whom? This also lets MPI make progress. */
bool wf_keep_is_there(int source, int tag, MPI_Comm comm, int *from);

/* Counts it at a statement. */
void wf_keep_count(struct wf_site *site, enum wf_keep_outcome outcome, bool otherwise, uint64_t held);

/* An MPI_ANY_TAG is WF_ANY. */
static inline int32_t wf_keep_tag(int tag)
{
    return tag == MPI_ANY_TAG ? WF_ANY : tag;
}

/* ---- receives that are held back (kept.c) ---- */

/* Does a stand-in that is open fit what a receive would get? `source`: or MPI_ANY_SOURCE. */
bool wf_kept_goes_first(MPI_Comm comm, int source, int tag);

/* Are receives from any source posted in MPI? It is not known which messages they take, so nothing can be decided
 * before they are complete. */
bool wf_kept_is_loose(void);

/* All that are open are posted as they were asked for: the process may be blocked in a call in which nothing can be
 * decided. */
void wf_kept_release(void);

/* When the last one was decided in the call that now runs, 0: none was. */
extern uint64_t wf_kept_granted;

bool wf_kept_irecv(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_isendrecv(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_starts(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_startall(struct wf_call *c, struct wf_args *a, int *rc);
void wf_kept_recv_init(struct wf_call *c, const struct wf_args *a, int rc);
bool wf_kept_wait_one(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_wait_all(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_wait_any(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_wait_some(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_test_one(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_test_all(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_test_any(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_test_some(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_status(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_kept_comm_free(struct wf_call *c, struct wf_args *a, int *rc);
void wf_kept_blocks(bool at_once);

#endif
