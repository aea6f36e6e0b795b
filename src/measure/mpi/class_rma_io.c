/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/mpi/class_rma_io.h"

void wf_rma_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    wf_race_lose();
    int32_t partner = wf_win_partner(a->win, a->peer);
    int64_t n = a->shape == WF_SHAPE_item ? 1 : a->n;
    uint64_t bytes = partner == WF_PARTNER_NONE || n == 0 ? 0 : (uint64_t)n * wf_type_bytes(a->type);
    struct wf_others o = {.kind = 0};
    if (wf_arrival_is_wanted(c) && wf_header_is_on())
        wf_arrival_explain_by_return(c, partner, WF_WAIT_WINDOW, &o);
    if (o.merge.parts)
        wf_call_take_with(c, &o, partner, 1, bytes);
    else
        wf_call_take_alone(c, partner, 1, bytes);
}

void wf_irma_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_rma_after(c, a, rc);
    if (rc == MPI_SUCCESS)
        wf_call_follow(c, a, (struct wf_request){.kind = WF_REQUEST_OTHER, .partner = wf_win_partner(a->win, a->peer)});
}

void wf_io_count(struct wf_call *c, int32_t partner, uint64_t bytes, int rc)
{
    wf_call_take_alone(c, rc == MPI_SUCCESS ? partner : WF_PARTNER_NONE, rc == MPI_SUCCESS, bytes);
}

/* What was read or written together. */
static void io_take(struct wf_call *c, const struct wf_args *a, uint64_t bytes, int rc)
{
    struct wf_others o = {.kind = 0};
    wf_race_lose();
    if (rc == MPI_SUCCESS && a->entered)
        wf_header_gather(c, a->entered, MPI_COMM_NULL, a->collective, a->waits, 0, &o);
    wf_call_take_with(c, &o, rc == MPI_SUCCESS ? WF_PARTNER_ALL : WF_PARTNER_NONE, rc == MPI_SUCCESS, bytes);
}

void wf_io_all_after(struct wf_call *c, struct wf_args *a, int rc)
{
    io_take(c, a, rc == MPI_SUCCESS && a->status ? wf_status_bytes(a->status) : 0, rc);
}

void wf_io_begin_after(struct wf_call *c, struct wf_args *a, int rc)
{
    io_take(c, a, rc == MPI_SUCCESS ? (uint64_t)a->n * wf_type_bytes(a->type) : 0, rc);
}

static void io_started(struct wf_call *c, struct wf_args *a, int32_t partner, int rc)
{
    wf_io_count(c, partner, 0, rc);
    if (rc == MPI_SUCCESS)
        wf_call_follow(c, a,
                       (struct wf_request){.kind = WF_REQUEST_IO,
                                           .partner = partner,
                                           .ranks = wf_coll_hold(a),
                                           .record = a->collective,
                                           .waits = (uint8_t)a->waits});
}

void wf_iio_after(struct wf_call *c, struct wf_args *a, int rc)
{
    io_started(c, a, WF_PARTNER_NONE, rc);
}

void wf_iio_all_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_race_lose();
    io_started(c, a, WF_PARTNER_ALL, rc);
}
