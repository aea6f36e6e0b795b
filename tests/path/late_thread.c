/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The path is started anew after 800 ms; then comes a thread that has not called MPI before, and passes 100 ms. Its
 * path is no longer than others'.
 */
#include <mpi.h>
#include <pthread.h>
#include <unistd.h>

static void *come_late(void *comm)
{
    MPI_Barrier(*(MPI_Comm *)comm);
    usleep(100000);
    MPI_Barrier(*(MPI_Comm *)comm);
    return NULL;
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    pthread_t late;
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    usleep(800000);
    MPI_Pcontrol(3);
    MPI_Barrier(MPI_COMM_WORLD);
    if (provided < MPI_THREAD_MULTIPLE || pthread_create(&late, NULL, come_late, &comm) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    pthread_join(late, NULL);
    MPI_Comm_free(&comm);
    MPI_Finalize();
    return 0;
}
