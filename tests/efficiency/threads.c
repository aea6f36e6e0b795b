/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 1 works all the time, rank 0 waits for it in barriers. A second thread of each rank calls MPI once. With "long",
 * rank 0's second thread is in its call from the beginning to the end.
 */
#include <mpi.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 10, WORK_MS = 40 };
static int rank, is_long;

static void pass_ms(int ms)
{
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L}, NULL);
}

static void *second(void *unused)
{
    int value = 1;
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1) {
        if (is_long)
            pass_ms(ROUNDS * WORK_MS);
        MPI_Send(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    }
    return unused;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    is_long = argc > 1 && !strcmp(argv[1], "long");
    if (provided < MPI_THREAD_MULTIPLE)
        MPI_Abort(MPI_COMM_WORLD, 3);
    pthread_create(&thread, NULL, second, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 1)
            pass_ms(WORK_MS);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
