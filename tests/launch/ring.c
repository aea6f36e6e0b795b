/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ring ROUNDS [STATUS]: passes 80 bytes around ROUNDS times; rank 0 prints a line for each line of its input, and every
 * rank ends with STATUS.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double data[10] = {rank};
    int rounds = argc > 1 ? atoi(argv[1]) : 10;
    for (int i = 0; i < rounds; i++) {
        if (i == rounds / 2)
            MPI_Pcontrol(argc > 3 ? atoi(argv[3]) : 1);
        MPI_Sendrecv_replace(data, 10, MPI_DOUBLE, (rank + 1) % ranks, 0, (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD,
                             MPI_STATUS_IGNORE);
    }
    char line[100];
    while (rank == 0 && fgets(line, sizeof line, stdin))
        printf("read %s", line);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
}
