/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random programs. They are made in one global order (first this message, then that collective) and dealt out to the processes, so that executing
 * them in that order is possible: none can deadlock.
 */
#ifndef SIM_GENERATE_H
#define SIM_GENERATE_H

#include "program.h"
#include "random.h"

enum sim_style {
    SIM_PIPELINE,
    SIM_MASTER_WORKER, /* the master receives from its workers in a fixed order */
    SIM_BULK,          /* compute, then a collective of everybody; now and then one with a root */
    SIM_STENCIL,       /* a ring or a torus with nonblocking halo exchange */
    SIM_MIX,           /* everything that a program may have */
    SIM_STYLES
};

const char *sim_style_name(enum sim_style style);
/* processes: 2 to 64; length: 1 for a few steps a process, more for so many times as many. */
struct sim_program *sim_generate(enum sim_style style, uint32_t processes, uint32_t length, struct sim_random *random);

#endif
