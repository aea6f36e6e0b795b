/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Programs whose root causes are known by construction: roots CASE. Work is sleeping. Each prints what its profile must
 * show, one line for each waiting rank and root: WAITER|ROOT|MS. What is not printed must be small. Or it prints, one
 * line for each root, how many per cent of all waiting must be for that rank at least: share ROOT PERCENT. Each rank
 * also prints how much longer its work took than it should: worked RANK RATIO.
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define WORLD MPI_COMM_WORLD
#define NONE MPI_STATUS_IGNORE
#define NOT_KNOWN (-2) /* as a root in the profile */

static int rank, size;
static double asked_ms, worked_ms; /* a loaded machine makes work longer */

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void work_ms(int ms)
{
    int64_t begin = now_ns(), until = begin + ms * INT64_C(1000000);
    for (int64_t left; (left = until - now_ns()) > 0;)
        nanosleep(&(struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000}, NULL);
    asked_ms += ms;
    worked_ms += (double)(now_ns() - begin) / 1e6;
}

static void expect(int waiter, int root, int ms)
{
    if (rank == 0)
        printf("%d|%d|%d\n", waiter, root, ms);
}

static void send_to(int to)
{
    MPI_Send(&rank, 1, MPI_INT, to, 0, WORLD);
}

static void receive_from(int from)
{
    int got;
    MPI_Recv(&got, 1, MPI_INT, from, 0, WORLD, NONE);
}

static void expect_share(int root, int percent)
{
    if (rank == 0)
        printf("share %d %d\n", root, percent);
}

/* A chain of stripes that exchange their borders; only the last rank is slow. In the end all wait for it in all
 * steps: a stripe one further away is one step ahead. */
static void heat(void)
{
    enum { STEPS = 6, MS = 100 };
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL, border[4] = {0};
    for (int step = 0; step < STEPS; step++) {
        MPI_Request requests[4];
        if (rank == size - 1)
            work_ms(MS);
        MPI_Irecv(&border[0], 1, MPI_INT, up, 1, WORLD, &requests[0]);
        MPI_Irecv(&border[1], 1, MPI_INT, down, 2, WORLD, &requests[1]);
        MPI_Isend(&border[2], 1, MPI_INT, up, 2, WORLD, &requests[2]);
        MPI_Isend(&border[3], 1, MPI_INT, down, 1, WORLD, &requests[3]);
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
    for (int r = 0; r < size - 1; r++)
        expect(r, size - 1, (STEPS - (size - 2 - r)) * MS);
}

/* Each works, and hands on what the one before it has made. */
static void pipeline(void)
{
    enum { ITEMS = 3, MS = 100 };
    for (int i = 0; i < ITEMS; i++) {
        if (rank > 0)
            receive_from(rank - 1);
        work_ms(MS);
        if (rank < size - 1)
            send_to(rank + 1);
    }
    /* The first item: rank r waits for the work of all before it. Later items come as fast as they are handled. */
    for (int r = 1; r < size; r++)
        for (int root = 0; root < r; root++)
            expect(r, root, MS);
}

/* A token goes round: at every moment one works, and all others wait for it. */
static void ring(void)
{
    enum { ROUNDS = 3, MS = 60 };
    for (int i = 0; i < ROUNDS; i++) {
        if (rank > 0 || i > 0)
            receive_from((rank + size - 1) % size);
        work_ms(MS);
        if (rank < size - 1 || i < ROUNDS - 1)
            send_to((rank + 1) % size);
    }
    for (int r = 0; r < size; r++)
        for (int root = 0; root < size; root++)
            if (root != r) /* none waits before its first turn is over, or for a turn behind its last one */
                expect(r, root, root < r ? ROUNDS * MS : (ROUNDS - 1) * MS);
}

/* Rank 1 is late by 100 ms: 60 for rank 0, and then by 40 of its own. */
static void two(void)
{
    enum { TIMES = 3 };
    for (int i = 0; i < TIMES; i++) {
        MPI_Barrier(WORLD);
        if (rank == 0) {
            work_ms(60);
            send_to(1);
        } else if (rank == 1) {
            receive_from(0);
            work_ms(40);
            send_to(2);
        } else if (rank == 2) {
            receive_from(1);
        }
        MPI_Barrier(WORLD);
    }
    expect(0, 1, TIMES * 40); /* in the barrier behind it */
    expect(1, 0, TIMES * 60);
    expect(2, 0, TIMES * 60);
    expect(2, 1, TIMES * 40);
    expect(3, 0, TIMES * 60);
    expect(3, 1, TIMES * 40);
}

/* Rank 0 works; rank 1 waits for it in a bcast of the two, and all others wait for rank 1 in an allreduce, a barrier or
 * a reduce. */
static void collective(void)
{
    enum { TIMES = 3, MS = 50 };
    MPI_Comm pair, rest;
    int sum, value = 0;
    MPI_Comm_split(WORLD, rank < 2, rank, &pair);
    MPI_Comm_split(WORLD, rank > 0, rank, &rest);
    for (int i = 0; i < TIMES; i++) {
        MPI_Barrier(WORLD);
        if (rank == 0)
            work_ms(MS);
        if (rank < 2)
            MPI_Bcast(&value, 1, MPI_INT, 0, pair);
        if (rank > 0)
            MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, rest);
    }
    for (int r = 1; r < size; r++)
        expect(r, 0, TIMES * MS);
    MPI_Comm_free(&pair);
    MPI_Comm_free(&rest);
}

/* Rank 2 waits in a large send for rank 1, which waits for rank 0; and rank 3 for rank 2. */
static void receiver(void)
{
    enum { TIMES = 3, MS = 50, LARGE = 200000 };
    static int buffer[LARGE];
    for (int i = 0; i < TIMES; i++) {
        MPI_Barrier(WORLD);
        if (rank == 0) {
            work_ms(MS);
            send_to(1);
        } else if (rank == 1) {
            receive_from(0);
            MPI_Recv(buffer, LARGE, MPI_INT, 2, 1, WORLD, NONE);
        } else if (rank == 2) {
            MPI_Send(buffer, LARGE, MPI_INT, 1, 1, WORLD);
            send_to(3);
        } else if (rank == 3) {
            receive_from(2);
        }
        MPI_Barrier(WORLD);
    }
    for (int r = 1; r < 4; r++)
        expect(r, 0, TIMES * MS);
}

/* All work 20 ms in a step, and the slow one 50. A rank that exchanges borders with the slow one is behind by a step,
 * and so on: those between pass on its lateness, and their own 20 ms make no other rank late. */
static void stripes(int slow, int steps)
{
    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL, border[4] = {0};
    for (int step = 0; step < steps; step++) {
        work_ms(rank == slow ? 50 : 20);
        MPI_Sendrecv(&border[0], 1, MPI_INT, up, 1, &border[1], 1, MPI_INT, down, 1, WORLD, NONE);
        MPI_Sendrecv(&border[2], 1, MPI_INT, down, 2, &border[3], 1, MPI_INT, up, 2, WORLD, NONE);
    }
}

static void halo(void)
{
    enum { STEPS = 15 };
    stripes(size - 1, STEPS);
    expect_share(size - 1, 85);
}

/* Another one is slow in the second half. */
static void phases(void)
{
    enum { STEPS = 15 };
    stripes(0, STEPS);
    stripes(size - 1, STEPS);
    expect_share(0, 35);
    expect_share(size - 1, 35);
}

/* Each gives what it has to the next one; rank 2 is slow. */
static void rotate(void)
{
    enum { STEPS = 16 };
    int sent = 0, got;
    for (int step = 0; step < STEPS; step++) {
        work_ms(rank == 2 ? 50 : 20);
        MPI_Sendrecv(&sent, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1, WORLD,
                     NONE);
    }
    expect_share(2, 85);
}

static void slow_sum(void *in, void *inout, int *n, MPI_Datatype *type)
{
    (void)in, (void)inout, (void)n, (void)type;
    work_ms(100);
}

/* Ranks 0 and 1 are long in a call that neither of them came late to: weft does not know why. */
static void unknown(void)
{
    MPI_Comm pair;
    MPI_Op op;
    int value = 1, sum;
    MPI_Comm_split(WORLD, rank / 2, rank, &pair);
    MPI_Op_create(slow_sum, 1, &op);
    MPI_Barrier(WORLD);
    if (rank < 2)
        MPI_Allreduce(&value, &sum, 1, MPI_INT, op, pair);
    MPI_Barrier(WORLD);
    for (int waiter = 2; waiter < 4; waiter++)
        expect(waiter, NOT_KNOWN, 100);
    MPI_Op_free(&op);
    MPI_Comm_free(&pair);
}

static const struct {
    const char *name;
    void (*run)(void);
} cases[] = {
    {"heat", heat},         {"pipeline", pipeline}, {"ring", ring},     {"two", two},       {"collective", collective},
    {"receiver", receiver}, {"halo", halo},         {"phases", phases}, {"rotate", rotate}, {"unknown", unknown}};

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    MPI_Barrier(WORLD);
    for (size_t i = 0; argc > 1 && i < sizeof cases / sizeof *cases; i++)
        if (!strcmp(argv[1], cases[i].name))
            cases[i].run();
    printf("worked %d %.4f\n", rank, asked_ms > 0 ? worked_ms / asked_ms : 1);
    MPI_Finalize();
    return 0;
}
