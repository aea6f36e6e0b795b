/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of the process: the state of watching, which is off, on or paused. The first probe or MPI_Init turns it on;
 * any failure turns it off for good and is said once. It knows no MPI library.
 *
 * Its objects, who owns them, and which threads may touch them:
 *
 *     process    the state itself, with the segment      any thread reads; MPI_Init, Pcontrol and Finalize write
 *     threads    a thread's lane, from first call to end    its thread
 *     pause      MPI_Pcontrol(0) and (1)                    the thread that calls; each other hears of it for itself
 *     identity   which process it is, of which world        the thread that opens the segment
 *     hydra      MPICH's launcher, which knows the world    the thread that initialises MPI
 *     listener   what the rooms above hear of all this      constant
 *
 * What is global: wf_process, because each call and each probe reads it; how opening went; the key that tells of a
 * thread's end; the world's name.
 *
 * It may use base/, format/, guest/, clock/ and record/.
 */
#ifndef WF_PROCESS_H
#define WF_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/clock/clock.h"
#include "measure/clock/shown_clock.h"
#include "measure/guest/thread.h"
#include "measure/record/record.h"
#include "measure/clock/virtual.h"

/* What watching a call costs, calibrated, in ticks. */
struct wf_cost {
    uint64_t before; /* until the clock is read */
    uint64_t inner;  /* between the two readings around the real function */
    uint64_t after;  /* behind the second */
    uint64_t tail;   /* behind a third, where there is one */
    uint64_t put;    /* leaving a header; between the two readings */
    uint64_t all;    /* of a call without a header, altogether */
};

#define WF_SIZE_CLASSES 65

struct wf_process {
    bool watching;                            /* a segment is open */
    bool mpi;                                 /* and MPI is or was initialised */
    _Atomic bool paused;                      /* between MPI_Pcontrol(0) and MPI_Pcontrol(1) */
    bool threads;                             /* MPI_THREAD_MULTIPLE: what the threads share needs its locks */
    uint64_t test_delay_ticks, test_delay_ns; /* WEFT_TEST_DELAY: every probe of this rank is that much slower */
    bool begins_slowly;                       /* the begin of a call has that to do, or the next: */
    struct wf_shown_clock *shown_clock;       /* where others read how late the thread is; NULL: it is not shown */
    enum wf_clock_model model;
    struct wf_cost cost;
    struct wf_latency latency[2 * WF_SIZE_CLASSES]; /* of messages, by the bits of their size; then of those from other
                                                       hosts */
    uint64_t vain_ticks;                            /* spent waiting for answers that did not come */
    uint64_t send_ticks[WF_SIZE_CLASSES];           /* the shortest send that may wait for its receiver, by the same */
    struct wf_segment segment;
    struct wf_lane *main; /* of the thread that opened it */
};

extern struct wf_process wf_process WF_SHARED(process);

/* What only an MPI library can tell. */
struct wf_process_facts {
    int rank, size, thread_level;
    bool threads;
    const char *mpi; /* "Open MPI 4.1.4" */
};

/* Opens the segment in $WEFT_DIR: at the first probe, or when MPI is initialised. Later calls do nothing. Any thread.
 */
void wf_process_open(void);

/* A moment as early as possible: ticks are converted by what lies between it and a later one. */
void wf_process_remember_start(void);

/* MPI is initialised; init_begin is when MPI_Init was entered. If there is no segment, says why. */
void wf_process_start(const struct wf_process_facts *facts, uint64_t init_begin_ticks) WF_SHARED(process_start);
/* weft is ready: what it did in MPI_Init since `since` has made this process late by that much. */
void wf_process_started(uint64_t since) WF_SHARED(process_started);
void wf_process_pause(void) WF_SHARED(process_pause);
void wf_process_resume(void) WF_SHARED(process_resume);
/* MPI_Finalize is entered: useful time ends here. */
void wf_process_finalizing(uint64_t begin_ticks) WF_SHARED(process_finalizing);
void wf_process_finalized(void) WF_SHARED(process_finalized); /* MPI_Finalize has returned */
void wf_process_aborting(int code) WF_SHARED(process_aborting);

/* Headers go with messages: what leaving one costs is known now. */
void wf_process_put_cost(uint64_t ticks) WF_SHARED(process_put_cost);

/* Something has happened that the lane's thread has to know (enum wf_attend). True: nothing is counted now. */
bool wf_process_attend(struct wf_lane *lane) WF_SHARED(process_attend);

/* The calling thread's lane, made at its first call; NULL while nothing is watched. */
struct wf_lane *wf_process_lane(void) WF_SHARED(process_lane);

#endif
