/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Between MPI_Pcontrol(0) and MPI_Pcontrol(1) nothing counts, and what was known before is still known afterwards.
 */
#include "known.h"

static int a[100], b[100];

// expect procedure exchange
static void exchange(void)
{
    // expect all: MPI_Sendrecv calls 2 to r/2*2+1-r%2 num 4 bytes 160
    MPI_Sendrecv(a, 10, MPI_INT, rank ^ 1, 0, b, 10, MPI_INT, rank ^ 1, 0, WORLD, MPI_STATUS_IGNORE);
}

// expect procedure main
int main(int argc, char **argv)
{
    MPI_Comm comm, other;
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    exchange();
    // expect all: MPI_Comm_split all num 1 bytes 0
    MPI_Comm_split(WORLD, 0, -rank, &comm);
    // expect 0: MPI_Send to 3 num 1 bytes 4
    // expect 3: MPI_Recv from 0 num 1 bytes 4
    rank == 0 ? MPI_Send(a, 1, MPI_INT, 0, 1, comm) : rank == 3 ? MPI_Recv(b, 1, MPI_INT, 3, 1, comm, MPI_STATUS_IGNORE) : 0;

    MPI_Pcontrol(0);
    MPI_Barrier(WORLD);
    exchange();
    /* The handle stands for another communicator now. */
    MPI_Comm_free(&comm);
    MPI_Comm_split(WORLD, 0, rank, &other);
    MPI_Bcast(a, 10, MPI_INT, 0, other);
    MPI_Pcontrol(1);

    exchange();
    // expect 0: MPI_Send to 3 num 1 bytes 4
    // expect 3: MPI_Recv from 0 num 1 bytes 4
    rank == 0 ? MPI_Send(a, 1, MPI_INT, 3, 1, other) : rank == 3 ? MPI_Recv(b, 1, MPI_INT, 0, 1, other, MPI_STATUS_IGNORE) : 0;
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&other);
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
