/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the environment tells weft, read once when libweft.so is loaded: a program may clear or change its environment
 * at any time, and getenv is not safe beside that. A text that is not given is empty, never NULL. Any thread reads;
 * nothing writes after that.
 */
#ifndef WF_SETTINGS_H
#define WF_SETTINGS_H

#include "base/shared.h"

struct wf_settings {
    const char *directory; /* of the run; empty: nothing is to be watched */
    const char *segment_size, *clock;
    const char *only, *skip, *adaptive;
    const char *path, *path_weight, *path_regions, *path_select;
    const char *races;
    const char *profile; /* off: nothing is measured */
    const char *order;   /* which way of order control: NAME:REST, see measure/order/order.c */
    const char *test_delay, *test_clock, *test_trace;
    const char *launch_rank;  /* the launcher's word on this process's rank in MPI_COMM_WORLD, */
    const char *launch_world; /* on the name of MPI_COMM_WORLD, */
    const char *launch_fd;    /* and where hydra's proxy listens */
};

extern struct wf_settings wf_settings WF_SHARED(settings);

/* For what runs before the library's constructor. Later calls do nothing. */
void wf_settings_read(void);

#endif
