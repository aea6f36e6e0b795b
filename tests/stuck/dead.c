/* SPDX-License-Identifier: BSD-3-Clause
 *
 * dead WHAT: programs that are deadlocked. dead.sh knows who waits for whom, at the statements with a mark. The rank
 * that closes a deadlock comes last, so that all others are found with it.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 1 << 18 }; /* above every eager limit */

static int rank, size;
static char buffer[LARGE], other[LARGE];

static void receive_from(int from)
{
    MPI_Recv(buffer, 1, MPI_INT, from, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* receive */
}

/* Ranks 0 and 1 receive from each other; the others wait behind them. */
static void facing(void)
{
    if (rank < 2)
        sleep(1);
    if (rank < 2)
        receive_from(1 - rank);
    else
        MPI_Barrier(MPI_COMM_WORLD); /* behind */
}

static void cycle(void)
{
    receive_from((rank + 1) % size);
}

/* Rank 1 is to enter, but receives first, from a rank that has entered. */
static void missed(void)
{
    int sum = 0;
    if (rank == 1)
        sleep(1);
    if (rank == 1)
        receive_from(0);
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* collective */
}

/* Rank 1 is not to enter any more. */
static void finalized(void)
{
    if (rank != 1)
        MPI_Barrier(MPI_COMM_WORLD); /* barrier */
    else
        sleep(1);
}

static void ring(void)
{
    MPI_Send(buffer, LARGE, MPI_CHAR, (rank + 1) % size, 3, MPI_COMM_WORLD); /* send */
    MPI_Recv(other, LARGE, MPI_CHAR, (rank + size - 1) % size, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* All wait for any message. */
static void wildcard(void)
{
    MPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* any */
}

/* One receive is satisfied, the other never is; the message has another tag. */
static void waitall(void)
{
    MPI_Request requests[2];
    if (rank == 0) {
        MPI_Irecv(buffer, 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(other, 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE); /* waitall */
        MPI_Send(buffer, 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Send(buffer, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
        MPI_Send(buffer, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(buffer, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* answer */
    }
}

/* In a communicator of ranks 2 and 1 in this order; rank 0 computes nothing and has finished. */
static void part(void)
{
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 0, -rank, &comm);
    if (rank == 1)
        MPI_Barrier(comm); /* part */
    if (rank == 2)
        MPI_Recv(buffer, 1, MPI_INT, 1, 5, comm, MPI_STATUS_IGNORE); /* inside */
}

/* Large messages that face each other have different tags. */
static void tags(void)
{
    MPI_Request request;
    MPI_Irecv(other, LARGE, MPI_CHAR, 1 - rank, 10 + rank, MPI_COMM_WORLD, &request);
    MPI_Send(buffer, LARGE, MPI_CHAR, 1 - rank, 10 + rank, MPI_COMM_WORLD); /* tags */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void sendrecv(void)
{
    MPI_Sendrecv(buffer, 1, MPI_INT, (rank + 1) % size, 1, other, 1, MPI_INT, (rank + size - 1) % size, 2,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* sendrecv */
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {{"facing", facing}, {"cycle", cycle},       {"missed", missed},   {"finalized", finalized},
                {"ring", ring},     {"wildcard", wildcard}, {"waitall", waitall}, {"part", part},
                {"tags", tags},     {"sendrecv", sendrecv}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
        if (strcmp(programs[i].name, argv[1]) == 0)
            programs[i].run();
    MPI_Finalize();
    return 0;
}
