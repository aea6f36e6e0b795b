/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that knows its own times, to compare weft's with: how long each rank took from MPI_Init to MPI_Finalize,
 * and of that in sends and in receives. It keeps them in the same way whether it is watched or not.
 */
#ifndef STAGES_H
#define STAGES_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

static int rank, size;
static int64_t begin_ns, sending_ns, receiving_ns;

static inline int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Stands for computing where there are more ranks than cores: it takes time and no core, so no rank is slower because
 * another one computes. */
static inline void compute_us(long us)
{
    if (us > 0)
        nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

#define STAGE(stage, call)               \
    do {                                 \
        int64_t since_ = now_ns();       \
        call;                            \
        stage##_ns += now_ns() - since_; \
    } while (0)

static inline void stages_start(int *argc, char ***argv)
{
    prctl(PR_SET_TIMERSLACK, 1UL);
    MPI_Init(argc, argv);
    begin_ns = now_ns();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* RANK WALL SENDING RECEIVING, in ns */
static inline void stages_finish(void)
{
    int64_t wall = now_ns() - begin_ns;
    MPI_Finalize();
    printf("%d %lld %lld %lld\n", rank, (long long)wall, (long long)sending_ns, (long long)receiving_ns);
}

#endif
