/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives from any source on rank 0, with messages of which it is known whether they race. Rank 0 prints what weft
 * should find: case|line|races|pairs of which it is not known. In all but the first case there is one receive, which
 * takes a message of rank 1 or of rank 2, and later another one.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define ANY MPI_ANY_SOURCE
#define EXPECT(name, num, unknown) printf("%s|%d|%d|%d\n", name, __LINE__, num, unknown)

enum { TAG = 5, GO = 6, PACKETS = 10 };

static int rank, value;
static MPI_Comm world = MPI_COMM_WORLD, other;
static MPI_Status status;

static void put(int to, int tag, MPI_Comm comm)
{
    MPI_Send(&rank, 1, MPI_INT, to, tag, comm);
}

static void get(int from, int tag)
{
    MPI_Recv(&value, 1, MPI_INT, from, tag, world, &status);
}

/* The rest of what has been sent to rank 0. */
static void rest(int from, int tag, MPI_Comm comm)
{
    MPI_Recv(&value, 1, MPI_INT, from, tag, comm, &status);
}

/* The master gives a packet to the worker that asks: any two workers could have asked in another order. */
static void master_and_workers(void)
{
    int size, left = PACKETS;
    MPI_Comm_size(world, &size);
    MPI_Barrier(world);
    for (int busy = size - 1; rank == 0 && busy > 0; left--) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("master", -1, 0);
        value = left > 0;
        busy -= left <= 0;
        MPI_Send(&value, 1, MPI_INT, status.MPI_SOURCE, GO, world);
    }
    for (value = 1; rank > 0 && value;) {
        put(0, TAG, world);
        get(0, GO);
    }
}

static void races(void)
{
    MPI_Barrier(world);
    if (rank == 1 || rank == 2)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("two senders", 1, 0);
        rest(3 - status.MPI_SOURCE, TAG, world);
    }
    MPI_Barrier(world);
    if (rank == 1 || rank == 2)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Probe(ANY, MPI_ANY_TAG, world, &status); EXPECT("a probe", 1, 0);
        get(status.MPI_SOURCE, TAG);
        rest(3 - status.MPI_SOURCE, TAG, world);
    }
    MPI_Barrier(world);
    if (rank == 1 || rank == 2)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Request r;
        MPI_Irecv(&value, 1, MPI_INT, ANY, TAG, world, &r); EXPECT("nonblocking", 1, 0);
        MPI_Wait(&r, &status);
        rest(3 - status.MPI_SOURCE, TAG, world);
    }
    MPI_Barrier(world);
    if (rank == 1) /* a reduction to rank 0 tells the others nothing */
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("behind a reduction to the receiver", 1, 0);
    }
    MPI_Reduce(&rank, &value, 1, MPI_INT, MPI_SUM, 0, world);
    if (rank == 2)
        put(0, TAG, world);
    if (rank == 0)
        rest(3 - status.MPI_SOURCE, TAG, world);
}

/* Rank 2 sends when it has heard, over others, that the first receive is complete. */
static void chains(void)
{
    MPI_Barrier(world);
    if (rank == 1)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("a chain over a third rank", 0, 0);
        put(3, GO, world);
        rest(ANY, TAG, world);
    }
    if (rank == 3) {
        get(0, GO);
        put(2, GO, world);
    }
    if (rank == 2) {
        get(3, GO);
        put(0, TAG, world);
    }
    MPI_Barrier(world);
    if (rank == 1)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Request r;
        MPI_Irecv(&value, 1, MPI_INT, ANY, TAG, world, &r); EXPECT("a chain of nonblocking calls and probes", 0, 0);
        MPI_Wait(&r, &status);
        MPI_Isend(&rank, 1, MPI_INT, 3, GO, world, &r);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
        rest(ANY, TAG, world);
    }
    if (rank == 3) { /* it knows of the message before it receives it */
        MPI_Probe(0, GO, world, &status);
        put(2, GO, world);
        get(0, GO);
    }
    if (rank == 2) {
        MPI_Message message;
        MPI_Mprobe(ANY, GO, world, &message, &status);
        put(0, TAG, world);
        MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
    }
}

static void collectives(void)
{
    MPI_Request r;
    MPI_Barrier(world);
    if (rank == 1)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("a barrier", 0, 0);
    }
    MPI_Barrier(world);
    if (rank == 2)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("a broadcast", 0, 0);
    }
    value = 0;
    MPI_Bcast(&value, 1, MPI_INT, 0, world);
    if (rank == 1)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("a barrier that is started", 0, 0);
    }
    MPI_Ibarrier(world, &r);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    if (rank == 2)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("a reduction to all on a copy", 0, 0);
    }
    MPI_Allreduce(&rank, &value, 1, MPI_INT, MPI_SUM, other);
    if (rank == 1)
        put(0, TAG, world);
    if (rank == 0)
        rest(1, TAG, world);
}

/* A token goes round. Each rank receives it from any source, and from one only. */
static void ring(void)
{
    int size;
    MPI_Comm_size(world, &size);
    MPI_Barrier(world);
    for (int round = 0; round < 3; round++) {
        if (rank == 0)
            put(1, TAG, world);
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); if (rank == 0) EXPECT("a ring", 0, 0);
        if (rank > 0)
            put((rank + 1) % size, TAG, world);
    }
}

static void others(void)
{
    MPI_Barrier(world);
    if (rank == 1)
        for (int i = 0; i < 3; i++)
            put(0, TAG, world);
    for (int i = 0; rank == 0 && i < 3; i++) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("one sender", 0, 0);
    }
    MPI_Barrier(world);
    if (rank == 1 || rank == 2)
        put(0, TAG + 10 * rank, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG + 10, world, &status); EXPECT("other tags", 0, 0);
        rest(2, TAG + 20, world);
    }
    MPI_Barrier(world);
    if (rank == 1 || rank == 2)
        put(0, TAG, rank == 1 ? world : other);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("another communicator", 0, 0);
        rest(2, TAG, other);
    }
    MPI_Barrier(world);
    if (rank == 0) {
        MPI_Request r;
        MPI_Irecv(&value, 1, MPI_INT, 2, TAG, world, &r); /* takes it, whenever it comes */
        MPI_Barrier(world);
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("taken by an earlier receive", 0, 0);
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(world);
        if (rank < 3)
            put(0, TAG, world);
    }
}

/* A synchronous send is complete when its receive has begun: this order is not followed. */
static void unknown(void)
{
    MPI_Barrier(world);
    if (rank == 1)
        put(0, TAG, world);
    if (rank == 0) {
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("a synchronous send", 0, 1);
        get(2, GO);
        rest(2, TAG, world);
    }
    if (rank == 2) {
        MPI_Ssend(&rank, 1, MPI_INT, 0, GO, world);
        put(0, TAG, world);
    }
}

int main(int argc, char **argv)
{
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &threads);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_dup(world, &other);
    master_and_workers();
    races();
    chains();
    collectives();
    ring();
    others();
    unknown();
    MPI_Finalize();
    return 0;
}
