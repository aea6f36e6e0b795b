/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hydra, MPICH's own launcher, tells a process its rank, but no name of its world. Its proxy on each host knows one
 * that no other world has, not even a spawned one: that of the space where the processes leave their addresses for each
 * other (PMI's "key-value space").
 */
#ifndef WF_HYDRA_H
#define WF_HYDRA_H

#include <stdbool.h>
#include <stddef.h>

/* Asks for the name. Only for a process that is about to initialise MPICH, which asks the proxy itself then: before
 * that, nothing else uses the descriptor. The proxy takes a process that asks for an MPI process, whose end without
 * MPI_Finalize is the end of all. false: hydra is not there, or gave no name that fits. */
bool wf_hydra_world(char *name, size_t bytes);

#endif
