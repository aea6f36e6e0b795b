/* SPDX-License-Identifier: BSD-3-Clause
 *
 * calls N: makes N pairs of MPI_Send and MPI_Recv, for counting instructions; empty_mpi.c stands in for the
 * MPI library.
 */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int pairs = argc > 1 ? atoi(argv[1]) : 0;
    double value = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < pairs; i++) {
        MPI_Send(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
