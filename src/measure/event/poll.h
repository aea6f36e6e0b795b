/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Polls: calls that ask whether something has come. Polls that fail one right behind the other, or with nothing but
 * sleeping in between, are one wait, a chain (record/polls.h). A poll that succeeds ends it: if it depended on others,
 * it is one event from the begin of the first poll to its own end. Nothing is kept back meanwhile: a poll that fails
 * counts at once, as polling, with the time since the last one, and the chain's event takes that back. Any other call,
 * and computing between polls, end a chain, too: then its time stays polling.
 *
 * A poll goes through its call like this (call.h):
 *
 *     before   says that it is one (enum wf_polls_how in its wf_call)
 *     begin    wf_poll_meet: does it go on with the thread's chain?
 *     after    wf_poll_failed; or wf_poll_came, and the call is settled as any other
 *
 * Only the lane's thread.
 */
#ifndef WF_POLL_H
#define WF_POLL_H

#include "base/shared.h"
#include "measure/event/event.h"

struct wf_call;

enum wf_polls_how {
    WF_POLLS_NOT,
    WF_POLLS_ASKS,  /* it tells whether something has come */
    WF_POLLS_LOOKS, /* it tells nothing, but the program may look at memory behind it: one is no poll, several are */
    WF_POLLS_WAITS, /* it waits for something: after polls that asked for the same, it ends their chain */
};

/* A call begins behind a poll that failed. */
void wf_poll_meet(struct wf_call *c) WF_SHARED(poll_meet);

/* The call is a poll that has failed. num: of transfers that it counts as. */
void wf_poll_failed(struct wf_call *c, uint64_t num) WF_SHARED(poll_failed);

/* It goes on with a chain, and has not failed: it began where the chain did. */
void wf_poll_came(struct wf_call *c) WF_SHARED(poll_came);

/* Settles such a call. */
void wf_poll_settle(struct wf_call *c, const struct wf_merge *m, uint32_t kind, struct wf_event *e)
    WF_SHARED(poll_settle);

/* The same for one that depended on no other rank, and takes it. */
void wf_poll_take_alone(struct wf_call *c, int32_t partner, uint64_t num, uint64_t bytes) WF_SHARED(poll_take_alone);

#endif
