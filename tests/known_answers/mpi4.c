/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What MPI 4 added: nonblocking send-and-receive, partitioned messages, persistent collectives.
 */
#include "known.h"

static int a[1000], b[1000];

// expect procedure both_ways
static void both_ways(void)
{
    MPI_Request q;
    /* MPICH 4.0 sets no status for these; so the room is as large as the message, and the source is known. */
    for (int i = 0; i < 3; i++) {
        // expect all: MPI_Isendrecv calls 3 to (r+1)%P num 3 bytes 3*8, from (r+3)%P num 3 bytes 3*8
        MPI_Isendrecv(a, 2, MPI_INT, (rank + 1) % size, 0, b, 2, MPI_INT, (rank + 3) % size, 0, WORLD, &q);
        // expect all: MPI_Wait from (r+3)%P num 3 bytes 0
        MPI_Wait(&q, MPI_STATUS_IGNORE);
    }
    // expect all: MPI_Isendrecv to (r+1)%P num 1 bytes 4, none num 1 bytes 0
    MPI_Isendrecv(a, 1, MPI_INT, (rank + 1) % size, 2, b, 2, MPI_INT, MPI_PROC_NULL, 2, WORLD, &q);
    // expect all: MPI_Wait none num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Recv from (r+3)%P num 1 bytes 4
    MPI_Recv(b, 1, MPI_INT, (rank + 3) % size, 2, WORLD, MPI_STATUS_IGNORE);
    // expect all: MPI_Isendrecv_replace to (r+1)%P num 1 bytes 12, from (r+3)%P num 1 bytes 12
    MPI_Isendrecv_replace(a, 3, MPI_INT, (rank + 1) % size, 0, (rank + 3) % size, 0, WORLD, &q);
    // expect all: MPI_Wait from (r+3)%P num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
}

// expect procedure partitioned
static void partitioned(void)
{
    MPI_Request q;
    int arrived = 0;
    if (rank == 0) {
        // expect 0: MPI_Psend_init none num 1 bytes 0
        MPI_Psend_init(a, 4, 10, MPI_INT, 1, 1, WORLD, MPI_INFO_NULL, &q);
        for (int i = 0; i < 2; i++) {
            // expect 0: MPI_Start to 1 num 2 bytes 2*160
            MPI_Start(&q);
            // expect 0: MPI_Pready none num 2 bytes 0
            MPI_Pready(3, q);
            // expect 0: MPI_Pready_range none num 2 bytes 0
            MPI_Pready_range(0, 1, q);
            // expect 0: MPI_Pready_list none num 2 bytes 0
            MPI_Pready_list(1, (int[]){2}, q);
            // expect 0: MPI_Wait to 1 num 2 bytes 0
            MPI_Wait(&q, MPI_STATUS_IGNORE);
        }
        // expect 0: MPI_Request_free none num 1 bytes 0
        MPI_Request_free(&q);
    } else if (rank == 1) {
        // expect 1: MPI_Precv_init none num 1 bytes 0
        MPI_Precv_init(b, 2, 20, MPI_INT, 0, 1, WORLD, MPI_INFO_NULL, &q);
        for (int i = 0; i < 2; i++) {
            // expect 1: MPI_Start from 0 num 2 bytes 2*160
            MPI_Start(&q);
            // expect 1: MPI_Parrived calls 2 none num 2 bytes 0
            MPI_Parrived(q, 1, &arrived);
            // expect 1: MPI_Wait from 0 num 2 bytes 0
            MPI_Wait(&q, MPI_STATUS_IGNORE);
        }
        // expect 1: MPI_Request_free none num 1 bytes 0
        MPI_Request_free(&q);
    }
}

/* Starts them together, several times, and frees them. Only the first are started twice: MPICH 4.0 fails when it starts Scan or Scatter
 * again. */
// expect procedure start
static void start(MPI_Request *q, int n, int times)
{
    for (int i = 0; i < times; i++) {
        // expect all: MPI_Startall calls 6 all num 26 bytes 2*(40+20+20)+(12+16)+(20+4*(r+1)+8+4*(r+1)+28+4*(r+1))+(12*P+4*P+8*P+8*P+40)+(20+8+80+32+32)
        MPI_Startall(n, q);
        // expect all: MPI_Waitall calls 6 all num 26 bytes 0
        MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < n; i++)
        // expect all: MPI_Request_free none num 22 bytes 0
        MPI_Request_free(&q[i]);
}

static count_t counts[MAX_RANKS] = {1, 2, 3, 4};
static displ_t displs[MAX_RANKS] = {0, 1, 3, 6};
static count_t ones[MAX_RANKS] = {1, 1, 1, 1}, twos[MAX_RANKS] = {2, 2, 2, 2};
static displ_t at[MAX_RANKS] = {0, 10, 20, 30}, at_byte[MAX_RANKS] = {0, 40, 80, 120};
static MPI_Aint long_at_byte[MAX_RANKS] = {0, 40, 80, 120};
static MPI_Datatype types[MAX_RANKS];

// expect procedure collectives
static void collectives(void)
{
    MPI_Request q[6];
    int n = 0;
    // expect all: MPI_Barrier_init all num 1 bytes 0
    MPI_Barrier_init(WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Bcast_init all num 1 bytes 0
    MPI_Bcast_init(a, 10, MPI_INT, 2, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Reduce_init all num 1 bytes 0
    MPI_Reduce_init(a + 100, b, 5, MPI_INT, MPI_SUM, 1, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Allreduce_init all num 1 bytes 0
    MPI_Allreduce_init(a + 100, b + 100, 5, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &q[n++]);
    start(q, n, 2);
    n = 0;
    // expect all: MPI_Scan_init all num 1 bytes 0
    MPI_Scan_init(a + 100, b + 200, 3, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Exscan_init all num 1 bytes 0
    MPI_Exscan_init(a + 100, b + 300, 4, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &q[n++]);
    start(q, n, 1);
    n = 0;
    // expect all: MPI_Gather_init all num 1 bytes 0
    MPI_Gather_init(a, 5, MPI_INT, b, 5, MPI_INT, 2, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Gatherv_init all num 1 bytes 0
    MPI_Gatherv_init(a, rank + 1, MPI_INT, b + 100, counts, displs, MPI_INT, 3, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Allgather_init all num 1 bytes 0
    MPI_Allgather_init(a, 2, MPI_INT, b + 200, 2, MPI_INT, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Allgatherv_init all num 1 bytes 0
    MPI_Allgatherv_init(a, rank + 1, MPI_INT, b + 300, counts, displs, MPI_INT, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Scatter_init all num 1 bytes 0
    MPI_Scatter_init(a, 7, MPI_INT, b + 400, 7, MPI_INT, 0, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Scatterv_init all num 1 bytes 0
    MPI_Scatterv_init(a, counts, displs, MPI_INT, b + 500, rank + 1, MPI_INT, 1, WORLD, MPI_INFO_NULL, &q[n++]);
    start(q, n, 1);
    n = 0;
    // expect all: MPI_Alltoall_init all num 1 bytes 0
    MPI_Alltoall_init(a, 3, MPI_INT, b, 3, MPI_INT, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Alltoallv_init all num 1 bytes 0
    MPI_Alltoallv_init(a, ones, at, MPI_INT, b + 100, ones, at, MPI_INT, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Alltoallw_init all num 1 bytes 0
    MPI_Alltoallw_init(a, twos, at_byte, types, b + 200, twos, at_byte, types, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Reduce_scatter_block_init all num 1 bytes 0
    MPI_Reduce_scatter_block_init(a, b + 300, 2, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Reduce_scatter_init all num 1 bytes 0
    MPI_Reduce_scatter_init(a, b + 400, counts, MPI_INT, MPI_SUM, WORLD, MPI_INFO_NULL, &q[n++]);
    start(q, n, 1);
}

// expect procedure neighbours
static void neighbours(void)
{
    MPI_Comm grid;
    MPI_Request q[5];
    int n = 0;
    // expect all: MPI_Cart_create all num 1 bytes 0
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){1, 1}, 0, &grid);
    // expect all: MPI_Neighbor_allgather_init all num 1 bytes 0
    MPI_Neighbor_allgather_init(a, 5, MPI_INT, b, 5, MPI_INT, grid, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Neighbor_allgatherv_init all num 1 bytes 0
    MPI_Neighbor_allgatherv_init(a, 2, MPI_INT, b + 100, twos, at, MPI_INT, grid, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Neighbor_alltoall_init all num 1 bytes 0
    MPI_Neighbor_alltoall_init(a, 5, MPI_INT, b + 200, 5, MPI_INT, grid, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Neighbor_alltoallv_init all num 1 bytes 0
    MPI_Neighbor_alltoallv_init(a, twos, at, MPI_INT, b + 300, twos, at, MPI_INT, grid, MPI_INFO_NULL, &q[n++]);
    // expect all: MPI_Neighbor_alltoallw_init all num 1 bytes 0
    MPI_Neighbor_alltoallw_init(a, twos, long_at_byte, types, b + 400, twos, long_at_byte, types, grid, MPI_INFO_NULL, &q[n++]);
    start(q, n, 1);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&grid);
}

// expect procedure information
static void information(void)
{
    MPI_Comm comm;
    MPI_Info info;
    MPI_Request q;
    MPI_Info_create(&info);
    // expect all: MPI_Comm_idup_with_info all num 1 bytes 0
    MPI_Comm_idup_with_info(WORLD, info, &comm, &q);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q, MPI_STATUS_IGNORE);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    for (int i = 0; i < size; i++)
        types[i] = MPI_INT;
    both_ways();
    partitioned();
    collectives();
    neighbours();
    information();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
