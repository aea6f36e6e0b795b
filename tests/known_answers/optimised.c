/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the optimiser does to statements: inlined functions, unrolled loops, several copies of one statement are still one; two statements on
 * one line add up.
 */
#include "known.h"

static int a[1000], b[1000];

// expect procedure step
static inline void step(int n)
{
    // expect all: MPI_Sendrecv calls 14 to (r+1)%P num 14 bytes 4*(4+10*3), from (r+3)%P num 14 bytes 4*(4+10*3)
    MPI_Sendrecv(a, n, MPI_INT, (rank + 1) % size, 0, b, n, MPI_INT, (rank + 3) % size, 0, WORLD, MPI_STATUS_IGNORE);
}

// expect procedure deep
static inline __attribute__((always_inline)) double deep(double x)
{
    double y;
    // expect all: MPI_Allreduce calls 3 all num 3 bytes 24
    MPI_Allreduce(&x, &y, 1, MPI_DOUBLE, MPI_SUM, WORLD);
    return y;
}

// expect procedure twice
static __attribute__((noinline)) double twice(double x)
{
    double y = deep(deep(x));
    // expect all: MPI_Allreduce calls 1 all num 1 bytes 8
    MPI_Allreduce(MPI_IN_PLACE, &y, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    return y;
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        step(1);
    for (int i = 0; i < 10; i++)
        step(3);
    MUST(twice(1) + deep(1) > 0);
    // expect all: MPI_Barrier calls 2 all num 2 bytes 0
    MPI_Barrier(WORLD), MPI_Barrier(WORLD);
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
