/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rule of arrivals: a call that lasted longer than it takes waited for another rank. Where MPI's own rules do not
 * tell for which, the call's end does: of all members of what the call concerns, the one who arrived last before it. So
 * weft follows a library's trees without knowing them. To arrive is to leave an entry (measure/exchange/slots.h).
 *
 * Only long calls look for arrivals; the others cost nothing. No state of its own; any thread, in its call.
 */
#ifndef WF_ARRIVAL_H
#define WF_ARRIVAL_H

#include "measure/exchange/header.h"

/* Who may have been waited for, and under which name and number they leave their entries; ranks that are not watched
 * are below 0. */
struct wf_candidates {
    const int32_t *ranks;
    int count;
    uint64_t id; /* 0: they left none, but had to be in MPI: what counts is when they came back */
    uint32_t number;
    uint32_t kind; /* enum wf_wait_kind, of such a wait */
};

static inline bool wf_arrival_is_wanted(const struct wf_call *c)
{
    return __builtin_expect(c->end - c->start > wf_limits.long_call, 0);
}

/* The call is over, and *o has those that it certainly depended on. Adds the candidate whose arrival explains its end
 * better, if there is one. */
void wf_arrival_explain(const struct wf_call *c, const struct wf_candidates *candidates, struct wf_others *o);

/* The call concerns all members of a group alike. If all have entered before its end, each of them is a part, as in a
 * barrier. False: one has not, or it is not known: then the call did not wait for all. */
bool wf_arrival_gather(const struct wf_call *c, const struct wf_group *group, uint32_t number, uint32_t kind,
                       struct wf_others *o);

/* The caller tells others where it was before. If it has computed for long, and is in MPI again, what others do may
 * have waited for that. If a call took long without a reason that is known, that was not its own work. */
void wf_arrival_tell(struct wf_call *c);

static inline void wf_arrival_begun(struct wf_call *c)
{
    if (__builtin_expect(c->tells, 0))
        wf_arrival_tell(c);
}

/* A call that needed this rank to be in MPI, and has found no other reason for its length. */
void wf_arrival_explain_by_return(const struct wf_call *c, int32_t rank, uint32_t kind, struct wf_others *o);

/* The same with all members of a group, of both sides of an intercommunicator. */
void wf_arrival_explain_by(const struct wf_call *c, const struct wf_group *group, uint64_t id, uint32_t number,
                           uint32_t kind, struct wf_others *o);

#endif
