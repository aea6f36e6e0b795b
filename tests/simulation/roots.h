/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Root causes by definition, from all waits of a run when it is over. A process that waits, and the one it waits for,
 * have each been released from a wait before. As much as the second was released later is what it passes on, up to the
 * wait. That is divided by going back through its time, from where it was released: its waits have their roots, and its
 * work between them is its own. That ends where the waiter itself was waited for. All else is the second one's own
 * work.
 */
#ifndef SIM_ROOTS_H
#define SIM_ROOTS_H

#include "clocks.h"

/* As sim_records.roots, of a run without probes. The caller frees it. */
uint64_t *sim_true_roots(const struct sim_program *program, const struct sim_records *truth);

#endif
