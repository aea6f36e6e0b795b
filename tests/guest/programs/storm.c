/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instrumented handler, 10,000 times a second, through MPI calls of all kinds and through probes.
 */
#include <mpi.h>
#include <signal.h>
#include <sys/time.h>

static volatile long handled;

PROCEDURE static void helper(void)
{
    REGION("helper")
    {
        guest_sink++;
    }
}

PROCEDURE static void handler(int number)
{
    (void)number;
    REGION("handler")
    {
        helper();
        handled++;
    }
}

PROCEDURE static void blocking(int rank, int other, int *in)
{
    REGION("blocking")
    {
        int out = rank;
        MPI_Status status;
        if (rank % 2) {
            MPI_Send(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
            MPI_Probe(other, 1, MPI_COMM_WORLD, &status);
            MPI_Recv(in, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &status);
        } else {
            MPI_Recv(in, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &status);
            MPI_Ssend(&out, 1, MPI_INT, other, 1, MPI_COMM_WORLD);
        }
        MUST(*in == other);
        MPI_Sendrecv(&out, 1, MPI_INT, other, 2, in, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MUST(*in == other);
    }
}

PROCEDURE static void nonblocking(int rank, int other)
{
    REGION("nonblocking")
    {
        int out[2] = {rank, -rank}, in[2] = {-9, -9}, flag = 0;
        MPI_Request requests[4];
        MPI_Irecv(&in[0], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, other, 4, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(&out[0], 1, MPI_INT, other, 3, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(&out[1], 1, MPI_INT, other, 4, MPI_COMM_WORLD, &requests[3]);
        while (!flag)
            MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MUST(in[0] == other && in[1] == -other);
    }
}

PROCEDURE static void collective(int rank, int size)
{
    REGION("collective")
    {
        int value = rank, all[8], sum = 0;
        MPI_Request request;
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MUST(sum == size * (size - 1) / 2);
        MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MUST(value == 0);
        MPI_Allgather(&rank, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD);
        MUST(all[size - 1] == size - 1);
        MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    int rank, size, in = -1;
    enum { ROUNDS = 300 };
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 100}, {0, 100}}, none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; i < ROUNDS; i++) {
        blocking(rank, rank ^ 1, &in);
        nonblocking(rank, rank ^ 1);
        collective(rank, size);
    }
    setitimer(ITIMER_REAL, &none, NULL);
    long own = handled, all = 0;
    MPI_Reduce(&own, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    /* One that strikes in the middle of weft's own work goes uncounted; how many do depends on the machine. */
    if (rank == 0) {
        guest_answer("handler", all / 3, all);
        guest_answer("helper", all / 3, all);
    }
    printf("rank %d done\n", rank);
    MPI_Finalize();
    return 0;
}
