/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program with as many statements as crowd.awk was asked for.
 */
#ifndef CROWD_H
#define CROWD_H

#include <mpi.h>

extern const int statements;

void first_phase(void);
void second_phase(void);
void last_statement(void);

/* What stands behind a statement: most of them do nothing. */
void behind(int statement, int line);

#define STATEMENT(i)             \
    MPI_Barrier(MPI_COMM_WORLD); \
    behind(i, __LINE__);

#endif
