/* [LZ] Figure 12: L1 ... L15 are the lines of the paper. MPI is started and ended in figure12_mpi.c, because the
 * paper's program does not show it. */
#include <mpi.h>

static void P1(void), P2(void), P3(void), P4(void);
static volatile double work;

int main(void) /* L1 */
{
    P1(); /* L2 */
    P2(); /* L3 */
    return 0;
}

static void P1(void) /* L4 */
{
    P3(); /* L5 */
}

static void P2(void) /* L6 */
{
    P3(); /* L7 */
}

static void P3(void) /* L8 */
{
    int mine = 1, all;
    MPI_Barrier(MPI_COMM_WORLD); /* L9: E1 */
    P4();                        /* L10 */
    for (int i = 0; i < 20; i++) { /* L11: loop1 */
        MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* L12: E2 */
        for (int j = 0; j < 30; j++) /* L13: loop2 */
            P4();                    /* L14 */
    }
}

static void P4(void) /* L15 */
{
    work += 1; /* the paper only says that it takes most of the time */
}
