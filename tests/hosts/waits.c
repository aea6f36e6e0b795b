/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Known waits between ranks of two hosts (ranks 0 and 1 on one, 2 and 3 on the other) that are really one machine: its
 * time stamp counter tells all ranks the truth. Each rank prints what it waited, a line for each wait: rank, line, kind
 * (enum wf_wait_kind), culprit, ns.
 *
 *     waits ROUNDS [DIE_RANK]
 */
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define WORLD MPI_COMM_WORLD
#define IGNORE MPI_STATUS_IGNORE

enum { RANKS = 4, STEPS = 12, LARGE = 1 << 20 };
enum { LATE_SENDER = 1, LATE_RECEIVER = 3, BARRIER = 4, ALL = 5, BCAST = 6, REDUCE = 7, SCAN = 8 };

static uint64_t entered[STEPS];
static struct {
    int step, line, kind, culprit; /* -1: the last one to come */
    uint64_t waited;
} waits[STEPS];
static int wait_count, rank, rounds;
static char *large;

static void late(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
}

/* Starts a step; who is late in it? */
static void step(int number, int who)
{
    MPI_Barrier(WORLD);
    if (rank == who)
        late();
    entered[number] = __rdtsc();
}

static void depends(int number, int line, int kind, int culprit)
{
    waits[wait_count].step = number;
    waits[wait_count].line = line;
    waits[wait_count].kind = kind;
    waits[wait_count++].culprit = culprit;
}

/* Who entered when is told when all is over. */
static void settle(void)
{
    uint64_t all[RANKS][STEPS];
    MPI_Allgather(entered, STEPS, MPI_UINT64_T, all, STEPS, MPI_UINT64_T, WORLD);
    for (int i = 0; i < wait_count; i++) {
        uint64_t own = entered[waits[i].step], theirs = all[waits[i].culprit][waits[i].step];
        waits[i].waited += theirs > own ? theirs - own : 0;
    }
}

static void one_round(void)
{
    int value = rank, other = 0, sum;
    MPI_Request request;
    wait_count = 0;
    step(0, 2);
    if (rank == 2)
        MPI_Send(&value, 1, MPI_INT, 0, 0, WORLD);
    if (rank == 0)
        MPI_Recv(&other, 1, MPI_INT, 2, 0, WORLD, IGNORE), depends(0, __LINE__, LATE_SENDER, 2);
    step(1, 1);
    if (rank == 1)
        MPI_Send(&value, 1, MPI_INT, 3, 1, WORLD);
    if (rank == 3)
        MPI_Recv(&other, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE), depends(1, __LINE__, LATE_SENDER, 1);
    step(2, 3);
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 3, 2, WORLD), depends(2, __LINE__, LATE_RECEIVER, 3);
    if (rank == 3)
        MPI_Recv(&other, 1, MPI_INT, 0, 2, WORLD, IGNORE);
    step(3, 0);
    if (rank == 2)
        MPI_Send(large, LARGE, MPI_CHAR, 0, 3, WORLD), depends(3, __LINE__, LATE_RECEIVER, 0);
    if (rank == 0)
        MPI_Recv(large, LARGE, MPI_CHAR, 2, 3, WORLD, IGNORE);
    step(4, 3);
    MPI_Barrier(WORLD);
    if (rank != 3)
        depends(4, __LINE__ - 2, BARRIER, 3);
    step(5, 0);
    MPI_Bcast(&value, 1, MPI_INT, 0, WORLD);
    if (rank != 0)
        depends(5, __LINE__ - 2, BCAST, 0);
    value = rank;
    step(6, 2);
    MPI_Reduce(&value, &sum, 1, MPI_INT, MPI_SUM, 0, WORLD);
    if (rank == 0)
        depends(6, __LINE__ - 2, REDUCE, 2);
    step(7, 1);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    if (rank != 1)
        depends(7, __LINE__ - 2, ALL, 1);
    step(8, 0);
    MPI_Scan(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    if (rank != 0)
        depends(8, __LINE__ - 2, SCAN, 0);
    step(9, 2);
    if (rank == 1)
        MPI_Irecv(&other, 1, MPI_INT, 2, 9, WORLD, &request), MPI_Wait(&request, IGNORE),
            depends(9, __LINE__ - 1, LATE_SENDER, 2);
    if (rank == 2)
        MPI_Isend(&value, 1, MPI_INT, 1, 9, WORLD, &request), MPI_Wait(&request, IGNORE);
    step(10, 0);
    MPI_Ibarrier(WORLD, &request);
    MPI_Wait(&request, IGNORE);
    if (rank != 0)
        depends(10, __LINE__ - 2, BARRIER, 0);
    step(11, 1);
    if (rank == 3)
        MPI_Issend(&value, 1, MPI_INT, 1, 11, WORLD, &request), MPI_Wait(&request, IGNORE),
            depends(11, __LINE__ - 1, LATE_RECEIVER, 1);
    if (rank == 1)
        MPI_Recv(&other, 1, MPI_INT, 3, 11, WORLD, IGNORE);
    settle();
}

int main(int argc, char **argv)
{
    struct timespec t0, t1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    rounds = argc > 1 ? atoi(argv[1]) : 1;
    large = calloc(1, LARGE);
    clock_gettime(CLOCK_MONOTONIC, &t0);
    uint64_t begin = __rdtsc();
    for (int i = 0; i < rounds; i++) {
        one_round();
        if (argc > 2 && atoi(argv[2]) == rank)
            raise(SIGKILL);
    }
    clock_gettime(CLOCK_MONOTONIC, &t1);
    double ns = (double)(t1.tv_sec - t0.tv_sec) * 1e9 + (double)(t1.tv_nsec - t0.tv_nsec);
    double per_tick = ns / (double)(__rdtsc() - begin);
    for (int i = 0; i < wait_count; i++)
        printf("%d %d %d %d %.0f\n", rank, waits[i].line, waits[i].kind, waits[i].culprit,
               (double)waits[i].waited * per_tick);
    fflush(stdout);
    free(large);
    MPI_Finalize();
    return 0;
}
