/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a wrapper was entered: from which statement, and by which of the function's names. One wrapper stands for MPI_X,
 * PMPI_X and the Fortran names; the front's stubs say which it was, unless it was MPI_X (guest/thread.h).
 */
#ifndef WF_CALLER_H
#define WF_CALLER_H

#include "measure/guest/thread.h"
#include "measure/mpi/wrappers.h"

struct wf_caller {
    const void *address;  /* the statement: the return address of the application's call */
    const char *requests; /* where Fortran keeps the call's requests; NULL: it was called from C */
    void *next;           /* the definition that MPI_X or PMPI_X would lead to without weft */
};

static inline __attribute__((always_inline)) struct wf_caller wf_caller_take(uint32_t call, const void *address)
{
    struct wf_caller e = {.address = address, .next = wf_next_mpi_functions[call]};
    struct wf_tls *tls = &weft_tls;
    if (__builtin_expect(tls->any_entered != 0, 0)) {
        if (tls->entered.fortran == call + 1) { /* the Fortran binding called us */
            e.address = tls->fortran_site;
            e.requests = tls->fortran_requests;
        }
        if (tls->entered.pmpi == call + 1)
            e.next = wf_next_pmpi_functions[call];
        tls->any_entered = 0;
    }
    return e;
}

#endif
