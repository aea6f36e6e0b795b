/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partitioned messages. A send is complete when its last partition was ready and its receive has been started; a
 * receive when the last partition was ready. So MPI_Pready leaves an entry, and so does the start of a receive, under
 * the name of the pair of requests. Whichever call completes the other late reads it.
 */
#ifndef WF_CLASS_PARTITIONED_H
#define WF_CLASS_PARTITIONED_H

#include "measure/mpi/class_p2p.h"

/* The name of a partitioned request's pair; 0: it is not followed. */
uint64_t wf_partitioned_name(const struct wf_args *a, bool sends);

/* A partitioned request is started. */
void wf_partitioned_start(struct wf_call *c, const struct wf_request *r);

/* It is complete. */
void wf_partitioned_complete(const struct wf_call *c, const struct wf_request *r, struct wf_others *o);

static inline void wf_pready_before(struct wf_call *c, struct wf_args *a)
{
    (void)c, (void)a;
}

void wf_pready_begun(struct wf_call *c, struct wf_args *a);

static inline void wf_pready_after(struct wf_call *c, struct wf_args *a, int rc)
{
    (void)a;
    wf_call_take_alone(c, WF_PARTNER_NONE, rc == MPI_SUCCESS, 0);
}

#endif
