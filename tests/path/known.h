/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs share whose critical path is known by construction. Beside each, NAME.expect has the figures that
 * weft must find. A program is built in three depths: as it is, with its regions marked by hand (BY_HAND), and with
 * weft cc, for which each region is a procedure of its own. known.c is never built with weft cc: that a region sleeps
 * is not to be seen.
 *
 * Statements that the expectations name carry a mark, "@name" in a comment on their line.
 */
#ifndef KNOWN_H
#define KNOWN_H

#include <mpi.h>

#define WORLD MPI_COMM_WORLD

#ifdef BY_HAND
#include <weft/weft.h>
#define REGION(name) WEFT_REGION(name)
#else
#define REGION(name)
#endif

extern int rank;

/* MPI_Init, on so many ranks and no others. The arguments are NAME=MS, for known_ms. */
void known_start(int *argc, char ***argv, int ranks);

/* How long a piece of work of this name takes: what the command line says, or else so much. */
double known_ms(const char *name, double otherwise);

/* Stands for computing: it takes time and no core, so no rank is slower because another one computes. */
void pass_ms(double ms);

/* To be called when all have come together, at the begin and at the end: rank 0 prints the ms between them, and by how
 * much all computing together was longer than it should have been. MPI_Finalize is done by the second. */
void known_begin(void);
void known_finish(void);

#endif
