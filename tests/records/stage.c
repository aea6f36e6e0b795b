/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The example of Li and Zhang, 6.4.2: the middle of a pipeline receives two messages, computes, and sends two on,
 * ROUNDS times.
 */
#include <mpi.h>
#include <stdlib.h>

enum { NCA = 4 };

static double cal(int offset, const double *c)
{
    return c[offset % NCA] * 0.5 + 1;
}

int main(int argc, char **argv)
{
    int rank, offset = 0;
    double c[NCA] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int rounds = atoi(argv[1]);
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            MPI_Send(&i, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
            MPI_Send(c, NCA, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD);
        } else if (rank == 1) {
            MPI_Recv(&offset, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(c, NCA, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            c[0] = cal(offset, c);
            MPI_Send(&offset, 1, MPI_INT, 2, 1, MPI_COMM_WORLD);
            MPI_Send(c, NCA, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD);
        } else if (rank == 2) {
            MPI_Recv(&offset, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(c, NCA, MPI_DOUBLE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
