/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A critical path that goes from host to host, whatever way the ranks are placed: in each round rank 0 works for 40 ms,
 * then rank 1, then 2, then 3. Each begins when the one before has sent it a message; the last one wakes all by a
 * broadcast. Meanwhile the others work for 30 ms, for which no rank waits.
 */
#include <mpi.h>
#include <time.h>

enum { ROUNDS = 3 };

static void pass_ms(long ms)
{
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += ms * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
}

int main(int argc, char **argv)
{
    int rank, size, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank > 0) {
            MPI_Bcast(&token, 1, MPI_INT, size - 1, MPI_COMM_WORLD); /* of the round before */
            pass_ms(30);
            MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* @next */
        } else {
            MPI_Bcast(&token, 1, MPI_INT, size - 1, MPI_COMM_WORLD); /* @first */
        }
        pass_ms(40);
        if (rank + 1 < size)
            MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
