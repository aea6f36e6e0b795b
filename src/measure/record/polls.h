/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The polls of a lane's thread that have failed so far, one right behind the other or with nothing but sleeping in
 * between: a chain. Only the lane's thread touches it; measure/event/poll.c has the rule.
 */
#ifndef WF_POLLS_H
#define WF_POLLS_H

#include <stdint.h>

#include "measure/clock/virtual.h"
#include "weft/probe.h"

struct wf_site;

#define WF_POLLS_STATEMENTS 8u /* that take turns in one chain */
#define WF_POLLS_REGIONS 4u    /* innermost ones, whose own time between polls is known */

/* What a statement has been given for its polls of the chain. */
struct wf_polls_share {
    struct wf_site *site;
    uint64_t raw, virt;
    struct wf_idle_ticks idle;
};

/* A region that the thread is in, and how much of its time so far was not its own. */
struct wf_polls_region {
    const struct weft_stack_ *entry;
    const struct weft_visit_ *visit;
    uint64_t start, inner, inner_virtual;
};

struct wf_polls {
    uint64_t begin;           /* of the first poll, in real time, */
    struct wf_virtual before; /* and what the thread was then */
    uint64_t end;             /* of the last poll so far, */
    struct wf_virtual after;  /* the same then, */
    uint64_t took;            /* how long that poll took, */
    struct wf_site *last;     /* its statement, */
    uintptr_t asked;          /* and what it asked for: the first request's handle; 0: something else */
    uint64_t paused;          /* the process's pauses until then */
    uint64_t longest;         /* time between two polls so far, in virtual time */
    uint64_t odd;             /* time between polls of which it is not known that it was nothing else */
    uint64_t cpu_ns, sleeps;  /* the thread's CPU time, and how often it slept, */
    uint64_t cpu_at;          /* and when that was */
    uint64_t no_core;         /* the lane's time without a core outside of calls, when the last poll ended */
    uint32_t shares, regions;
    struct wf_polls_share share[WF_POLLS_STATEMENTS];
    struct wf_polls_region region[WF_POLLS_REGIONS]; /* from the innermost, at the end of the last poll */

    /* Of the poll that goes on with the chain, from its begin to its end. */
    uint64_t own_begin;
    struct wf_virtual own_before;
    uint64_t gap, gap_virt; /* since the last one */
    uint64_t gap_no_core;   /* of which the thread had no core */
};

#endif
