/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Classes of one-sided and of file operations, and of calls that free.
 */
#ifndef WF_CLASS_RMA_IO_H
#define WF_CLASS_RMA_IO_H

#include "measure/mpi/class_collective.h"

static inline void wf_rma_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

/* Win_lock, Win_flush and the like have a partner and no data. */
void wf_rma_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_irma_before wf_rma_before

void wf_irma_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_io_before(struct wf_call *c, struct wf_args *a)
{
    c->disk = true;
    wf_args_want_status(a);
}

void wf_io_count(struct wf_call *c, int32_t partner, uint64_t bytes, int rc);

/* The status tells what was really read or written: at the end of a file it is less than was asked for. */
static inline void wf_io_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_io_count(c, WF_PARTNER_NOBODY, rc == MPI_SUCCESS && a->status ? wf_status_bytes(a->status) : 0, rc);
}

#define wf_io_all_before wf_io_before

static inline void wf_io_all_begun(struct wf_call *c, struct wf_args *a)
{
    wf_coll_enter(c, a, false);
}

void wf_io_all_after(struct wf_call *c, struct wf_args *a, int rc);

/* The begin of a split collective: what is asked for; the end adds nothing. */
static inline void wf_io_begin_before(struct wf_call *c, struct wf_args *a)
{
    (void)a;
    c->disk = true;
}

#define wf_io_begin_begun wf_io_all_begun

void wf_io_begin_after(struct wf_call *c, struct wf_args *a, int rc);

#define wf_iio_before wf_io_begin_before
#define wf_iio_all_before wf_io_begin_before
#define wf_iio_all_begun wf_io_all_begun

void wf_iio_after(struct wf_call *c, struct wf_args *a, int rc);
void wf_iio_all_after(struct wf_call *c, struct wf_args *a, int rc);

static inline void wf_comm_free_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

/* What is freed is there until the call has been counted. */
static inline void wf_comm_free_begun(struct wf_call *c, struct wf_args *a)
{
    if (!a->leaving)
        return;
    wf_group_hold(a->leaving);
    wf_coll_enter(c, a, false);
}

#define wf_comm_free_blocks wf_coll_blocks

static inline void wf_comm_free_after(struct wf_call *c, struct wf_args *a, int rc)
{
    wf_coll_after(c, a, rc);
    wf_group_drop(a->leaving);
}

#define wf_win_free_before wf_comm_free_before
#define wf_win_free_begun wf_comm_free_begun
#define wf_win_free_after wf_comm_free_after
#define wf_file_close_before wf_comm_free_before
#define wf_file_close_begun wf_comm_free_begun
#define wf_file_close_after wf_comm_free_after

/* What a handle stood for must be forgotten even where the call itself is not counted; and only if MPI agrees, which
 * does not free everything. */
static inline void wf_comm_free_leaving(struct wf_args *a)
{
    a->leaving = a->commp && wf_process.watching ? wf_comm_leaving(*a->commp) : NULL;
    a->freed = a->commp ? *a->commp : MPI_COMM_NULL;
    a->commp = NULL; /* nothing is made */
}

static inline void wf_win_free_leaving(struct wf_args *a)
{
    a->leaving = a->winp && wf_process.watching ? wf_win_leaving(*a->winp) : NULL;
    a->winp = NULL;
}

static inline void wf_file_close_leaving(struct wf_args *a)
{
    a->leaving = a->filep && wf_process.watching ? wf_file_leaving(*a->filep) : NULL;
    a->filep = NULL;
}

static inline int wf_comm_free_left(const struct wf_args *a, int rc)
{
    wf_group_left(a->leaving, rc == MPI_SUCCESS);
    return rc;
}

#define wf_win_free_left wf_comm_free_left
#define wf_file_close_left wf_comm_free_left

#endif
