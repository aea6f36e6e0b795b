/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 receives three messages from each other rank, from any source, and prints the sources. An argument makes it
 * depart from what it did without one:
 *
 *     probe    it probes before the third receive
 *     more     it receives a message more
 *     late     rank 1 sends its first message 5 s later
 *     irecv    its receives are nonblocking, in a set; late_set is both
 *     killed   it is killed at the end
 *     threads  a second thread receives, too
 *
 * Exit status 3 of rank 0 is the program's own.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define EACH 3

static int rank, size;
static const char *mode = "";

static int is(const char *name)
{
    return strcmp(mode, name) == 0;
}

static void receive_one(void)
{
    MPI_Status status;
    int got;
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    printf("%d ", status.MPI_SOURCE);
}

static void *receive_in_thread(void *unused)
{
    (void)unused;
    receive_one();
    return NULL;
}

static void receive_set(int n)
{
    MPI_Request requests[64];
    MPI_Status status;
    int got[64], index;
    for (int i = 0; i < n; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < n; i++) {
        MPI_Waitany(n, requests, &index, &status);
        printf("%d ", status.MPI_SOURCE);
    }
}

static void receive(int n)
{
    MPI_Status status;
    pthread_t thread;
    for (int i = 0; i < n; i++) {
        if (is("probe") && i == 2)
            MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (is("threads") && i == 2) {
            pthread_create(&thread, NULL, receive_in_thread, NULL);
            pthread_join(thread, NULL);
        } else {
            receive_one();
        }
    }
}

static void master(void)
{
    int n = EACH * (size - 1) + is("more");
    if (is("irecv") || is("late_set"))
        receive_set(n);
    else
        receive(n);
    printf("end\n");
    fflush(stdout);
    if (is("killed"))
        raise(SIGKILL);
}

static void worker(void)
{
    if (rank == 1 && (is("late") || is("late_set")))
        sleep(5);
    for (int i = 0; i < EACH + (is("more") && rank == 1); i++) {
        usleep((useconds_t)(20000 * (i + 1) - 5000 * rank)); /* the last rank is first */
        MPI_Send(&i, 1, MPI_INT, 0, i, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int provided;
    mode = argc > 1 ? argv[1] : mode;
    MPI_Init_thread(&argc, &argv, is("threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    rank == 0 ? master() : worker();
    MPI_Finalize();
    return rank == 0 ? 3 : 0;
}
