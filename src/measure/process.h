/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The state of watching in this process: off, on, paused or over. MPI_Init turns it on, MPI_Finalize off; any failure turns it off
 * for good and is said once. Knows no MPI library.
 */
#ifndef WF_PROCESS_H
#define WF_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/clock.h"
#include "measure/front.h"
#include "measure/lane.h"
#include "measure/segment.h"

struct wf_process {
    bool watching;  /* a segment is open and MPI is initialised */
    bool paused;    /* between MPI_Pcontrol(0) and MPI_Pcontrol(1) */
    bool threads;   /* MPI_THREAD_MULTIPLE: what the threads share needs its locks */
    uint64_t test_delay_ticks; /* WEFT_TEST_DELAY: every probe of this rank is that much slower */
    struct wf_segment segment;
};

extern struct wf_process wf_process;

/* What only an MPI library can tell. */
struct wf_process_facts {
    int rank, size, thread_level;
    bool threads;
    const char *mpi; /* "Open MPI 4.1.4" */
};

/* Opens the segment in $WEFT_DIR; init_begin is when MPI_Init was entered. On failure says why and stays off. */
void wf_process_start(const struct wf_process_facts *facts, uint64_t init_begin_ticks);
void wf_process_pause(void);
void wf_process_resume(void);
void wf_process_finalizing(uint64_t begin_ticks); /* MPI_Finalize is entered: useful time ends here */
void wf_process_finalized(void);                  /* MPI_Finalize has returned */
void wf_process_aborting(int code);

/* The calling thread's lane, made at its first call; NULL while nothing is watched. */
struct wf_lane *wf_process_lane(void);

#endif
