/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads of rank 0 send to a partner each, faster than it receives: what weft keeps for both partners grows in
 * both threads at once. Or, with an argument, two threads of each rank enter collectives of a communicator each. Three
 * ranks.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MESSAGES = 6000, COLLECTIVES = 200 };

static int rank, provided;
static pthread_barrier_t together;
static MPI_Comm comms[2];

static void *send_all(void *to)
{
    int partner = (int)(long)to, *data = malloc(MESSAGES * sizeof *data);
    MPI_Request *requests = malloc(MESSAGES * sizeof *requests);
    pthread_barrier_wait(&together);
    for (int i = 0; i < MESSAGES; i++) {
        data[i] = i * partner;
        MPI_Isend(&data[i], 1, MPI_INT, partner, 5, MPI_COMM_WORLD, &requests[i]);
    }
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    free(requests);
    free(data);
    return NULL;
}

static void *enter_all(void *which)
{
    MPI_Comm comm = comms[(long)which];
    pthread_barrier_wait(&together);
    for (int i = 0; i < COLLECTIVES; i++) {
        int value = rank + i, sum = 0;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
        if (sum != 3 + 3 * i)
            abort();
    }
    return NULL;
}

static void in_two_threads(void *(*run)(void *), long first, long second)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, (void *)first);
    run((void *)second);
    pthread_join(thread, NULL);
}

static void receive_all(void)
{
    usleep(300000);
    for (int i = 0; i < MESSAGES; i++) {
        int data = -1;
        MPI_Recv(&data, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (data != i * rank)
            abort();
    }
}

int main(int argc, char **argv)
{
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (provided < MPI_THREAD_MULTIPLE) {
        MPI_Finalize();
        return 77;
    }
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[0]);
    MPI_Comm_dup(MPI_COMM_WORLD, &comms[1]);
    pthread_barrier_init(&together, NULL, 2);
    if (argc > 1)
        in_two_threads(enter_all, 0, 1);
    else if (rank == 0)
        in_two_threads(send_all, 1, 2);
    else
        receive_all();
    MPI_Finalize();
    return 0;
}
