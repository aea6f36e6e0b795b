/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What a call did that took long, besides waiting for the ranks that it is known to have depended on. The thread had no
 * core for a part of it, as the scheduler says. What then is left of more than such a call takes, is unexplained. How
 * long such a call takes: as its statement's shortest one, and copying its data; and no longer than a call takes that
 * sets something up.
 *
 * No state but the lane's and the site's. Only calls above wf_limits.long_call pay for it.
 */
#ifndef WF_EXPLAIN_H
#define WF_EXPLAIN_H

#include "measure/event/event.h"

/* A settled call that took long. */
struct wf_explain {
    struct wf_site *site;
    uint64_t end, took; /* in real time */
    uint64_t rest;      /* of it, in virtual time: neither waiting nor known to be idle */
    uint64_t bytes;     /* that it has moved */
    bool all;           /* with all members of something */
    bool own;           /* all that it did is its own work: it reads a file, or concerns no other rank */
};

/* What of the rest was idle. */
struct wf_idle_ticks wf_event_explain(struct wf_lane *lane, const struct wf_explain *x) WF_SHARED(event_explain)
__attribute__((cold));

/* Computing has gone on for long since the last look, up to `now`. */
void wf_event_look(struct wf_lane *lane, uint64_t now) WF_SHARED(event_look)
__attribute__((cold));

/* weft itself has taken so long after a call: how much of it was without a core, and so no cost of watching. */
uint64_t wf_event_without_core(struct wf_lane *lane, uint64_t ticks, uint64_t now) WF_SHARED(event_without_core)
__attribute__((cold));

#endif
