/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/keep.h"

#define LOOSE 1u /* in wf_stand_in.number: it is posted in MPI as it was asked for, from any source */

uint64_t wf_kept_granted;

/* The call that now runs. */
static struct {
    const struct wf_call *call;
    const MPI_Request *waits; /* it does not end before all of these are complete, n of them; NULL: there are none */
    int n;
    uint32_t loose; /* so many receives from any source are posted in MPI */
    bool releases;
} kept;

/* ---- which comes first ---- */

static bool kept_tags_meet(int a, int b)
{
    return a == MPI_ANY_TAG || b == MPI_ANY_TAG || a == b;
}

static bool kept_fits(const struct wf_stand_in *s, MPI_Comm comm, int source, int tag)
{
    bool sources = s->source == MPI_ANY_SOURCE || source == MPI_ANY_SOURCE || s->source == source;
    return s->comm == comm && sources && kept_tags_meet(s->tag, tag);
}

static bool kept_fits_any(const struct wf_stand_in *s, MPI_Comm comm, int source, int tag)
{
    while (s && !kept_fits(s, comm, source, tag))
        s = s->earlier;
    return s != NULL;
}

bool wf_kept_goes_first(MPI_Comm comm, int source, int tag)
{
    return kept_fits_any(wf_stand_in_last_open(), comm, source, tag);
}

/* ---- decisions ---- */

/* How long it was held in the call that now runs: otherwise the program went on. */
static uint64_t kept_held(uint64_t since, uint64_t now)
{
    return since && kept.call ? wf_less(now, wf_max(since, kept.call->start)) : 0;
}

static void kept_started(struct wf_stand_in *s)
{
    s->own = kept.call ? kept.call->site : NULL;
    s->since = s->number = 0;
}

static void kept_count(const struct wf_stand_in *s, enum wf_keep_outcome outcome, bool otherwise, uint64_t held)
{
    if (s->own && s->source == MPI_ANY_SOURCE)
        wf_keep_count(s->own, outcome, otherwise, held);
}

static bool kept_post(struct wf_stand_in *s, int source)
{
    if (wf_stand_in_post(s, source, s->tag) != MPI_SUCCESS)
        return false;
    wf_set(wf_process.shown_clock->aside, WF_ASIDE_UNKNOWN); /* the call may end now */
    wf_kept_granted = wf_clock_ticks();
    return true;
}

/* The message that comes first in MPI is its own. */
static bool kept_reserve(const struct wf_stand_in *s, int source)
{
    const struct wf_group *group = wf_comm_known(s->comm);
    if (!group || source < 0 || source >= group->size)
        return false;
    wf_match_reserve(wf_keep_tag(s->tag), group->id, group->partner[source]);
    return true;
}

/* MPI decides: by what is there. loose: if nothing is, by what comes. */
static void kept_let_go(struct wf_stand_in *s, enum wf_keep_outcome outcome, bool loose)
{
    struct wf_stand_in was = *s; /* it may be gone when it is posted */
    int from;
    if (s->source == MPI_ANY_SOURCE && wf_keep_is_there(s->source, s->tag, s->comm, &from)) {
        if (kept_post(s, from))
            kept_reserve(&was, from);
    } else if (s->source != MPI_ANY_SOURCE) {
        kept_post(s, s->source);
    } else if (loose) {
        s->number = LOOSE;
        kept.loose += kept_post(s, s->source);
    } else {
        return;
    }
    kept_count(&was, outcome, false, kept_held(was.since, wf_clock_ticks()));
}

/* A loose one is complete. */
static void kept_completed(struct wf_stand_in *s, const MPI_Status *status)
{
    (void)status;
    kept.loose -= s->number == LOOSE;
    s->number = 0;
}

bool wf_kept_is_loose(void)
{
    return kept.loose > 0;
}

static bool kept_is_waited_for(const struct wf_stand_in *s)
{
    for (int i = 0; i < kept.n; i++)
        if (kept.waits[i] == s->handle)
            return true;
    return false;
}

static void kept_decide(struct wf_stand_in *s)
{
    struct wf_wanted wanted = {
        .group = wf_comm_known(s->comm), .tag = wf_keep_tag(s->tag), .stops = kept_is_waited_for(s)};
    struct wf_stand_in was;
    struct wf_choice choice;
    bool released;
    int from;
    if (wf_kept_is_loose() || !wf_choice_is_possible(wanted.group)) {
        kept_let_go(s, WF_KEEP_UNDECIDED, true);
        return;
    }
    wanted.shows = wanted.stops || !wf_kept_granted;
    wanted.order = wf_match_order(wanted.tag, wanted.group->id);
    bool decided = wf_keep_try(&wanted, s->tag, s->comm, &s->since, &choice, &released);
    was = *s;
    if (released)
        kept_let_go(s, WF_KEEP_RELEASED, false);
    else if (decided && kept_post(s, choice.source) && kept_reserve(&was, choice.source))
        kept_count(&was, WF_KEEP_DECIDED, choice.otherwise, kept_held(was.since, wf_kept_granted));
    else if (!decided && wf_keep_is_there(s->source, s->tag, s->comm, &from) && !wf_choice_has_sent(&wanted, from))
        kept_let_go(s, WF_KEEP_UNDECIDED, false); /* there is no header */
}

static void kept_progress(struct wf_stand_in *s)
{
    if (kept.releases)
        kept_let_go(s, WF_KEEP_UNDECIDED, true);
    else if (kept_fits_any(s->earlier, s->comm, s->source, s->tag))
        return;
    else if (s->source != MPI_ANY_SOURCE)
        kept_post(s, s->source);
    else
        kept_decide(s);
}

static const struct wf_stand_in_way kept_receives = {
    .started = kept_started, .progress = kept_progress, .completed = kept_completed};

void wf_kept_release(void)
{
    kept.releases = true;
    wf_stand_in_drive();
    kept.releases = false;
}

/* ---- how they begin ---- */

static bool kept_can_hold(MPI_Comm comm)
{
    return wf_header_is_on() && wf_choice_is_possible(wf_comm_known(comm));
}

bool wf_kept_irecv(struct wf_call *c, struct wf_args *a, int *rc)
{
    bool any = a->peer == MPI_ANY_SOURCE, held = any && kept_can_hold(a->comm);
    if (!held && !wf_kept_goes_first(a->comm, a->peer, a->tag)) {
        if (any)
            wf_keep_count(c->site, WF_KEEP_UNDECIDED, false, 0);
        return false;
    }
    kept.call = c;
    held = wf_stand_in_hold(a, &kept_receives, rc);
    kept.call = NULL;
    if (!held)
        wf_kept_release();
    return held;
}

/* It may get what an open stand-in fits, and the request of both its halves is MPI's. */
bool wf_kept_isendrecv(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)rc;
    if (wf_kept_goes_first(a->comm, a->rpeer, a->rtag))
        wf_kept_release();
    if (a->rpeer == MPI_ANY_SOURCE) {
        kept.loose++; /* for good: its end is not seen */
        wf_keep_count(c->site, WF_KEEP_UNDECIDED, false, 0);
    }
    return false;
}

void wf_kept_recv_init(struct wf_call *c, const struct wf_args *a, int rc)
{
    (void)c;
    if (rc == MPI_SUCCESS && a->peer == MPI_ANY_SOURCE && !a->parts && kept_can_hold(a->comm))
        wf_stand_in_keep(a, &kept_receives);
}

/* Persistent receives that are no stand-ins may get what an open one fits. */
static bool kept_starts_others(const MPI_Request *handles, int n)
{
    return wf_stand_in_is_open() && handles && n > 0;
}

bool wf_kept_starts(struct wf_call *c, struct wf_args *a, int *rc)
{
    if (!wf_stand_in_is_any())
        return false;
    if (kept_starts_others(a->req, 1))
        wf_kept_release();
    kept.call = c;
    bool made = wf_stand_in_starts(c, a, rc);
    kept.call = NULL;
    return made;
}

bool wf_kept_startall(struct wf_call *c, struct wf_args *a, int *rc)
{
    if (!wf_stand_in_is_any())
        return false;
    if (kept_starts_others(a->reqs, a->reqn))
        wf_kept_release();
    kept.call = c;
    bool made = wf_stand_in_startall(c, a, rc);
    kept.call = NULL;
    return made;
}

/* ---- how they are completed ---- */

typedef bool kept_completion(struct wf_call *c, struct wf_args *a, int *rc);

/* all: the call does not end before all its requests are complete. */
static bool kept_complete(struct wf_call *c, struct wf_args *a, int *rc, kept_completion *completion, bool all)
{
    wf_choice_show_aside();
    if (!wf_stand_in_is_any())
        return false;
    kept.call = c;
    kept.waits = a->own_reqs ? a->own_reqs : a->req;
    kept.n = !all || !kept.waits ? 0 : a->own_reqs ? a->reqn : 1;
    wf_kept_granted = 0;
    bool made = completion(c, a, rc);
    c->granted = wf_kept_granted;
    kept.call = NULL;
    kept.n = 0;
    return made;
}

bool wf_kept_wait_one(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_wait_one, true);
}

bool wf_kept_wait_all(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_wait_all, true);
}

bool wf_kept_wait_any(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_wait_any, false);
}

bool wf_kept_wait_some(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_wait_some, false);
}

bool wf_kept_test_one(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_test_one, false);
}

bool wf_kept_test_all(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_test_all, false);
}

bool wf_kept_test_any(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_test_any, false);
}

bool wf_kept_test_some(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_test_some, false);
}

bool wf_kept_status(struct wf_call *c, struct wf_args *a, int *rc)
{
    return kept_complete(c, a, rc, wf_completion_status, false);
}

bool wf_kept_comm_free(struct wf_call *c, struct wf_args *a, int *rc)
{
    wf_kept_release();
    return wf_stand_in_comm_free(c, a, rc);
}

/* A small message needs no receive of the caller's to leave it. */
void wf_kept_blocks(bool at_once)
{
    if (!wf_stand_in_is_open())
        return;
    wf_stand_in_drive();
    if (!at_once)
        wf_kept_release();
}
