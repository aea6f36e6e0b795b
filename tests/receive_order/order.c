/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ranks 1, 2 and 3 send to rank 0, in this order, 20 ms apart. Rank 0 receives, with each form of receive and probe
 * from any source. It prints what weft should count where the probes of rank 1 are so slow that its message comes last:
 * form|line|receives and probes that took a message|of these, how many took another one than without monitoring. Where
 * probes are not slow, the last number is 0.
 *
 * order [threads]: with MPI_THREAD_MULTIPLE.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ANY MPI_ANY_SOURCE
#define NONE MPI_PROC_NULL
#define EXPECT(form, num, changed) printf("%s|%d|%d|%d\n", form, __LINE__, num, changed)

enum { SENDERS = 3, TAG = 5 };

static int rank, value;
static double start;
static MPI_Comm world = MPI_COMM_WORLD, other, split;
static MPI_Status status;

static void begin(void)
{
    MPI_Barrier(world);
    start = MPI_Wtime();
}

static void await_turn(void)
{
    double left = start + 0.02 * rank - MPI_Wtime();
    if (left > 0)
        nanosleep(&(struct timespec){.tv_nsec = (long)(left * 1e9)}, NULL);
}

/* True: this rank has sent. */
static int sends(MPI_Comm comm, int to, int tag)
{
    begin();
    if (rank == 0)
        return 0;
    await_turn();
    MPI_Send(&rank, 1, MPI_INT, to, tag, comm);
    return 1;
}

static void receive_named(void)
{
    MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, world, &status);
}

static void blocking(void)
{
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, MPI_STATUS_IGNORE); EXPECT("recv", 3, 2);
        }
    if (!sends(world, 0, TAG + rank))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, MPI_ANY_TAG, world, &status); EXPECT("recv any tag", 3, 2);
        }
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Sendrecv(&rank, 1, MPI_INT, NONE, 1, &value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("two", 3, 2);
        }
}

static void communicators(void)
{
    if (!sends(other, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, TAG, other, &status); EXPECT("recv on a copy", 3, 2);
        }
    if (!sends(split, SENDERS, TAG)) /* its ranks are in the other order */
        for (int i = 0; i < SENDERS; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, MPI_ANY_TAG, split, &status); EXPECT("recv on a split", 3, 2);
        }
}

static void nonblocking(void)
{
    MPI_Request r[SENDERS];
    int index, done = 0, indices[SENDERS];
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Irecv(&value, 1, MPI_INT, ANY, TAG, world, &r[0]); EXPECT("irecv and wait", 3, 2);
            MPI_Wait(&r[0], MPI_STATUS_IGNORE);
        }
    if (!sends(world, 0, TAG)) {
        for (int i = 0; i < SENDERS; i++) {
            MPI_Irecv(&value, 1, MPI_INT, ANY, MPI_ANY_TAG, world, &r[i]); EXPECT("irecv and waitall", 3, 2);
        }
        MPI_Waitall(SENDERS, r, MPI_STATUSES_IGNORE);
    }
    if (!sends(world, 0, TAG)) {
        for (int i = 0; i < SENDERS; i++) {
            MPI_Irecv(&value, 1, MPI_INT, ANY, TAG, world, &r[i]); EXPECT("irecv, completed in reverse", 3, 2);
        }
        for (int i = SENDERS - 1; i >= 0; i--)
            MPI_Wait(&r[i], &status);
    }
    if (!sends(world, 0, TAG)) {
        for (int i = 0; i < SENDERS; i++) {
            MPI_Irecv(&value, 1, MPI_INT, ANY, TAG, world, &r[i]); EXPECT("irecv and waitany", 3, 2);
        }
        for (int i = 0; i < SENDERS; i++)
            MPI_Waitany(SENDERS, r, &index, MPI_STATUS_IGNORE);
    }
    if (!sends(world, 0, TAG)) {
        for (int i = 0; i < SENDERS; i++) {
            MPI_Irecv(&value, 1, MPI_INT, ANY, TAG, world, &r[i]); EXPECT("irecv and testsome", 3, 2);
        }
        for (int count = 0; count < SENDERS; count += done > 0 ? done : 0) {
            MPI_Testsome(SENDERS, r, &done, indices, MPI_STATUSES_IGNORE);
            usleep(500);
        }
    }
}

static void persistent(void)
{
    MPI_Request r[SENDERS];
    int done;
    for (int i = 0; i < SENDERS; i++)
        MPI_Recv_init(&value, 1, MPI_INT, ANY, TAG, world, &r[i]);
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Start(&r[0]); EXPECT("start", 3, 2);
            for (done = 0; !done; usleep(500))
                MPI_Test(&r[0], &done, &status);
        }
    if (!sends(world, 0, TAG)) {
        MPI_Startall(SENDERS, r); EXPECT("startall", 3, 2);
        MPI_Waitall(SENDERS, r, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < SENDERS; i++)
        MPI_Request_free(&r[i]);
}

static void probes(void)
{
    MPI_Message message;
    int found;
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Probe(ANY, TAG, world, &status); EXPECT("probe", 3, 2);
            receive_named();
        }
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            for (found = 0; !found; usleep(500))
                MPI_Iprobe(ANY, MPI_ANY_TAG, world, &found, &status);
            for (int k = 0; k < 2; k++) /* it is still there */ {
                MPI_Iprobe(ANY, TAG, world, &found, &status); EXPECT("iprobe", 6, 4);
            }
            receive_named();
        }
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            MPI_Mprobe(ANY, MPI_ANY_TAG, world, &message, MPI_STATUS_IGNORE); EXPECT("mprobe", 3, 2);
            MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
        }
    if (!sends(world, 0, TAG))
        for (int i = 0; i < SENDERS; i++) {
            found = 0;
            while (!found) {
                MPI_Improbe(ANY, TAG, world, &found, &message, &status); EXPECT("improbe", 3, 2);
                usleep(500);
            }
            MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
        }
}

/* The late message is no other course of these. */
static void unaffected(void)
{
    MPI_Request r;
    if (!sends(world, 0, rank == 1 ? TAG + 1 : TAG)) {
        for (int i = 0; i < SENDERS - 1; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("another tag", 2, 0);
        }
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG + 1, world, &status);
    }
    if (!sends(rank == 1 ? other : world, 0, TAG)) {
        for (int i = 0; i < SENDERS - 1; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("another communicator", 2, 0);
        }
        MPI_Recv(&value, 1, MPI_INT, ANY, TAG, other, &status);
    }
    if (rank == 0)
        MPI_Irecv(&value, 1, MPI_INT, 1, TAG, world, &r);
    if (!sends(world, 0, TAG)) {
        for (int i = 0; i < SENDERS - 1; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("taken by an earlier receive", 2, 0);
        }
        MPI_Wait(&r, MPI_STATUS_IGNORE);
    }
    if (!sends(world, 0, TAG))
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&value, 1, MPI_INT, ANY, TAG, world, &status); EXPECT("taken by a named receive between", 2, 1);
            if (i == 0)
                MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE == 1 ? 2 : 1, TAG, world, &status);
        }
}

int main(int argc, char **argv)
{
    int threads = argc > 1 && strcmp(argv[1], "threads") == 0;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &threads);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_dup(world, &other);
    MPI_Comm_split(world, 0, -rank, &split);
    blocking();
    communicators();
    nonblocking();
    persistent();
    probes();
    unaffected();
    MPI_Finalize();
    return 0;
}
