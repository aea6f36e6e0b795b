/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of the MPI functions: where the application's calls arrive, and what each class of them means.
 *
 *     stubs.awk, front     the exported names, which jump through slots; the front opens the backend that fits
 *     wrap.awk, wrappers   a wrapper for each function, generated from one line of format/mpi_calls.tbl for one mpi.h
 *     caller               what a wrapper knows of its call; the parameters by their roles are in exchange/args.h
 *     class_*              what the classes of calls do before and after the real function
 *     request              operations under way: what the call that completes one has to know of it
 *     lifecycle            MPI_Init, MPI_Finalize and what else begins, pauses or ends watching
 *     listeners            the table of the rooms that hear of the process
 *
 * What is global: the slots and the definitions behind them, because the entry points read them, written when the
 * backend is loaded; the table of requests, with its lock; the sessions that are open. The room may use all others.
 *
 * This header is what wrap.awk generates.
 */
#ifndef WF_WRAPPERS_H
#define WF_WRAPPERS_H

#include "measure/mpi/front.h"

/* The definitions that the wrappers call, by row of the table: what MPI_X and PMPI_X would be without weft. */
extern void *wf_next_mpi_functions[], *wf_next_pmpi_functions[];

/* Rows of the table. */
extern const unsigned wf_wrappers_calls;

/* Rows of the functions whose wrappers are written by hand. */
extern const unsigned wf_call_Init, wf_call_Init_thread, wf_call_Finalize, wf_call_Abort, wf_call_Pcontrol,
    wf_call_Session_init, wf_call_Session_finalize;

/* Looks up all definitions and lets the front's slots lead to the wrappers. */
void wf_wrappers_install(const struct wf_front *front);

#endif
