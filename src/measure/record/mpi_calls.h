/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The functions of MPI that are watched, by their numbers in format/mpi_calls.tbl. Generated with the front's stubs
 * (mpi/stubs.awk). Constant.
 */
#ifndef WF_RECORD_MPI_CALLS_H
#define WF_RECORD_MPI_CALLS_H

#include <stdint.h>

extern const uint32_t wf_mpi_calls; /* how many there are */

/* "MPI_Send" */
const char *wf_mpi_call_name(uint32_t call);

#endif
