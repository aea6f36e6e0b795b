/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ends HOW: sends ten messages from rank 1 to rank 0, says "ready" in a file of that name, and ends as told.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void wait_for_ever(void)
{
    int never;
    FILE *ready = fopen("ready", "w");
    fclose(ready);
    MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    const char *how = argc > 1 ? argv[1] : "";
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++) {
        if (rank == 1)
            MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
        else if (rank == 0)
            MPI_Recv(&value, 1, MPI_INT, 1, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1 && strcmp(how, "segv") == 0)
        raise(SIGSEGV);
    if (rank == 1 && strcmp(how, "kill") == 0)
        raise(SIGKILL);
    if (rank == 1 && strcmp(how, "abort") == 0)
        MPI_Abort(MPI_COMM_WORLD, 42);
    if (strcmp(how, "exit") == 0)
        exit(5);
    wait_for_ever();
    return 0;
}
