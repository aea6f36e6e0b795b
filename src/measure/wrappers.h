/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What wrap.awk generates from mpi_calls.tbl for one MPI library.
 */
#ifndef WF_WRAPPERS_H
#define WF_WRAPPERS_H

#include "measure/front.h"

/* The definitions that the wrappers call, by row of the table: what MPI_X and PMPI_X would be without weft. */
extern void *wf_next_mpi_functions[], *wf_next_pmpi_functions[];

/* Rows of the table. */
extern const unsigned wf_wrappers_calls;

/* Rows of the functions whose wrappers are written by hand. */
extern const unsigned wf_call_Init, wf_call_Init_thread, wf_call_Finalize, wf_call_Abort, wf_call_Pcontrol, wf_call_Session_init,
    wf_call_Session_finalize;

/* Looks up all definitions and lets the front's slots lead to the wrappers. */
void wf_wrappers_install(const struct wf_front *front);

#endif
