/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Which message a receive from any source takes with --keep-order: the one that was sent first in virtual time, as soon
 * as it is certain that no rank sends an earlier one (sight.h). One thread, the one that makes the MPI calls.
 */
#ifndef WF_CHOICE_H
#define WF_CHOICE_H

#include "measure/exchange/header.h"

enum wf_choice_kind {
    WF_CHOICE_NOTHING, /* no message that fits has been sent yet */
    WF_CHOICE_HOLD,    /* some have, and an earlier one may come */
    WF_CHOICE_TAKE,
};

/* What is asked for. */
struct wf_wanted {
    const struct wf_group *group;
    int32_t tag;    /* or WF_ANY */
    uint64_t order; /* as of wf_match_first */
    bool stops;     /* the caller sends nothing before it has received this message */
    bool shows;     /* its call does not end before that either, or it has decided nothing yet: others may see what it
                       has read already */
};

struct wf_choice {
    enum wf_choice_kind kind;
    int source;              /* the sender in the communicator, of the first one in virtual time */
    int32_t rank;            /* and in the world */
    struct wf_header header; /* its header */
    bool otherwise;          /* another one was sent first in real time */
};

/* Can the order be kept in this communicator: are all members seen? */
bool wf_choice_is_possible(const struct wf_group *group);

/* The caller is blocked: others see the first message that it waits for and has read already, so that it is not seen in
 * its rings any more. */
void wf_choice_show_aside(void);

void wf_choice_make(const struct wf_wanted *wanted, struct wf_choice *choice);

/* Has this member sent a message that fits? */
bool wf_choice_has_sent(const struct wf_wanted *wanted, int member);

/* Is nothing sent that fits, and can nothing be? Then the program itself is in deadlock. */
bool wf_choice_never_comes(const struct wf_wanted *wanted);

#endif
