/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What weft keeps of a thread where the fastest kind of thread-local storage reaches it: only a library that is loaded
 * at start may use that. Only the thread itself and its signal handlers touch it.
 */
#ifndef WF_GUEST_THREAD_H
#define WF_GUEST_THREAD_H

#include <stdint.h>

struct wf_lane;

/* Where a thread is. */
enum wf_depth {
    WF_OUTSIDE, /* in the application's own code */
    WF_IN_MPI,  /* in the real function of a watched call: what MPI calls inside itself is not the application's;
                   callbacks' probes are */
    WF_AT_WORK, /* in weft: what comes now comes from a signal handler, and goes uncounted */
};

/* How a wrapper was entered: the front's stubs write it where the call alone does not tell (mpi/stubs.awk knows the
 * offsets, mpi/caller.h reads it). Both are the function's number in mpi_calls.tbl + 1; 0: no such stub was entered. */
struct wf_entered {
    uint32_t fortran; /* through its Fortran name */
    uint32_t pmpi;    /* through its name PMPI_X */
};

struct wf_tls {
    struct wf_lane *lane; /* NULL until the thread's first watched call */
    union {
        struct wf_entered entered;
        uint64_t any_entered; /* both at once: 0 in the usual case */
    };
    const void *fortran_site;     /* the statement that called the Fortran name */
    const char *fortran_requests; /* its variable of requests or of a message, if it has one */
    uint32_t depth;               /* enum wf_depth */
    uintptr_t outer;              /* where on the stack weft was entered, unless it is outside */
};

extern __thread struct wf_tls weft_tls __attribute__((tls_model("initial-exec"), visibility("default")));

#endif
