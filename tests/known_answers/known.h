/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs with known answers share. Their comments that begin with `expect` are read by expect.awk.
 */
#ifndef KNOWN_H
#define KNOWN_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

/* The same sources are compiled once more for the large-count functions (run.sh). */
#ifdef LARGE_COUNTS
typedef MPI_Count count_t;
typedef MPI_Aint displ_t;
#else
typedef int count_t;
typedef int displ_t;
#endif

#define MAX_RANKS 4
#define WORLD MPI_COMM_WORLD

static int rank, size;

static void who_am_i(void)
{
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (size != MAX_RANKS) {
        fprintf(stderr, "this program wants %d ranks\n", MAX_RANKS);
        exit(2);
    }
}

#define MUST(condition)                                                                                                \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: rank %d: %s is false\n", __FILE__, __LINE__, rank, #condition);                    \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
