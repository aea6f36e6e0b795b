/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two ranks exchange ten messages, started in the ways in which programs are started (run.sh, start_shapes): directly,
 * several programs, by a script, a script that goes on, a file of applications, by a script that starts the launcher
 * twice.
 */
#include <mpi.h>

int main(int argc, char **argv)
{
    int rank, in = -1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MUST(in == 1 - rank);
    printf("rank %d: %s\n", rank, argc > 1 ? argv[1] : "");
    MPI_Finalize();
    return 0;
}
