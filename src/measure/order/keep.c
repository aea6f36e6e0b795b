/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/keep.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/order/patience.h"
#include "measure/order/sight.h"
#include "measure/record/order.h"

#define LOOK_EVERY 256u /* waits with nothing there: then it is looked whether anything can come */

uint64_t wf_keep_longest;

/* Statements that only ask remember here since when they have said no although something is there. */
static uint64_t keep_asking;

void wf_keep_count(struct wf_site *site, enum wf_keep_outcome outcome, bool otherwise, uint64_t held)
{
    if (outcome == WF_KEEP_UNDECIDED || !weft_tls.lane)
        return; /* it counts as any other receive from any source */
    struct wf_order_record *record = wf_lane_order(weft_tls.lane, site);
    if (outcome == WF_KEEP_DECIDED)
        wf_order_count_decided(record, otherwise, held);
    else
        wf_order_count_released(record, held);
}

bool wf_keep_is_there(int source, int tag, MPI_Comm comm, int *from)
{
    int flag = 0;
    MPI_Status status;
    if (wf_real.Iprobe(source, tag, comm, &flag, &status) != MPI_SUCCESS || !flag)
        return false;
    *from = status.MPI_SOURCE;
    return true;
}

bool wf_keep_try(const struct wf_wanted *wanted, int tag, MPI_Comm comm, uint64_t *since, struct wf_choice *choice,
                 bool *released)
{
    int from;
    *released = false;
    wf_choice_make(wanted, choice);
    if (choice->kind == WF_CHOICE_NOTHING) {
        *since = 0;
        return false;
    }
    if (choice->kind == WF_CHOICE_TAKE && wf_keep_is_there(choice->source, tag, comm, &from))
        return true;
    uint64_t now = wf_clock_ticks();
    *since = *since ? *since : now;
    *released = now - *since > wf_keep_longest;
    return *released;
}

/* ---- calls that block ---- */

/* One call that is held. */
struct keep_hold {
    struct wf_wanted wanted;
    enum wf_keep_outcome outcome;
    struct wf_choice choice;
    uint64_t since, held;
};

/* True: the hold is over, and h->outcome says how. */
static bool keep_is_over(struct keep_hold *h, const struct wf_args *a, const struct wf_patience *patience)
{
    bool released;
    int from;
    if (wf_kept_goes_first(a->comm, MPI_ANY_SOURCE, a->source_tag))
        return false; /* those have a limit of their own */
    if (wf_keep_try(&h->wanted, a->source_tag, a->comm, &h->since, &h->choice, &released)) {
        h->outcome = released ? WF_KEEP_RELEASED : WF_KEEP_DECIDED;
        return true;
    }
    h->outcome = WF_KEEP_UNDECIDED;
    if (wf_kept_is_loose())
        return true;
    if (wf_keep_is_there(MPI_ANY_SOURCE, a->source_tag, a->comm, &from))
        return !wf_choice_has_sent(&h->wanted, from); /* there is no header */
    return !h->since && patience->tries % LOOK_EVERY == LOOK_EVERY - 1 && wf_choice_never_comes(&h->wanted);
}

/* Waits until the message is certain and there. What this takes is monitoring's, as soon as something is there. */
static void keep_wait(struct wf_call *c, const struct wf_args *a, struct keep_hold *h)
{
    struct wf_patience patience = {0};
    while (!keep_is_over(h, a, &patience)) {
        wf_stand_in_drive();
        wf_patience_wait(&patience);
    }
    c->granted = wf_clock_ticks();
    h->held = h->since ? c->granted - h->since : 0;
    c->put += h->since ? h->held : patience.tries == 0 ? wf_less(c->granted, c->start) : 0;
}

/* A receive or probe from any source. */
static void keep_hold(struct wf_call *c, struct wf_args *a)
{
    struct keep_hold h = {.wanted = {.group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL,
                                     .tag = wf_keep_tag(a->source_tag),
                                     .order = WF_MATCH_NOW,
                                     .stops = true,
                                     .shows = true},
                          .outcome = WF_KEEP_UNDECIDED};
    if (wf_choice_is_possible(h.wanted.group))
        keep_wait(c, a, &h);
    else if (wf_stand_in_is_open())
        wf_kept_release();
    if (h.outcome == WF_KEEP_DECIDED)
        a->source = h.choice.source;
    wf_keep_count(c->site, h.outcome, h.outcome == WF_KEEP_DECIDED && h.choice.otherwise, h.held);
}

/* From a named source, while stand-ins are open: they are to be decided meanwhile. */
static void keep_drive(const struct wf_args *a)
{
    struct wf_patience patience = {0};
    int from;
    while (wf_stand_in_is_open()) {
        if (!wf_kept_goes_first(a->comm, a->source, a->source_tag) &&
            wf_keep_is_there(a->source, a->source_tag, a->comm, &from))
            return;
        wf_stand_in_drive();
        wf_stand_in_progress();
        wf_patience_wait(&patience);
    }
}

/* The call blocks: others see which of the messages that it waits for it has read already. */
static void keep_named(const struct wf_args *a)
{
    const struct wf_group *group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL;
    if (wf_header_to(group, a->source) < 0)
        return;
    wf_choice_show_aside();
    if (wf_stand_in_is_open())
        keep_drive(a);
}

static bool keep_receive(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)rc;
    if (a->source == MPI_ANY_SOURCE)
        keep_hold(c, a);
    else
        keep_named(a);
    return false;
}

/* The send is under way while the receive is held. One that replaces what it sends is left to MPI. */
static bool keep_sendrecv(struct wf_call *c, struct wf_args *a, int *rc)
{
    MPI_Request sent;
    bool simple = a->rtype && a->n <= INT_MAX && a->rn <= INT_MAX;
    if (a->source != MPI_ANY_SOURCE && !wf_stand_in_is_open()) {
        keep_named(a);
        return false;
    }
    if (!simple) {
        wf_kept_release();
        if (a->source == MPI_ANY_SOURCE)
            wf_keep_count(c->site, WF_KEEP_UNDECIDED, false, 0);
        return false;
    }
    *rc = wf_real.Isend(a->buf, (int)a->n, a->type, a->peer, a->tag, a->comm, &sent);
    if (*rc != MPI_SUCCESS)
        return true;
    keep_receive(c, a, rc);
    *rc = wf_real.Recv((void *)a->rbuf, (int)a->rn, a->rtype, a->source, a->source_tag, a->comm, a->status);
    int rc_sent = wf_real.Wait(&sent, MPI_STATUS_IGNORE);
    *rc = *rc == MPI_SUCCESS ? rc_sent : *rc;
    return true;
}

/* ---- calls that ask ---- */

static bool keep_says_no(struct wf_args *a)
{
    *a->flag = 0;
    return true;
}

static void keep_asked(struct wf_call *c, const struct wf_choice *choice, enum wf_keep_outcome outcome)
{
    uint64_t held = keep_asking ? wf_clock_ticks() - keep_asking : 0;
    keep_asking = 0;
    wf_keep_count(c->site, outcome, outcome == WF_KEEP_DECIDED && choice->otherwise, held);
}

/* Something is there for a probe from any source. True: no. */
static bool keep_choose(struct wf_call *c, struct wf_args *a, int from)
{
    struct wf_wanted wanted = {.group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL,
                               .tag = wf_keep_tag(a->source_tag),
                               .order = WF_MATCH_NOW};
    struct wf_choice choice = {.otherwise = false};
    bool released;
    if (!wf_choice_is_possible(wanted.group) || wf_kept_is_loose() || !wf_choice_has_sent(&wanted, from)) {
        keep_asked(c, &choice, WF_KEEP_UNDECIDED);
        return false;
    }
    if (!wf_keep_try(&wanted, a->source_tag, a->comm, &keep_asking, &choice, &released))
        return keep_says_no(a);
    if (released) {
        keep_asked(c, &choice, WF_KEEP_RELEASED);
        return false;
    }
    a->source = choice.source;
    c->granted = wf_clock_ticks();
    keep_asked(c, &choice, WF_KEEP_DECIDED);
    return false;
}

/* No, until the message is certain. Where nothing is there, nothing need be decided. */
static bool keep_ask(struct wf_call *c, struct wf_args *a, int *rc)
{
    MPI_Status status;
    int flag = 0;
    bool open = wf_stand_in_is_open();
    if (!a->flag || (a->source != MPI_ANY_SOURCE && !open))
        return false;
    if (open)
        wf_stand_in_drive();
    *rc = wf_real.Iprobe(a->source, a->source_tag, a->comm, &flag, &status);
    if (*rc != MPI_SUCCESS)
        return true;
    if (!flag || (open && wf_kept_goes_first(a->comm, a->source, a->source_tag)))
        return keep_says_no(a);
    return a->source == MPI_ANY_SOURCE && keep_choose(c, a, status.MPI_SOURCE);
}

static const struct wf_order_way keep_way = {
    .direct =
        {
            [WF_ORDER_recv] = keep_receive,         [WF_ORDER_probe] = keep_receive,
            [WF_ORDER_mprobe] = keep_receive,       [WF_ORDER_sendrecv] = keep_sendrecv,
            [WF_ORDER_iprobe] = keep_ask,           [WF_ORDER_improbe] = keep_ask,
            [WF_ORDER_irecv] = wf_kept_irecv,       [WF_ORDER_isendrecv] = wf_kept_isendrecv,
            [WF_ORDER_start] = wf_kept_starts,      [WF_ORDER_startall] = wf_kept_startall,
            [WF_ORDER_wait] = wf_kept_wait_one,     [WF_ORDER_waitall] = wf_kept_wait_all,
            [WF_ORDER_waitany] = wf_kept_wait_any,  [WF_ORDER_waitsome] = wf_kept_wait_some,
            [WF_ORDER_test] = wf_kept_test_one,     [WF_ORDER_testall] = wf_kept_test_all,
            [WF_ORDER_testany] = wf_kept_test_any,  [WF_ORDER_testsome] = wf_kept_test_some,
            [WF_ORDER_status] = wf_kept_status,     [WF_ORDER_request_free] = wf_stand_in_free,
            [WF_ORDER_cancel] = wf_stand_in_cancel, [WF_ORDER_comm_free] = wf_kept_comm_free,
        },
    .settled = {[WF_ORDER_recv_init] = wf_kept_recv_init},
    .blocks = wf_kept_blocks,
};

/* ---- the beginning ---- */

static const struct wf_order_way *keep_refuse(const char *why)
{
    static char line[256];
    wf_sight_hide();
    if (wf_own_box.rank == 0) {
        int n =
            snprintf(line, sizeof line, "weft: --keep-order: %s; receives from any source are only observed\n", why);
        if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
            return NULL;
    }
    return NULL;
}

static bool keep_has_far_ranks(void)
{
    for (int32_t i = 0; i < wf_links.count; i++)
        if (!wf_link_is_local(wf_link_to(i)))
            return true;
    return wf_links.far;
}

const struct wf_order_way *wf_order_keep_start(const char *rest)
{
    uint64_t ns = strtoull(rest, NULL, 10);
    if (!wf_header_is_on())
        return keep_refuse("this process cannot see the others");
    if (wf_process.threads)
        return keep_refuse("several threads may be in MPI (MPI_THREAD_MULTIPLE)");
    if (wf_process.model != WF_MODEL_VIRTUAL)
        return keep_refuse("it needs the virtual clock (--clock=virtual)");
    if (!wf_sight_start())
        return keep_refuse("there is no memory");
    if (keep_has_far_ranks())
        return keep_refuse("the state of ranks on other hosts cannot be read in time");
    wf_keep_longest = wf_limits_ticks(ns);
    return &keep_way;
}
