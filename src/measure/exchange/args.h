/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The parameters of an MPI call by their roles. mpi_calls.tbl says which parameter has which role, the generated
 * wrapper fills this in, and the class of the function reads it. What a function does not have is 0, and costs nothing:
 * it is all inlined.
 */
#ifndef WF_ARGS_H
#define WF_ARGS_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "measure/exchange/comm.h"
#include "measure/exchange/depends.h"

enum wf_shape { /* how the bytes of a collective come from its parameters: see mpi_calls.tbl */
                WF_SHAPE_none,
                WF_SHAPE_one,
                WF_SHAPE_each,
                WF_SHAPE_sum,
                WF_SHAPE_sumw,
                WF_SHAPE_scatter,
                WF_SHAPE_n_one,
                WF_SHAPE_n_each,
                WF_SHAPE_n_sum,
                WF_SHAPE_n_sumw,
                WF_SHAPE_item,
};

enum wf_epoch { /* calls that begin or end accesses to a window: see measure/mpi/class_epoch.c */
                WF_EPOCH_start,
                WF_EPOCH_complete,
                WF_EPOCH_post,
                WF_EPOCH_wait,
                WF_EPOCH_lock,
                WF_EPOCH_unlock,
                WF_EPOCH_lock_all,
                WF_EPOCH_unlock_all,
};

struct wf_record;
struct wf_ring;
struct wf_posted;
struct wf_started;

struct wf_args {
    enum wf_shape shape;
    enum wf_depends waits;
    enum wf_maker maker; /* of *commp */
    bool synchronous;    /* a send that always waits for its receiver */
    bool tests;          /* a completion that does not wait */
    bool looks;          /* memory that others write may have changed behind it */
    enum wf_epoch epoch; /* what it means for a window */
    const void *buf, *rbuf;
    int64_t n, rn;
    const int *nv, *rnv;
    const MPI_Count *nvc, *rnvc; /* the same in the large-count functions */
    MPI_Datatype type, rtype;
    const MPI_Datatype *typev, *rtypev;
    int peer, rpeer, tag, rtag, root, parts;
    int source, source_tag; /* what the real receive or probe is asked for: order control may choose (measure/order/) */
    const char *word;
    MPI_Comm comm;
    MPI_Win win;
    MPI_Group group;
    int lock; /* its type; 0: the call does not say */
    MPI_Request request;
    MPI_Comm *commp;
    MPI_Comm freed; /* by Comm_free and Comm_disconnect */
    MPI_Win *winp;
    MPI_File file, *filep;
    MPI_Status *status, *statuses;
    MPI_Request *req, *reqs;
    MPI_Message *message;
    int reqn;
    int *flag, *index, *outcount, *indices;

    /* Kept by the class from before the call until after it. */
    uintptr_t handle;       /* *req or *message as it was; MPI_REQUEST_NULL or MPI_MESSAGE_NULL where there is none */
    MPI_Status *own_status; /* for where the application wants none; beside, not inside: *this stays in registers */
    MPI_Request *own_reqs; /* reqs[] as they were; NULL: they cannot be read, or there is no memory: nothing is followed
                            */
    struct wf_started *started; /* what is being started, one for each request; NULL as above */
    int32_t *partners;          /* room for the partners of all completions */
    struct wf_record *record;   /* the header of what is sent; NULL: there is none */
    uint32_t flags;             /* enum wf_header_flags, of the same */
    struct wf_ring *ring;       /* where the receiver's reply to it will be; NULL: none is wanted */
    uint32_t record_number;
    struct wf_posted *posted; /* of a receive that is started */
    struct wf_group *entered; /* the communicator, window or file whose collective it is; NULL: it is not followed */
    uint64_t call_name;       /* of a call that makes a communicator; 0: it is followed otherwise */
    struct wf_group *leaving; /* what is being freed */
    uint32_t collective;      /* its number there */
};

#endif
