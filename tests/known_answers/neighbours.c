/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Neighbourhood collectives, on all three kinds of topology.
 */
#include "known.h"

static int a[1000], b[1000];
static count_t counts[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static displ_t displs[8] = {0, 10, 20, 30, 40, 50, 60, 70};
static MPI_Aint at_byte[8] = {0, 40, 80, 120, 160, 200, 240, 280};
static count_t same[8] = {2, 2, 2, 2, 2, 2, 2, 2};
static MPI_Datatype types[8];

/* A torus: four neighbours, counted even where two of them are one process. */
// expect procedure torus
static void torus(void)
{
    MPI_Comm grid;
    MPI_Request q;
    // expect all: MPI_Cart_create all num 1 bytes 0
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &grid);
    for (int i = 0; i < 3; i++)
        // expect all: MPI_Neighbor_allgather calls 3 all num 3 bytes 3*20
        MPI_Neighbor_allgather(a, 5, MPI_INT, b, 5, MPI_INT, grid);
    // expect all: MPI_Neighbor_allgatherv all num 1 bytes 8
    MPI_Neighbor_allgatherv(a, 2, MPI_INT, b, same, displs, MPI_INT, grid);
    // expect all: MPI_Neighbor_alltoall all num 1 bytes 5*4*4
    MPI_Neighbor_alltoall(a, 5, MPI_INT, b, 5, MPI_INT, grid);
    // expect all: MPI_Neighbor_alltoallv all num 1 bytes 2*4*4
    MPI_Neighbor_alltoallv(a, same, displs, MPI_INT, b, same, displs, MPI_INT, grid);
    // expect all: MPI_Neighbor_alltoallw all num 1 bytes 2*4*4
    MPI_Neighbor_alltoallw(a, same, at_byte, types, b, same, at_byte, types, grid);
    // expect all: MPI_Ineighbor_allgather all num 1 bytes 20
    MPI_Ineighbor_allgather(a, 5, MPI_INT, b, 5, MPI_INT, grid, &q);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Ineighbor_allgatherv all num 1 bytes 8
    MPI_Ineighbor_allgatherv(a, 2, MPI_INT, b, same, displs, MPI_INT, grid, &q);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Ineighbor_alltoall all num 1 bytes 5*4*4
    MPI_Ineighbor_alltoall(a, 5, MPI_INT, b, 5, MPI_INT, grid, &q);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Ineighbor_alltoallv all num 1 bytes 2*4*4
    MPI_Ineighbor_alltoallv(a, same, displs, MPI_INT, b, same, displs, MPI_INT, grid, &q);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Ineighbor_alltoallw all num 1 bytes 2*4*4
    MPI_Ineighbor_alltoallw(a, same, at_byte, types, b, same, at_byte, types, grid, &q);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&grid);
}

/* A star as a graph: rank 0 has three neighbours, the others one. */
// expect procedure star
static void star(void)
{
    MPI_Comm graph;
    // expect all: MPI_Graph_create all num 1 bytes 0
    MPI_Graph_create(WORLD, 4, (int[]){3, 4, 5, 6}, (int[]){1, 2, 3, 0, 0, 0}, 0, &graph);
    // expect 0: MPI_Neighbor_alltoall all num 1 bytes 3*12
    // expect r>0: MPI_Neighbor_alltoall all num 1 bytes 12
    MPI_Neighbor_alltoall(a, 3, MPI_INT, b, 3, MPI_INT, graph);
    // expect 0: MPI_Neighbor_alltoallv all num 1 bytes 3*8
    // expect r>0: MPI_Neighbor_alltoallv all num 1 bytes 8
    MPI_Neighbor_alltoallv(a, same, displs, MPI_INT, b, same, displs, MPI_INT, graph);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&graph);
}

/* A directed graph: each rank sends to all of higher rank, so that rank r has 3-r to send to and r to hear from. */
// expect procedure directed
static void directed(void)
{
    MPI_Comm graph;
    int above[3], below[3], out = 0, in = 0;
    for (int i = rank + 1; i < size; i++)
        above[out++] = i;
    for (int i = 0; i < rank; i++)
        below[in++] = i;
    // expect all: MPI_Dist_graph_create_adjacent all num 1 bytes 0
    MPI_Dist_graph_create_adjacent(WORLD, in, below, MPI_UNWEIGHTED, out, above, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    // expect all: MPI_Neighbor_allgather all num 1 bytes 4
    MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, graph);
    // expect all: MPI_Neighbor_alltoall all num 1 bytes 4*(3-r)
    MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, graph);
    for (int i = 0; i < in; i++)
        same[i] = rank - below[i]; /* what comes from there */
    // expect all: MPI_Neighbor_alltoallv all num 1 bytes 4*(3-r)*(4-r)/2
    MPI_Neighbor_alltoallv(a, counts, displs, MPI_INT, b, same, displs, MPI_INT, graph);
    // expect all: MPI_Neighbor_alltoallw all num 1 bytes 4*(3-r)*(4-r)/2
    MPI_Neighbor_alltoallw(a, counts, at_byte, types, b, same, at_byte, types, graph);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&graph);
    // expect all: MPI_Dist_graph_create all num 1 bytes 0
    MPI_Dist_graph_create(WORLD, 1, &rank, &out, above, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    // expect all: MPI_Neighbor_alltoall all num 1 bytes 2*4*(3-r)
    MPI_Neighbor_alltoall(a, 2, MPI_INT, b, 2, MPI_INT, graph);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&graph);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    for (int i = 0; i < 8; i++)
        types[i] = MPI_INT;
    torus();
    star();
    directed();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
