/* SPDX-License-Identifier: BSD-3-Clause
 *
 * crowd ROUNDS MS: goes through the statements of a crowd in two phases. Behind three statements of each phase one rank
 * sleeps for so long in each round, behind the last statement for twice as long. Rank 0 prints the line of each of
 * these, and how many nanoseconds were slept there.
 */
#include "crowd.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HEAVY = 7 };

static int rank, lines[HEAVY];
static int64_t slept_ns[HEAVY];
static double ms;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* In each phase the first statement, one in the middle, and the last; -1: it is none of these. */
static int heavy_number(int statement)
{
    const int half = statements / 2;
    const int where[HEAVY] = {0, half / 2, half - 1, half, half + half / 2, statements - 2, statements - 1};
    for (int i = 0; i < HEAVY; i++)
        if (where[i] == statement)
            return i;
    return -1;
}

void behind(int statement, int line)
{
    int number = heavy_number(statement);
    if (number < 0)
        return;
    lines[number] = line;
    if (rank != number % 2)
        return;
    int64_t begin = now_ns(), ns = (int64_t)(ms * 1e6 * (number == HEAVY - 1 ? 2 : 1));
    nanosleep(&(struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000}, NULL);
    slept_ns[number] += now_ns() - begin;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int rounds = argc > 2 ? atoi(argv[1]) : 1;
    ms = argc > 2 ? atof(argv[2]) : 1;
    for (int round = 0; round < rounds; round++)
        first_phase();
    for (int round = 0; round < rounds; round++)
        second_phase();
    last_statement();
    int64_t all[HEAVY];
    MPI_Reduce(slept_ns, all, HEAVY, MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    for (int i = 0; i < HEAVY && rank == 0; i++)
        printf("%d %lld\n", lines[i], (long long)all[i]);
    MPI_Finalize();
    return 0;
}
