/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Completion of requests with stand-ins among them (stand_in.h), as MPI says it of all of them: MPI's own functions are
 * called with the inner requests in a copy of the application's array. So statuses, errors and their handlers are
 * MPI's. An open stand-in is not complete; it is MPI_REQUEST_NULL in the copy.
 *
 * The calling thread owns the description of its call; requests of one call belong to that thread.
 */
#ifndef WF_COMPLETION_H
#define WF_COMPLETION_H

#include "measure/order/stand_in.h"

enum wf_completion_kind { WF_COMPLETION_one, WF_COMPLETION_all, WF_COMPLETION_any, WF_COMPLETION_some };

/* The parameters of a Wait or Test; what a kind does not have is not read. */
struct wf_completion {
    enum wf_completion_kind kind;
    int n;
    const MPI_Request *given; /* the handles, n of them */
    MPI_Request *reqs;        /* where the application keeps them; may be the same */
    int *index, *outcount, *indices;
    MPI_Status *status, *statuses; /* of one and any; of all and some */
    MPI_Request *copy;             /* what MPI gets; room for n */
    int open;                      /* of the n are open stand-ins */
};

/* The call as the application made it. False: its handles cannot be read, or there are none. The room for the copy is
 * the caller's, wf_completion_take. */
bool wf_completion_of(struct wf_completion *x, enum wf_completion_kind kind, struct wf_args *a);

/* Room for the copy of n handles: `few` if n is at most WF_COMPLETION_FEW. NULL: there is no memory. Given back with
 * wf_completion_give. */
enum { WF_COMPLETION_FEW = 64 };
MPI_Request *wf_completion_take(MPI_Request *few, int n);
void wf_completion_give(MPI_Request *few, MPI_Request *copy, int n);

/* Tests, as the Test of the kind does: sets *done, which is its flag (some: whether any is complete, or none active).
 */
int wf_completion_test(struct wf_completion *x, bool *done);

/* Makes the real call, for a Wait or a Test; sets *done as above. A Wait must not have to wait for long. */
int wf_completion_call(struct wf_completion *x, bool waits, bool *done);

/* Tests in place of a Wait: what that leaves in the statuses is in them. */
int wf_completion_try(struct wf_completion *x, bool *done);

/* Are all of them complete? Nothing is completed by this; but MPICH calls the error handler for one that has failed. */
bool wf_completion_is_complete(const struct wf_completion *x, int *rc);

/* Is one of them a stand-in that is started? */
bool wf_completion_has_stand_in(const struct wf_completion *x);

/* Waits, as the Wait of the kind does; drives open stand-ins meanwhile. */
int wf_completion_wait(struct wf_completion *x);

/* Request_get_status. */
int wf_completion_look(MPI_Request request, int *flag, MPI_Status *status);

/* For the tables of ways (struct wf_order_way, direct): true where stand-ins are concerned. */
bool wf_completion_wait_one(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_wait_all(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_wait_any(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_wait_some(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_test_one(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_test_all(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_test_any(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_test_some(struct wf_call *c, struct wf_args *a, int *rc);
bool wf_completion_status(struct wf_call *c, struct wf_args *a, int *rc);

#endif
