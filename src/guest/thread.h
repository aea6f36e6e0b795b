/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What weft keeps of a thread where the fastest kind of thread-local storage reaches it: only a library that is loaded at start may use that.
 */
#ifndef WF_THREAD_H
#define WF_THREAD_H

#include <stdint.h>

struct wf_lane;

/* Where a thread is. */
enum wf_depth {
    WF_OUTSIDE,  /* in the application's own code */
    WF_IN_MPI,   /* in the real function of a watched call: what MPI calls inside itself is not the application's; callbacks' probes are */
    WF_AT_WORK,  /* in weft: what comes now comes from a signal handler, and goes uncounted */
};

/* stubs.awk knows the offsets of the Fortran ones. */
struct wf_tls {
    struct wf_lane *lane;     /* NULL until the thread's first watched call */
    uint32_t depth;           /* enum wf_depth */
    uint32_t fortran_call;    /* 1 + the function whose Fortran entry was called just now; 0: none */
    const void *fortran_site; /* and from where */
    const char *fortran_requests; /* and its variable of requests or of a message, if it has one */
    uintptr_t outer;          /* where on the stack weft was entered, unless it is outside */
};

extern __thread struct wf_tls weft_tls __attribute__((tls_model("initial-exec"), visibility("default")));

#endif
