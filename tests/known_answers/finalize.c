/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the application communicates inside MPI_Finalize, from the delete callback of an attribute of MPI_COMM_SELF, is its own.
 */
#include "known.h"

// expect procedure farewell
static int farewell(MPI_Comm comm, int key, void *value, void *extra)
{
    int x = 0, y;
    (void)comm, (void)key, (void)value, (void)extra;
    for (int i = 0; i < 3; i++)
        // expect all: MPI_Sendrecv calls 3 to (r+1)%P num 3 bytes 12, from (r+3)%P num 3 bytes 12
        MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank + 3) % size, 0, WORLD, MPI_STATUS_IGNORE);
    // expect all: MPI_Allreduce all num 1 bytes 4
    MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, WORLD);
    return MPI_SUCCESS;
}

// expect procedure main
int main(int argc, char **argv)
{
    int key;
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, farewell, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
