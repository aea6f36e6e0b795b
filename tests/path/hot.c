/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A hot procedure that is never on the path: three ranks spend two thirds of all time in it, and wait for the fourth
 * all the same.
 */
#include "known.h"

#define STEPS 5

static double cold_ms, hot_ms;

static void cold(void)
{
    REGION("cold")
    {
        pass_ms(cold_ms);
    }
}

static void hot(void)
{
    REGION("hot")
    {
        pass_ms(hot_ms);
    }
}

int main(int argc, char **argv)
{
    int value = 1, sum;
    known_start(&argc, &argv, 4);
    cold_ms = known_ms("cold", 40);
    hot_ms = known_ms("hot", 28);
    MPI_Barrier(WORLD);
    known_begin();
    for (int step = 0; step < STEPS; step++) {
        if (rank == 0) {
            MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* @cold */
            cold();
        } else {
            MPI_Bcast(&value, 1, MPI_INT, 0, WORLD); /* @hot */
            hot();
        }
        MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, WORLD);
    }
    known_finish();
    return 0;
}
