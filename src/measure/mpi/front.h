/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The line between the front library and a backend.
 *
 * libweft.so, the front, is preloaded into every process. It knows no MPI: it exports the names of all watched MPI
 * functions as jumps through slots, and when the first of them is called it looks which MPI library is loaded and opens
 * the backend compiled for it. In a process that never calls MPI it does nothing at all.
 */
#ifndef WF_FRONT_H
#define WF_FRONT_H

#include <stdint.h>

/* What the front gives a backend. Slots are in the order of the watched functions of mpi_calls.tbl. */
struct wf_front {
    unsigned calls;
    void **mpi_slots;                /* where MPI_X leads */
    void **pmpi_slots;               /* where PMPI_X leads */
    void *(*next)(const char *name); /* the definition behind the front's own: another tool's, or the MPI library's */
};

/* The backend's one entry: fills the slots. Returns 0, or -1 if it cannot work here and touched nothing. */
#define WF_BACKEND_START "weft_backend_start"
typedef int wf_backend_start_function(const struct wf_front *front);

#endif
