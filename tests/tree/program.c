/* SPDX-License-Identifier: BSD-3-Clause */
/* [LZ] Figure 12, with work in P4 and a Figure 11b beside it. L1 ... L15 are the paper's lines. */
#include <mpi.h>

static void P1(void), P2(void), P3(int times), P4(int times), even(int n), odd(int n);
static volatile double sink;

int main(int argc, char **argv) /* L1 */
{
    MPI_Init(&argc, &argv);
    P1(); /* L2 */
    P2(); /* L3 */
    even(6);
    MPI_Finalize();
    return 0;
}

static void P1(void) /* L4 */
{
    P3(2000); /* L5 */
}

static void P2(void) /* L6 */
{
    for (int i = 0; i < 2; i++)
        P3(1000); /* L7 */
}

static void P3(int times) /* L8 */
{
    int mine = 1, all;
    MPI_Barrier(MPI_COMM_WORLD);   /* L9 */
    P4(times);                     /* L10 */
    for (int i = 0; i < 5; i++) {  /* L11 */
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* L12 */
        for (int j = 0; j < 30; j++) { /* L13 */
            P4(times);                 /* L14 */
        }
    }
}

static void P4(int times) /* L15 */
{
    for (int i = 0; i < times; i++)
        sink += i;
}

static void even(int n) /* L16 */
{
    if (n > 0)
        odd(n - 1); /* L17 */
    MPI_Barrier(MPI_COMM_WORLD); /* L18 */
}

static void odd(int n) /* L19 */
{
    P4(10 * n);
    if (n > 0)
        even(n - 1); /* L20 */
}
