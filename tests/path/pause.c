/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pauses: what all do together while nothing is watched, messages among it; and what one rank does alone while all
 * others, watched, wait for it.
 */
#include "known.h"

static void seen(double ms)
{
    REGION("seen")
    {
        pass_ms(ms);
    }
}

static void unseen(double ms)
{
    REGION("unseen")
    {
        pass_ms(ms);
    }
}

/* A pause begins and ends in the middle of it. */
static void around(void)
{
    REGION("around")
    {
        pass_ms(30);
        MPI_Pcontrol(0);
        unseen(120);
        MPI_Pcontrol(1);
        pass_ms(30);
    }
}

int main(int argc, char **argv)
{
    known_start(&argc, &argv, 3);
    MPI_Barrier(WORLD); /* @seen */
    known_begin();
    seen(rank == 1 ? 100 : 50);
    MPI_Barrier(WORLD); /* @paused */
    MPI_Pcontrol(0);
    unseen(rank == 2 ? 150 : 75);
    MPI_Barrier(WORLD);
    unseen(rank == 1 ? 100 : 75);
    MPI_Barrier(WORLD);
    MPI_Pcontrol(1);
    seen(rank == 2 ? 80 : 40);
    MPI_Barrier(WORLD); /* @around */
    if (rank == 0)
        around();
    MPI_Barrier(WORLD); /* @last */
    seen(rank == 0 ? 60 : 30);
    known_finish();
    return 0;
}
