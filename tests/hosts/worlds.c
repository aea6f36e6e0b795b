/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A world of two ranks, one of which is late by MS each time it sends to the other:
 *
 *     worlds LATE_RANK MS [OTHER]      OTHER: waits until the world whose LATE_RANK is OTHER runs as
 *                                      well, in the same directory
 */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10 };

static void pass_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static void meet(const char *own, const char *other)
{
    char name[64];
    snprintf(name, sizeof name, "runs.%s", own);
    close(open(name, O_CREAT | O_WRONLY, 0666));
    snprintf(name, sizeof name, "runs.%s", other);
    while (access(name, F_OK) != 0)
        pass_ms(1);
}

int main(int argc, char **argv)
{
    int rank, value = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc < 3)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int late = atoi(argv[1]), ms = atoi(argv[2]);
    if (argc > 3 && rank == 0)
        meet(argv[1], argv[3]);
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == late) {
            pass_ms(ms);
            MPI_Send(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD);
        } else {
            MPI_Recv(&value, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Finalize();
    return 0;
}
