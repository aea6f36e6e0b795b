/* SPDX-License-Identifier: BSD-3-Clause
 *
 * open HOW: two ranks compute for 0.5 s and meet. Then rank 0 waits in MPI_Recv, for ever, and rank 1 ends up in
 * nested regions. All that takes time sleeps.
 *
 *     hang    rank 1 waits in MPI_Recv, too; the test kills both
 *     work    rank 1 computes; the test kills both, or looks
 *     alarm   rank 1 computes, and a signal kills it after 2 s
 *     abort   rank 1 computes for 2 s and calls MPI_Abort
 *
 * Each rank makes a file ready.RANK when it comes to that.
 */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef MARKED
#include <weft/weft.h>
#else
#define WEFT_REGION(name)
#endif

static void nap(int ms)
{
    struct timeval until, now;
    gettimeofday(&until, NULL);
    for (int left = ms; left > 0;) { /* a signal may end one early */
        usleep((unsigned)left * 1000);
        gettimeofday(&now, NULL);
        left = ms - (int)((now.tv_sec - until.tv_sec) * 1000 + (now.tv_usec - until.tv_usec) / 1000);
    }
}

static void ended(void)
{
    nap(500);
}

static void wait_for_ever(int rank)
{
    int never;
    MPI_Recv(&never, 1, MPI_INT, 1 - rank, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Never comes back: it is killed in the innermost one. */
static void sink(int depth, int ms)
{
    if (depth > 0) {
        sink(depth - 1, ms);
        return;
    }
    for (int i = 0; i < ms / 100; i++)
        nap(100);
}

static void compute(int ms)
{
    WEFT_REGION("phase")
    {
        for (int i = 0; i < 2; i++)
            sink(3, i == 0 ? 100 : ms - 100);
    }
}

static void ready(int rank)
{
    char name[32];
    snprintf(name, sizeof name, "ready.%d", rank);
    fclose(fopen(name, "w"));
}

int main(int argc, char **argv)
{
    int rank;
    const char *how = argc > 1 ? argv[1] : "";
    struct itimerval two = {.it_value = {.tv_sec = 2}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ended();
    MPI_Barrier(MPI_COMM_WORLD);
    ready(rank);
    if (rank == 0 || strcmp(how, "hang") == 0)
        wait_for_ever(rank);
    if (strcmp(how, "alarm") == 0)
        setitimer(ITIMER_REAL, &two, NULL);
    compute(strcmp(how, "abort") == 0 ? 2000 : 100000);
    MPI_Abort(MPI_COMM_WORLD, 3);
    return 0;
}
