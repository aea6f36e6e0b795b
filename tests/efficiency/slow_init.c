/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A tool's layer between the program and MPI, in which rank 1 leaves MPI_Init later than rank 0.
 */
#include <mpi.h>
#include <time.h>

int MPI_Init(int *argc, char ***argv)
{
    int rank, error = PMPI_Init(argc, argv);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1)
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
    return error;
}
