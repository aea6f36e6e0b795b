/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A master that serves the worker that asks first: a receive from any source and an answer for each packet, which is no
 * work at all. Prints how long a packet takes, in ns.
 *
 *     order PACKETS [some]     some: the master has a receive for each worker under way, and a Waitsome
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_WORKERS = 64, REQUEST = 1, PACKET = 2 };

static long packets;
static int size;

static void answer(int worker)
{
    long packet = packets > 0 ? packets-- : -1;
    MPI_Send(&packet, 1, MPI_LONG, worker, PACKET, MPI_COMM_WORLD);
}

static void serve(void)
{
    for (long left = packets + size - 1; left > 0; left--) {
        MPI_Status status;
        int asked;
        MPI_Recv(&asked, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        answer(status.MPI_SOURCE);
    }
}

static void serve_some(void)
{
    MPI_Request requests[MOST_WORKERS];
    MPI_Status statuses[MOST_WORKERS];
    int asked[MOST_WORKERS], indices[MOST_WORKERS], n, workers = size - 1;
    long posted = packets + workers;
    for (int i = 0; i < workers; i++, posted--)
        MPI_Irecv(&asked[i], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[i]);
    for (long left = packets + workers; left > 0; left -= n) {
        MPI_Waitsome(workers, requests, &n, indices, statuses);
        for (int k = 0; k < n; k++) {
            answer(statuses[k].MPI_SOURCE);
            if (posted-- > 0)
                MPI_Irecv(&asked[indices[k]], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD,
                          &requests[indices[k]]);
        }
    }
}

static void work(void)
{
    long packet = 0;
    for (int asks = 1; packet >= 0;) {
        MPI_Send(&asks, 1, MPI_INT, 0, REQUEST, MPI_COMM_WORLD);
        MPI_Recv(&packet, 1, MPI_LONG, 0, PACKET, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    long all = packets = argc > 1 ? atol(argv[1]) : 100000;
    MPI_Barrier(MPI_COMM_WORLD);
    double since = MPI_Wtime();
    if (rank > 0)
        work();
    else if (argc > 2)
        serve_some();
    else
        serve();
    if (rank == 0)
        printf("%.1f\n", (MPI_Wtime() - since) * 1e9 / (double)all);
    MPI_Finalize();
    return 0;
}
