/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A program that has sessions only and never calls MPI_Init: ranks are those of the process set mpi://WORLD.
 */
#include "known.h"

// expect procedure main
int main(void)
{
    MPI_Session session;
    MPI_Group world, mine, others;
    MPI_Comm comm, half, inter;
    int x = 0, y;
    // expect all: MPI_Session_init all num 1 bytes 0
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
    MPI_Group_from_session_pset(session, "mpi://WORLD", &world);
    // expect all: MPI_Comm_create_from_group all num 1 bytes 0
    MPI_Comm_create_from_group(world, "weft", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (int i = 0; i < 4; i++)
        // expect all: MPI_Sendrecv calls 4 to (r+1)%P num 4 bytes 16, from (r+3)%P num 4 bytes 16
        MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank + 3) % size, 0, comm, MPI_STATUS_IGNORE);
    // expect all: MPI_Allreduce all num 1 bytes 4
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
    MPI_Group_incl(world, 2, rank % 2 ? (int[]){3, 1} : (int[]){2, 0}, &mine);
    // expect all: MPI_Comm_create_from_group all num 1 bytes 0
    MPI_Comm_create_from_group(mine, rank % 2 ? "odd" : "even", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &half);
    // expect 2-3: MPI_Send to r-2 num 1 bytes 4
    // expect 0-1: MPI_Recv from r+2 num 1 bytes 4
    rank >= 2 ? MPI_Send(&x, 1, MPI_INT, 1, 1, half) : MPI_Recv(&y, 1, MPI_INT, 0, 1, half, MPI_STATUS_IGNORE);
    MPI_Group_incl(world, 2, rank % 2 ? (int[]){2, 0} : (int[]){3, 1}, &others);
    // expect all: MPI_Intercomm_create_from_groups all num 1 bytes 0
    MPI_Intercomm_create_from_groups(mine, 0, others, 0, "both", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &inter);
    /* 2 <-> 3, 0 <-> 1 */
    // expect all: MPI_Sendrecv to r/2*2+1-r%2 num 2 bytes 8
    MPI_Sendrecv(&x, 1, MPI_INT, rank < 2, 2, &y, 1, MPI_INT, rank < 2, 2, inter, MPI_STATUS_IGNORE);
    MPI_Group_free(&mine);
    MPI_Group_free(&others);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&inter);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&half);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);
    MPI_Group_free(&world);
    // expect all: MPI_Session_finalize all num 1 bytes 0
    MPI_Session_finalize(&session);
    return 0;
}
