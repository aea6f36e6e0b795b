/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An error handler of the application's own leaves a call by longjmp: what comes afterwards is seen as before.
 */
#include "known.h"

#include <setjmp.h>

static jmp_buf back;

static void jump(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    longjmp(back, 1);
}

// expect procedure main
int main(int argc, char **argv)
{
    int a = 0;
    MPI_Errhandler handler;
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    MPI_Comm_create_errhandler(jump, &handler);
    MPI_Comm_set_errhandler(WORLD, handler);
    for (volatile int i = 0; i < 3; i++)
        if (setjmp(back) == 0) {
            MPI_Send(&a, 1, MPI_INT, 1000, 0, WORLD); /* there is no rank 1000 */
            MUST(!"reached");
        }
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
