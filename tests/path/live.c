/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that can be looked at: between its phases rank 0 waits at a gate, without a call, until the file
 * $LIVE/open-N is there, while all others wait in a barrier for it. So the test that makes that file knows the path.
 * $LIVE/gate-N has the moment at which rank 0 came to it, and $LIVE/begin the moments at which the first and the last
 * rank had come out of MPI_Init; in seconds, as date(1) tells them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "known.h"

static const char *directory;

static double moment(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Whole, as soon as it has its name. */
static void tell(const char *name, double first, double last)
{
    char whole[4096], half[4096];
    snprintf(whole, sizeof whole, "%s/%s", directory, name);
    snprintf(half, sizeof half, "%s/half", directory);
    FILE *file = fopen(half, "w");
    if (!file || fprintf(file, "%.6f %.6f\n", first, last) < 0 || fclose(file) != 0 || rename(half, whole) != 0)
        abort();
}

static void gate(int number)
{
    char name[16], open[4096];
    REGION("gate")
    {
        snprintf(name, sizeof name, "gate-%d", number);
        snprintf(open, sizeof open, "%s/open-%d", directory, number);
        tell(name, moment(), 0);
        while (access(open, F_OK) != 0)
            pass_ms(2);
    }
}

/* The same statement and region in all phases. */
static void turn(void)
{
    MPI_Barrier(WORLD); /* @turn */
    REGION("turn")
    {
        pass_ms(50);
    }
}

static void alpha(void)
{
    REGION("alpha")
    {
        pass_ms(rank == 1 ? 200 : 100);
    }
}

static void beta(void)
{
    REGION("beta")
    {
        pass_ms(rank == 2 ? 300 : 100);
    }
}

static void gamma_(void)
{
    REGION("gamma")
    {
        pass_ms(rank == 0 ? 200 : 100);
    }
}

int main(int argc, char **argv)
{
    double came, first, last;
    known_start(&argc, &argv, 3);
    came = moment();
    directory = getenv("LIVE");
    if (!directory)
        MPI_Abort(WORLD, 2);
    MPI_Allreduce(&came, &first, 1, MPI_DOUBLE, MPI_MIN, WORLD);
    MPI_Allreduce(&came, &last, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    if (rank == 0)
        tell("begin", first, last);
    MPI_Barrier(WORLD); /* @alpha */
    known_begin();
    alpha();
    turn();
    MPI_Barrier(WORLD); /* @first */
    if (rank == 0)
        gate(1);
    MPI_Barrier(WORLD); /* @beta */
    beta();
    turn();
    MPI_Barrier(WORLD); /* @second */
    if (rank == 0)
        gate(2);
    MPI_Barrier(WORLD); /* @gamma */
    gamma_();
    turn();
    MPI_Barrier(WORLD); /* @third */
    if (rank == 0)
        gate(3);
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
