/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives: one a call, with the bytes that the caller contributes; in place or not, the numbers are the same.
 */
#include "known.h"

static int a[1000], b[1000];

/* What rank i has, for the functions that take a number for each rank: 1, 2, 3, 4 ints. */
static count_t counts[MAX_RANKS] = {1, 2, 3, 4};
static displ_t displs[MAX_RANKS] = {0, 1, 3, 6};
/* What rank i sends to rank j: i + j ints. */
static count_t to[MAX_RANKS], from[MAX_RANKS];
static displ_t to_at[MAX_RANKS], from_at[MAX_RANKS];
static count_t each[MAX_RANKS] = {2, 2, 2, 2}; /* the same for all, as in-place all-to-all wants it */
static displ_t each_at[MAX_RANKS] = {0, 2, 4, 6}, each_at_byte[MAX_RANKS] = {0, 8, 16, 24};
static MPI_Datatype ints[MAX_RANKS], doubles_and_ints[MAX_RANKS];

static void fill(void)
{
    for (int i = 0; i < size; i++) {
        to[i] = from[i] = rank + i;
        to_at[i] = from_at[i] = 100 * i;
        ints[i] = MPI_INT;
        doubles_and_ints[i] = i % 2 == rank % 2 ? MPI_DOUBLE : MPI_INT;
    }
}

// expect procedure rooted
static void rooted(void)
{
    for (int root = 0; root < size; root++)
        // expect all: MPI_Bcast calls 4 all num 4 bytes 4*40
        MPI_Bcast(a, 10, MPI_INT, root, WORLD);
    // expect all: MPI_Reduce all num 1 bytes 24
    MPI_Reduce(a, b, 3, MPI_DOUBLE, MPI_SUM, 1, WORLD);
    // expect all: MPI_Gather all num 1 bytes 20
    MPI_Gather(a, 5, MPI_INT, b, 5, MPI_INT, 2, WORLD);
    // expect all: MPI_Gatherv all num 1 bytes 4*(r+1)
    MPI_Gatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, 3, WORLD);
    // expect all: MPI_Scatter all num 1 bytes 28
    MPI_Scatter(a, 7, MPI_INT, b, 7, MPI_INT, 0, WORLD);
    // expect all: MPI_Scatterv all num 1 bytes 4*(r+1)
    MPI_Scatterv(a, counts, displs, MPI_INT, b, rank + 1, MPI_INT, 1, WORLD);
}

// expect procedure rooted_in_place
static void rooted_in_place(void)
{
    if (rank == 1) {
        // expect 1: MPI_Reduce all num 1 bytes 24
        MPI_Reduce(MPI_IN_PLACE, b, 3, MPI_DOUBLE, MPI_SUM, 1, WORLD);
        // expect 1: MPI_Gather all num 1 bytes 20
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 5, MPI_INT, 1, WORLD);
        // expect 1: MPI_Gatherv all num 1 bytes 8
        MPI_Gatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, 1, WORLD);
        // expect 1: MPI_Scatter all num 1 bytes 28
        MPI_Scatter(a, 7, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, WORLD);
        // expect 1: MPI_Scatterv all num 1 bytes 8
        MPI_Scatterv(a, counts, displs, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, WORLD);
    } else {
        // expect r<>1: MPI_Reduce all num 1 bytes 24
        MPI_Reduce(b, NULL, 3, MPI_DOUBLE, MPI_SUM, 1, WORLD);
        // expect r<>1: MPI_Gather all num 1 bytes 20
        MPI_Gather(b, 5, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, WORLD);
        // expect r<>1: MPI_Gatherv all num 1 bytes 4*(r+1)
        MPI_Gatherv(b, rank + 1, MPI_INT, NULL, NULL, NULL, MPI_DATATYPE_NULL, 1, WORLD);
        // expect r<>1: MPI_Scatter all num 1 bytes 28
        MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, a, 7, MPI_INT, 1, WORLD);
        // expect r<>1: MPI_Scatterv all num 1 bytes 4*(r+1)
        MPI_Scatterv(NULL, NULL, NULL, MPI_DATATYPE_NULL, a, rank + 1, MPI_INT, 1, WORLD);
    }
}

// expect procedure all_members
static void all_members(void)
{
    for (int i = 0; i < 6; i++)
        // expect all: MPI_Barrier calls 6 all num 6 bytes 0
        MPI_Barrier(WORLD);
    // expect all: MPI_Allreduce all num 1 bytes 8
    MPI_Allreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    // expect all: MPI_Allreduce all num 1 bytes 0
    MPI_Allreduce(a, b, 0, MPI_DOUBLE, MPI_MAX, WORLD);
    // expect all: MPI_Scan all num 1 bytes 12
    MPI_Scan(a, b, 3, MPI_INT, MPI_SUM, WORLD);
    // expect all: MPI_Exscan all num 1 bytes 16
    MPI_Exscan(a, b, 4, MPI_INT, MPI_SUM, WORLD);
    // expect all: MPI_Allgather all num 1 bytes 8
    MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, WORLD);
    // expect all: MPI_Allgatherv all num 1 bytes 4*(r+1)
    MPI_Allgatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, WORLD);
    // expect all: MPI_Alltoall all num 1 bytes 3*4*P
    MPI_Alltoall(a, 3, MPI_INT, b, 3, MPI_INT, WORLD);
    // expect all: MPI_Alltoallv all num 1 bytes 4*(4*r+6)
    MPI_Alltoallv(a, to, to_at, MPI_INT, b, from, from_at, MPI_INT, WORLD);
    // expect all: MPI_Alltoallw all num 1 bytes 4*(4*r+6)+4*(2*r+2*(r%2=0)+4*(r%2=1))
    MPI_Alltoallw(a, to, to_at, doubles_and_ints, b, from, from_at, doubles_and_ints, WORLD);
    // expect all: MPI_Reduce_scatter_block all num 1 bytes 2*4*P
    MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, WORLD);
    // expect all: MPI_Reduce_scatter all num 1 bytes 40
    MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, WORLD);
}

// expect procedure all_members_in_place
static void all_members_in_place(void)
{
    // expect all: MPI_Allreduce all num 1 bytes 8
    MPI_Allreduce(MPI_IN_PLACE, b, 1, MPI_DOUBLE, MPI_MAX, WORLD);
    // expect all: MPI_Scan all num 1 bytes 12
    MPI_Scan(MPI_IN_PLACE, b, 3, MPI_INT, MPI_SUM, WORLD);
    // expect all: MPI_Exscan all num 1 bytes 16
    MPI_Exscan(MPI_IN_PLACE, b, 4, MPI_INT, MPI_SUM, WORLD);
    // expect all: MPI_Allgather all num 1 bytes 8
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 2, MPI_INT, WORLD);
    // expect all: MPI_Allgatherv all num 1 bytes 4*(r+1)
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, WORLD);
    // expect all: MPI_Alltoall all num 1 bytes 3*4*P
    MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, WORLD);
    // expect all: MPI_Alltoallv all num 1 bytes 2*4*P
    MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_DATATYPE_NULL, b, each, each_at, MPI_INT, WORLD);
    // expect all: MPI_Alltoallw all num 1 bytes 2*4*P
    MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, b, each, each_at_byte, ints, WORLD);
    // expect all: MPI_Reduce_scatter_block all num 1 bytes 2*4*P
    MPI_Reduce_scatter_block(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM, WORLD);
    // expect all: MPI_Reduce_scatter all num 1 bytes 40
    MPI_Reduce_scatter(MPI_IN_PLACE, b, counts, MPI_INT, MPI_SUM, WORLD);
}

// expect procedure rooted_started
static void rooted_started(void)
{
    MPI_Request requests[2];
    // expect all: MPI_Ibcast all num 1 bytes 40
    MPI_Ibcast(a, 10, MPI_INT, 2, WORLD, &requests[0]);
    // expect all: MPI_Ireduce all num 1 bytes 24
    MPI_Ireduce(a + 500, b, 3, MPI_DOUBLE, MPI_SUM, 1, WORLD, &requests[1]);
    // expect all: MPI_Waitall all num 2 bytes 0
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // expect all: MPI_Igather all num 1 bytes 20
    MPI_Igather(a, 5, MPI_INT, b, 5, MPI_INT, 2, WORLD, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Igatherv all num 1 bytes 4*(r+1)
    MPI_Igatherv(a, rank + 1, MPI_INT, b, counts, displs, MPI_INT, 3, WORLD, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Iscatter all num 1 bytes 28
    MPI_Iscatter(a, 7, MPI_INT, b, 7, MPI_INT, 0, WORLD, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Iscatterv all num 1 bytes 4*(r+1)
    MPI_Iscatterv(a, counts, displs, MPI_INT, b, rank + 1, MPI_INT, 1, WORLD, &requests[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

// expect procedure all_members_started
static void all_members_started(void)
{
    MPI_Request q[12];
    int flag = 0;
    // expect all: MPI_Ibarrier all num 1 bytes 0
    MPI_Ibarrier(WORLD, &q[0]);
    while (!flag)
        // expect all: MPI_Test all num 1 bytes 0, perhaps none num 0 bytes 0
        MPI_Test(&q[0], &flag, MPI_STATUS_IGNORE);
    // expect all: MPI_Iallreduce all num 1 bytes 8
    MPI_Iallreduce(a, b, 1, MPI_DOUBLE, MPI_MAX, WORLD, &q[0]);
    // expect all: MPI_Iscan all num 1 bytes 12
    MPI_Iscan(a, b + 10, 3, MPI_INT, MPI_SUM, WORLD, &q[1]);
    // expect all: MPI_Iexscan all num 1 bytes 16
    MPI_Iexscan(a, b + 20, 4, MPI_INT, MPI_SUM, WORLD, &q[2]);
    // expect all: MPI_Iallgather all num 1 bytes 8
    MPI_Iallgather(a, 2, MPI_INT, b + 30, 2, MPI_INT, WORLD, &q[3]);
    // expect all: MPI_Iallgatherv all num 1 bytes 4*(r+1)
    MPI_Iallgatherv(a, rank + 1, MPI_INT, b + 40, counts, displs, MPI_INT, WORLD, &q[4]);
    // expect all: MPI_Ialltoall all num 1 bytes 3*4*P
    MPI_Ialltoall(a, 3, MPI_INT, b + 50, 3, MPI_INT, WORLD, &q[5]);
    // expect all: MPI_Ireduce_scatter_block all num 1 bytes 2*4*P
    MPI_Ireduce_scatter_block(a, b + 80, 2, MPI_INT, MPI_SUM, WORLD, &q[6]);
    // expect all: MPI_Ireduce_scatter all num 1 bytes 40
    MPI_Ireduce_scatter(a, b + 90, counts, MPI_INT, MPI_SUM, WORLD, &q[7]);
    // expect all: MPI_Waitall all num 8 bytes 0
    MPI_Waitall(8, q, MPI_STATUSES_IGNORE);
    // expect all: MPI_Ialltoallv all num 1 bytes 4*(4*r+6)
    MPI_Ialltoallv(a, to, to_at, MPI_INT, b, from, from_at, MPI_INT, WORLD, &q[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Ialltoallw all num 1 bytes 4*(4*r+6)+4*(2*r+2*(r%2=0)+4*(r%2=1))
    MPI_Ialltoallw(a, to, to_at, doubles_and_ints, b, from, from_at, doubles_and_ints, WORLD, &q[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Iallreduce all num 1 bytes 8
    MPI_Iallreduce(MPI_IN_PLACE, b, 1, MPI_DOUBLE, MPI_MAX, WORLD, &q[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Iallgatherv all num 1 bytes 4*(r+1)
    MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, counts, displs, MPI_INT, WORLD, &q[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Ialltoall all num 1 bytes 3*4*P
    MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, b, 3, MPI_INT, WORLD, &q[0]);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&q[0], MPI_STATUS_IGNORE);
}

/* Mixed with messages to certain partners, in one wait. */
// expect procedure mixed
static void mixed(void)
{
    MPI_Request requests[3];
    // expect all: MPI_Irecv from (r+3)%P num 1 bytes 4
    MPI_Irecv(b, 10, MPI_INT, (rank + 3) % size, 0, WORLD, &requests[0]);
    // expect all: MPI_Iallreduce all num 1 bytes 4
    MPI_Iallreduce(a, b + 100, 1, MPI_INT, MPI_SUM, WORLD, &requests[1]);
    // expect all: MPI_Isend to (r+1)%P num 1 bytes 4
    MPI_Isend(a, 1, MPI_INT, (rank + 1) % size, 0, WORLD, &requests[2]);
    // expect all: MPI_Waitall from (r+3)%P num 1 bytes 0, all num 1 bytes 0, to (r+1)%P num 1 bytes 0
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
}

/* A reduction with an operation of the user's own, which itself calls MPI. */
static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int bytes;
    MPI_Type_size(*type, &bytes);
    for (int i = 0; i < *n * bytes / 4; i++)
        ((int *)inout)[i] += ((int *)in)[i];
}

// expect procedure own_operation
static void own_operation(void)
{
    MPI_Op op;
    MPI_Op_create(add, 1, &op);
    // expect all: MPI_Allreduce all num 1 bytes 40
    MPI_Allreduce(a, b, 10, MPI_INT, op, WORLD);
    MPI_Op_free(&op);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    fill();
    rooted();
    rooted_in_place();
    all_members();
    all_members_in_place();
    rooted_started();
    all_members_started();
    mixed();
    own_operation();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
