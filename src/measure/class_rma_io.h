/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of one-sided and of file operations.
 */
#ifndef WF_CLASS_RMA_IO_H
#define WF_CLASS_RMA_IO_H

#include "measure/class_collective.h"

static inline void wf_rma_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

/* Win_lock, Win_flush and the like have a partner and no data. */
static WF_OUTLINE void wf_rma_after(struct wf_call *c, struct wf_args *a, int rc)
{
    if (__builtin_expect(rc != MPI_SUCCESS, 0)) {
        wf_call_failed(c);
        return;
    }
    int32_t partner = wf_win_partner(a->win, a->peer);
    int64_t n = a->shape == WF_SHAPE_item ? 1 : a->n;
    wf_call_settle_alone(c);
    wf_call_count(c, partner, 1, partner == WF_PARTNER_NOBODY || n == 0 ? 0 : (uint64_t)n * wf_type_bytes(a->type));
}

#define wf_irma_before wf_rma_before

static WF_OUTLINE void wf_irma_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_rma_after(c, a, rc);
    if (rc == MPI_SUCCESS)
        wf_call_follow(c, a, (struct wf_request){.kind = WF_REQUEST_OTHER, .partner = wf_win_partner(a->win, a->peer)});
}

static inline void wf_io_before(struct wf_call *c, struct wf_args *a)
{
    (void)c;
    wf_args_want_status(a);
}

static WF_OUTLINE void wf_io_count(struct wf_call *c, int32_t partner, uint64_t bytes, int rc)
{
    wf_call_settle_alone(c);
    wf_call_count(c, rc == MPI_SUCCESS ? partner : WF_PARTNER_NOBODY, rc == MPI_SUCCESS, bytes);
}

/* The status tells what was really read or written: at the end of a file it is less than was asked for. */
static inline void wf_io_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_io_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS && a->status ? wf_status_bytes(a->status) : 0, rc);
}

#define wf_io_all_before wf_io_before

static inline void wf_io_all_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_io_count(c, WF_PARTNER_ALL, rc == MPI_SUCCESS && a->status ? wf_status_bytes(a->status) : 0, rc);
}

/* The begin of a split collective: what is asked for; the end adds nothing. */
static inline void wf_io_begin_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

static inline void wf_io_begin_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_io_count(c, WF_PARTNER_ALL, rc == MPI_SUCCESS ? (uint64_t)a->n * wf_type_bytes(a->type) : 0, rc);
}

static inline void wf_io_started(struct wf_call *c, struct wf_args *a, int32_t partner, int rc)
{
    wf_io_count(c, partner, 0, rc);
    if (rc == MPI_SUCCESS)
        wf_call_follow(c, a, (struct wf_request){.kind = WF_REQUEST_IO, .partner = partner});
}

#define wf_iio_before wf_io_begin_before
#define wf_iio_all_before wf_io_begin_before

static inline void wf_iio_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_io_started(c, a, WF_PARTNER_NOBODY, rc);
}

static inline void wf_iio_all_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_io_started(c, a, WF_PARTNER_ALL, rc);
}

static inline void wf_comm_free_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

#define wf_comm_free_after wf_coll_after
#define wf_win_free_before wf_comm_free_before
#define wf_win_free_after wf_coll_after

/* What a handle stood for must be forgotten even where the call itself is not counted; and only if MPI agrees, which does not free everything. */
static inline void wf_comm_free_leaving(struct wf_args *a)
{
    a->leaving = a->commp && wf_process.watching ? wf_comm_leaving(*a->commp) : NULL;
    a->commp = NULL; /* nothing is made */
}

static inline void wf_win_free_leaving(struct wf_args *a)
{
    a->leaving = a->winp && wf_process.watching ? wf_win_leaving(*a->winp) : NULL;
    a->winp = NULL;
}

static inline int wf_comm_free_left(const struct wf_args *a, int rc)
{
    wf_ranks_left(a->leaving, rc == MPI_SUCCESS);
    return rc;
}

#define wf_win_free_left wf_comm_free_left

#endif
