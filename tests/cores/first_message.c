/* SPDX-License-Identifier: BSD-3-Clause
 *
 * first_message: rank 1 waits for a message of rank 0, the first of the run. When it comes, another program has rank
 * 1's core, and keeps it for some 200 ms. Ends with 77 if this user may start no such program.
 */
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int take_core(void)
{
    usleep(200000);
    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}) != 0)
        return 77;
    for (double since = now_ms(); now_ms() - since < 300;)
        ;
    return 0;
}

int main(int argc, char **argv)
{
    int rank, value = 0, status = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) {
        usleep(300000);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(sched_getcpu(), &one);
        sched_setaffinity(0, sizeof one, &one);
        pid_t other = fork();
        if (other == 0)
            _exit(take_core());
        MPI_Recv(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        waitpid(other, &status, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    usleep(1000000); /* what had no core is a small part of the run */
    MPI_Finalize();
    return status ? 77 : 0;
}
