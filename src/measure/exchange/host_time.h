/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Common time (measure/exchange/host_clock.h) as this process knows it: CLOCK_MONOTONIC of rank 0's host. It is asked
 * for at start, at the end, and now and then in between; stamps travel in it. The lowest rank of each host asks rank 0,
 * the others of the host read what it found from its box.
 *
 * Asking at start and end is for the thread that is in MPI_Init or MPI_Finalize; everything else for any thread.
 */
#ifndef WF_HOST_TIME_H
#define WF_HOST_TIME_H

#include "measure/clock/clock.h"
#include "measure/clock/virtual.h"
#include "measure/exchange/host_clock.h"
#include "measure/exchange/transport.h"

/* The moments of a stamp: into a message, and as this process's own out of one that has come. */
void wf_host_time_write(struct wf_message *message, const struct wf_stamp *s);
struct wf_stamp wf_host_time_read(const struct wf_message *message);

/* This process's part in finding common time; false: it does not know it. leaders: where the lowest rank on the host
 * says what it found, in its box; NULL: that cannot be read; own: the same in our own box. */
bool wf_host_time_compare(int rank, struct wf_shared_reading *own, const struct wf_shared_reading *leaders,
                          int64_t limit_ns);

/* Tells the collector, in the segment. */
void wf_host_time_publish(void);

/* Clocks drift apart: asks now and then, along with what is sent anyway. No thread waits for the answer. */
void wf_host_time_ask_seldom(void);

/* A question, an answer, or the end of questions has come. */
void wf_host_time_asked(int32_t from, const struct wf_message *m);
void wf_host_time_told(const struct wf_message *m);
void wf_host_time_done(void);

static inline int64_t wf_host_time_now_ns(void)
{
    return (int64_t)wf_clock_mono_ns();
}

/* So many ns. */
double wf_host_time_ns_of(uint64_t ticks);

#endif
