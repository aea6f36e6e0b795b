/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The simplest way of order control, for tests of stand-ins (WEFT_ORDER=hold:MS): each nonblocking receive from any
 * source is held back for some milliseconds, and then posted as it was asked for.
 */
#include "measure/order/order.h"

#include <stdlib.h>

#include "measure/order/completion.h"

static uint64_t hold_ns;

static void hold_started(struct wf_stand_in *s)
{
    s->since = wf_clock_read_ns(CLOCK_MONOTONIC);
}

static void hold_progress(struct wf_stand_in *s)
{
    if (wf_clock_read_ns(CLOCK_MONOTONIC) - s->since >= hold_ns)
        wf_stand_in_post(s, s->source, s->tag);
}

static const struct wf_stand_in_way hold_receives = {.started = hold_started, .progress = hold_progress};

static bool hold_irecv(struct wf_call *c, struct wf_args *a, int *rc)
{
    (void)c;
    return a->peer == MPI_ANY_SOURCE && wf_stand_in_hold(a, &hold_receives, rc);
}

static void hold_recv_init(struct wf_call *c, const struct wf_args *a, int rc)
{
    (void)c;
    if (rc == MPI_SUCCESS && a->peer == MPI_ANY_SOURCE && !a->parts)
        wf_stand_in_keep(a, &hold_receives);
}

static const struct wf_order_way hold_way = {
    .direct =
        {
            [WF_ORDER_irecv] = hold_irecv,
            [WF_ORDER_start] = wf_stand_in_starts,
            [WF_ORDER_startall] = wf_stand_in_startall,
            [WF_ORDER_wait] = wf_completion_wait_one,
            [WF_ORDER_waitall] = wf_completion_wait_all,
            [WF_ORDER_waitany] = wf_completion_wait_any,
            [WF_ORDER_waitsome] = wf_completion_wait_some,
            [WF_ORDER_test] = wf_completion_test_one,
            [WF_ORDER_testall] = wf_completion_test_all,
            [WF_ORDER_testany] = wf_completion_test_any,
            [WF_ORDER_testsome] = wf_completion_test_some,
            [WF_ORDER_status] = wf_completion_status,
            [WF_ORDER_request_free] = wf_stand_in_free,
            [WF_ORDER_cancel] = wf_stand_in_cancel,
            [WF_ORDER_comm_free] = wf_stand_in_comm_free,
        },
    .settled = {[WF_ORDER_recv_init] = hold_recv_init},
};

const struct wf_order_way *wf_order_hold_start(const char *rest)
{
    hold_ns = strtoull(rest, NULL, 10) * 1000000;
    return &hold_way;
}
