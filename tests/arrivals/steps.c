/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     steps OPERATION LATE_RANK LATE_MS INTS
 *
 * STEPS times work and one operation of all ranks. Work is sleep: of LATE_MS on LATE_RANK, behind an MPI_Send to
 * MPI_PROC_NULL that gives it a name, and of WORK_MS on all others. Prints how long it took, in milliseconds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STEPS = 20, WORK_MS = 10, MOST = 1 << 20 };

static int rank, root;
static int in[MOST], out[4 * MOST];

static void sleep_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static void late_work(int ms)
{
    MPI_Send(in, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
    sleep_ms(ms);
}

static void reduce(int n)
{
    MPI_Reduce(in, out, n, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
}

static void bcast(int n)
{
    MPI_Bcast(in, n, MPI_INT, root, MPI_COMM_WORLD);
}

static void gather(int n)
{
    MPI_Gather(in, n, MPI_INT, out, n, MPI_INT, root, MPI_COMM_WORLD);
}

static void scatter(int n)
{
    MPI_Scatter(out, n, MPI_INT, in, n, MPI_INT, root, MPI_COMM_WORLD);
}

static void scan(int n)
{
    MPI_Scan(in, out, n, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*call)(int n);
} operations[] = {{"reduce", reduce}, {"bcast", bcast}, {"gather", gather}, {"scatter", scatter}, {"scan", scan}};

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int late = atoi(argv[2]), ms = atoi(argv[3]), n = atoi(argv[4]);
    MPI_Barrier(MPI_COMM_WORLD);
    double since = MPI_Wtime();
    for (int step = 0; step < STEPS; step++) {
        if (rank == late)
            late_work(ms);
        else
            sleep_ms(WORK_MS);
        for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
            if (!strcmp(operations[i].name, argv[1]))
                operations[i].call(n);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("%.1f\n", (MPI_Wtime() - since) * 1e3);
    MPI_Finalize();
}
