/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The calls that start, end, pause and abort MPI: each has its own meaning for weft too.
 */
#ifndef WF_LIFECYCLE_H
#define WF_LIFECYCLE_H

#include <mpi.h>

int wf_lifecycle_Init(const void *address, __typeof__(&PMPI_Init) next, int *argc, char ***argv);
int wf_lifecycle_Init_thread(const void *address, __typeof__(&PMPI_Init_thread) next, int *argc, char ***argv,
                             int required, int *provided);
int wf_lifecycle_Finalize(const void *address, __typeof__(&PMPI_Finalize) next);
int wf_lifecycle_Abort(const void *address, __typeof__(&PMPI_Abort) next, MPI_Comm comm, int errorcode);
int wf_lifecycle_Pcontrol(const int level, ...);
#if MPI_VERSION >= 4
int wf_lifecycle_Session_init(const void *address, __typeof__(&PMPI_Session_init) next, MPI_Info info,
                              MPI_Errhandler errhandler, MPI_Session *session);
int wf_lifecycle_Session_finalize(const void *address, __typeof__(&PMPI_Session_finalize) next, MPI_Session *session);
#endif

#endif
