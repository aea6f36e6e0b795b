/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Both ranks work equally long, but rank 1 begins later (slow_init.c).
 */
#include <mpi.h>
#include <time.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
    MPI_Finalize();
    return 0;
}
