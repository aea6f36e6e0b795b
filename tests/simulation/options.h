/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The command line of the programs that check many random programs.
 */
#ifndef SIM_OPTIONS_H
#define SIM_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

struct sim_options {
    uint64_t programs, seed, first;
    double seconds; /* 0: no limit */
};

bool sim_options_read(int argc, char **argv, struct sim_options *o);

double sim_now(void); /* seconds of a clock that does not go back */

#endif
