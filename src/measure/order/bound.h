/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The bound of a process: a virtual time below which it can send nothing any more. It follows from what all processes
 * were seen to do at one look:
 *
 *     a process that runs                     its virtual time then
 *     one that waits for all of its needs     the latest of them, but not before its call began
 *     one that waits for any of its needs     the earliest of them, but not before its call began
 *     a need                                  the virtual send time of the message on its way that satisfies it, or the
 *                                             bound of the process that has to satisfy it, whichever is earlier
 *     the process that asks                   never, for as long as it waits
 *
 * A bound is the earliest time that can be derived from these rules. What cannot be derived never happens: processes
 * that wait for each other, or for the one that asks, have the bound WF_BOUND_NEVER.
 *
 * Pure: numbers in, numbers out. It knows neither MPI nor where the numbers come from.
 */
#ifndef WF_BOUND_H
#define WF_BOUND_H

#include <stdbool.h>
#include <stdint.h>

#define WF_BOUND_NEVER UINT64_MAX
#define WF_BOUND_ANYONE (-1) /* each process but the one that needs it */

enum wf_bound_mode {
    WF_BOUND_RUNS, /* or it is not known what it waits for: its bound is `begin` */
    WF_BOUND_ALL,
    WF_BOUND_ANY,
    WF_BOUND_STOPS, /* it sends nothing more: it is the one that asks, or it has finalized MPI */
};

struct wf_bound_need {
    int32_t from;  /* a process, or WF_BOUND_ANYONE */
    uint64_t sent; /* the earliest message on its way that satisfies it; WF_BOUND_NEVER: there is none */
};

struct wf_bound_process {
    enum wf_bound_mode mode;
    bool settled;          /* for wf_bound_find */
    uint32_t first, count; /* its needs */
    uint64_t begin;
    uint64_t bound;
};

/* Computes the bounds of all processes. */
void wf_bound_find(struct wf_bound_process *processes, int32_t count, const struct wf_bound_need *needs);

#endif
