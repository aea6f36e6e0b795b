/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Rank 0 burns 400 ms of CPU time, rank 1 sleeps for longer, and all wait for both: the path of elapsed time is rank
 * 1's, that of CPU time rank 0's.
 */
#include <time.h>

#include "known.h"

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void burn(void)
{
    REGION("burn")
    {
        for (double until = cpu_ms() + 400; cpu_ms() < until;)
            ;
    }
}

static void rest(void)
{
    REGION("rest")
    {
        pass_ms(900);
    }
}

int main(int argc, char **argv)
{
    known_start(&argc, &argv, 3);
    MPI_Barrier(WORLD);
    known_begin();
    if (rank == 0)
        burn();
    else if (rank == 1)
        rest();
    MPI_Barrier(WORLD);
    known_finish();
    return 0;
}
