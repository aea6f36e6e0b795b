/* SPDX-License-Identifier: BSD-3-Clause
 *
 * crowded STEPS: every rank computes for as much of its CPU's time as every other, and all meet. Started with more
 * ranks than cores, most of the time in MPI passes without a core. Each rank says how long it was without one, as the
 * scheduler counts it, between MPI_Init and MPI_Finalize.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long without_core_ns(void)
{
    unsigned long long ran = 0, delayed = 0;
    FILE *file = fopen("/proc/thread-self/schedstat", "r");
    if (!file || fscanf(file, "%llu %llu", &ran, &delayed) != 2)
        exit(3);
    fclose(file);
    return delayed;
}

static double cpu_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static void compute(double ms)
{
    double since = cpu_ms();
    while (cpu_ms() - since < ms)
        ;
}

int main(int argc, char **argv)
{
    int rank, size, steps = argc > 1 ? atoi(argv[1]) : 50;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    unsigned long long before = without_core_ns();
    for (int i = 0; i < steps; i++) {
        double mine = i, other;
        compute(4);
        MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &other, 1, MPI_DOUBLE, (rank + size - 1) % size, 0,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(MPI_IN_PLACE, &mine, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    printf("without %d %llu\n", rank, without_core_ns() - before);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
