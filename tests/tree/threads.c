/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 has three threads, which sleep for different times; rank 1 has one. */
#include <mpi.h>
#include <pthread.h>
#include <time.h>
static void rest(int ms)
{
    struct timespec t = {0, ms * 1000000L};
    nanosleep(&t, 0);
}
static void work(int rounds)
{
    for (int i = 0; i < rounds; i++)
        rest(20);
}
static void other(int ms)
{
    rest(ms);
}
static void *thread(void *argument)
{
    work(*(int *)argument);
    return 0;
}
int main(int argc, char **argv)
{
    int rounds[] = {5, 10}, provided, rank;
    pthread_t threads[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 2 && rank == 0; i++)
        pthread_create(&threads[i], 0, thread, &rounds[i]);
    work(3);
    other(40);
    for (int i = 0; i < 2 && rank == 0; i++)
        pthread_join(threads[i], 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
