/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that begin or end accesses to a window, for some of its members: general active target (MPI_Win_start,
 * complete, post, wait) and passive target (MPI_Win_lock, unlock, flush). Each of them leaves a note, as an entry of
 * the window, and which of two calls waits for the other is left to the library: whichever takes long reads the others'
 * notes.
 */
#ifndef WF_CLASS_EPOCH_H
#define WF_CLASS_EPOCH_H

#include "measure/mpi/class_collective.h"

/* With a flag: MPI_Win_test. */
static inline void wf_epoch_before(struct wf_call *c, struct wf_args *a)
{
    c->polls = a->flag ? WF_POLLS_ASKS : WF_POLLS_NOT;
    c->asked = 0;
}

void wf_epoch_begun(struct wf_call *c, struct wf_args *a);
void wf_epoch_after(struct wf_call *c, struct wf_args *a, int rc);

#endif
