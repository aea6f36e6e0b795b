/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/class_partitioned.h"

#include "measure/exchange/arrival.h"

/* The start of a receive has a number beside that of the partitions that it gets. */
#define RECEIVE (UINT32_C(1) << 31)

uint64_t wf_partitioned_name(const struct wf_args *a, bool sends)
{
    const struct wf_group *group = wf_header_is_on() ? wf_comm_known(a->comm) : NULL;
    int32_t partner = group && !group->inter ? wf_group_partner(group, a->peer) : -1;
    if (partner < 0 || group->rank < 0)
        return 0;
    int32_t own = group->partner[group->rank];
    return wf_comm_pair_name(group->id, a->tag, sends ? own : partner, sends ? partner : own, sends);
}

void wf_partitioned_start(struct wf_call *c, const struct wf_request *r)
{
    if (r->kind == WF_REQUEST_RECEIVE)
        wf_header_enter_as(c, NULL, r->comm, RECEIVE | r->starts, c->site->address);
}

void wf_partitioned_complete(const struct wf_call *c, const struct wf_request *r, struct wf_others *o)
{
    bool sends = r->kind == WF_REQUEST_SEND;
    if (!sends)
        wf_race_lose();
    struct wf_candidates partner = {.ranks = &r->partner,
                                    .count = 1,
                                    .id = r->comm,
                                    .number = sends ? RECEIVE | r->starts : r->starts,
                                    .kind = sends ? WF_WAIT_LATE_RECEIVER : WF_WAIT_LATE_SENDER};
    if (r->comm && wf_arrival_is_wanted(c))
        wf_arrival_explain(c, &partner, o);
}

void wf_pready_begun(struct wf_call *c, struct wf_args *a)
{
    struct wf_request r;
    if (wf_header_is_on() && wf_request_persistent((uintptr_t)a->request, &r) && r.partitioned && r.comm)
        wf_header_enter_as(c, NULL, r.comm, r.starts, c->site->address);
}
