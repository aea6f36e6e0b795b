/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     farm [BATCHES]
 *
 * A master that gives packets of work to the worker that asks first, in batches with a barrier between them. Work is
 * sleep, which takes a different time for each packet. The master prints the workers, in the order of the packets: a
 * line for each batch.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { PACKETS = 12, STOP = -1, STEP_MS = 9 };

static int rank, size;

static void sleep_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static void master(void)
{
    int request, stopped = 0;
    MPI_Status status;
    for (int packet = 0; stopped < size - 1; packet++) {
        MPI_Recv(&request, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
        int answer = packet < PACKETS ? packet : STOP;
        stopped += answer == STOP;
        if (answer != STOP)
            printf("%s%d", packet ? " " : "", status.MPI_SOURCE);
        MPI_Send(&answer, 1, MPI_INT, status.MPI_SOURCE, 0, MPI_COMM_WORLD);
    }
    printf("\n");
}

static void worker(int batch)
{
    int packet = 0;
    sleep_ms(STEP_MS * rank);
    while (packet != STOP) {
        MPI_Send(&packet, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
        MPI_Recv(&packet, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (packet != STOP)
            sleep_ms(STEP_MS * (1 + (packet * 7 + batch * 5) % 6) + STEP_MS * rank / size);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int batch = 0; batch < (argc > 1 ? atoi(argv[1]) : 4); batch++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (rank == 0)
            master();
        else
            worker(batch);
    }
    MPI_Finalize();
}
