/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs. They are made in one global order (first this message, then that collective) and distributed to the
 * processes. They can be executed in that order, so none can deadlock. The caller owns what it gets.
 */
#ifndef SIM_GENERATE_H
#define SIM_GENERATE_H

#include "program.h"
#include "random.h"

enum sim_style {
    SIM_PIPELINE,
    SIM_MASTER_WORKER, /* the master receives from its workers in a fixed order */
    SIM_BULK,          /* compute, then a collective of all processes; sometimes one with a root */
    SIM_STENCIL,       /* a ring or a torus with nonblocking halo exchange */
    SIM_MIX,           /* all kinds of actions */
    SIM_STYLES
};

/* What a program of all kinds of events has besides. 0: none; then a monitor can be exact. */
struct sim_events {
    uint32_t polls; /* one in so many requests is polled */
    uint32_t early; /* one in so many calls has no core while it waits */
};

const char *sim_style_name(enum sim_style style);
/* processes: 2 to 64; length: 1 for a few steps a process, more for so many times as many. */
struct sim_program *sim_generate(enum sim_style style, uint32_t processes, uint32_t length, struct sim_random *random);

/* A mix with trees, fences, accesses to windows, locks, and idle times as well. */
struct sim_program *sim_generate_events(uint32_t processes, uint32_t length, struct sim_events events,
                                        struct sim_random *random);

#endif
