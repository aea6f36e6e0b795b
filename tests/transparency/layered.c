/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The application over layer.c.
 */
#include "say.h"

extern struct counts {
    int sends, receives, waits, reductions, ranks, sizes, types;
} layer_counts;

int main(int argc, char **argv)
{
    int x = 0, y = 0;
    MPI_Request requests[2];
    MPI_Status status, statuses[2];
    MPI_Comm comm;
    begin(&argc, &argv);
    MPI_Comm_split(WORLD, 0, -rank, &comm);
    for (int i = 0; i < 10; i++) {
        MPI_Isend(&x, 1, MPI_INT, (rank + 1) % size, 0, comm, &requests[0]);
        MPI_Irecv(&y, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm, &requests[1]);
        if (i < 3)
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        else
            MPI_Waitall(2, requests, statuses);
    }
    for (int i = 0; i < 5; i++)
        MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < 7; i++)
        if (rank == 0)
            MPI_Send(&x, 1, MPI_INT, 1, 0, WORLD);
        else if (rank == 1)
            MPI_Recv(&x, 1, MPI_INT, 0, 0, WORLD, i < 2 ? MPI_STATUS_IGNORE : &status);
    MPI_Comm_free(&comm);
    say("sends %d receives %d waits %d reductions %d ranks %d sizes %d types %d", layer_counts.sends,
        layer_counts.receives, layer_counts.waits, layer_counts.reductions, layer_counts.ranks, layer_counts.sizes,
        layer_counts.types);
    MPI_Finalize();
    return 0;
}
