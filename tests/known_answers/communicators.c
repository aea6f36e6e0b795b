/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Partners are ranks in MPI_COMM_WORLD, whatever the communicator of the message calls them, and whatever its handle stood for before.
 */
#include "known.h"

static int a[1000], b[1000];

/* To the next rank of any communicator and from the one before. It is called for 3 2 1 0, three times for the pairs 0 2 and 1 3, for
 * 2 0 3 1 and for 0 1 2 3. */
// expect procedure around
static void around(MPI_Comm comm)
{
    int me, n;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    // expect 0: MPI_Sendrecv calls 6 to 1 num 2 bytes 2*28, to 2 num 7 bytes 7*28, to 3 num 3 bytes 3*28
    // expect 1: MPI_Sendrecv calls 6 to 0 num 2 bytes 2*28, to 2 num 3 bytes 3*28, to 3 num 7 bytes 7*28
    // expect 2: MPI_Sendrecv calls 6 to 0 num 7 bytes 7*28, to 1 num 3 bytes 3*28, to 3 num 2 bytes 2*28
    // expect 3: MPI_Sendrecv calls 6 to 0 num 3 bytes 3*28, to 1 num 7 bytes 7*28, to 2 num 2 bytes 2*28
    MPI_Sendrecv(a, 7, MPI_INT, (me + 1) % n, 0, b, 7, MPI_INT, (me + n - 1) % n, 0, comm, MPI_STATUS_IGNORE);
}

// expect procedure made_in_all_ways
static void made_in_all_ways(void)
{
    MPI_Comm comm, grid, row;
    MPI_Group world, group;
    MPI_Info info;
    MPI_Request request;
    MPI_Info_create(&info);

    /* Reversed: 3 2 1 0. A ring of it has the neighbours of the world's ring. */
    // expect all: MPI_Comm_split all num 1 bytes 0
    MPI_Comm_split(WORLD, 0, -rank, &comm);
    around(comm);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);

    /* Odd and even ranks, reversed: 2 0 and 3 1. */
    // expect all: MPI_Comm_split all num 1 bytes 0
    MPI_Comm_split(WORLD, rank % 2, -rank, &comm);
    around(comm);
    // expect all: MPI_Comm_disconnect all num 1 bytes 0
    MPI_Comm_disconnect(&comm);

    /* 2 0 3 1 by a group. */
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 4, (int[]){2, 0, 3, 1}, &group);
    // expect all: MPI_Comm_create all num 1 bytes 0
    MPI_Comm_create(WORLD, group, &comm);
    around(comm);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);

    /* The same members as pairs 0 2 and 1 3, without the others' help. */
    MPI_Group_incl(world, 2, rank % 2 ? (int[]){1, 3} : (int[]){0, 2}, &group);
    // expect all: MPI_Comm_create_group all num 1 bytes 0
    MPI_Comm_create_group(WORLD, group, 5, &comm);
    around(comm);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);
    MPI_Group_free(&group);
    MPI_Group_free(&world);

    /* A grid's columns: 0 2 and 1 3. */
    // expect all: MPI_Cart_create all num 1 bytes 0
    MPI_Cart_create(WORLD, 2, (int[]){2, 2}, (int[]){0, 0}, 0, &grid);
    // expect all: MPI_Cart_sub all num 1 bytes 0
    MPI_Cart_sub(grid, (int[]){1, 0}, &row);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&grid);

    // expect all: MPI_Comm_dup_with_info all num 1 bytes 0
    MPI_Comm_dup_with_info(row, info, &comm);
    // expect all: MPI_Comm_set_info all num 1 bytes 0
    MPI_Comm_set_info(comm, info);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&row);
    // expect all: MPI_Comm_idup all num 1 bytes 0
    MPI_Comm_idup(comm, &row, &request);
    // expect all: MPI_Wait all num 1 bytes 0
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);
    /* Pairs once more: in a ring of two, next and previous are the same. */
    around(row);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&row);

    // expect all: MPI_Comm_split_type all num 1 bytes 0
    MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
    around(comm); /* one host: all of them in order */
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&comm);
    MPI_Info_free(&info);
}

/* Two groups that see each other by their ranks in the other one: {0, 2} and {3, 1}. */
// expect procedure between_groups
static void between_groups(void)
{
    MPI_Comm half, inter, merged;
    int even = rank % 2 == 0, me;
    MPI_Request requests[2];
    // expect all: MPI_Comm_split all num 1 bytes 0
    MPI_Comm_split(WORLD, even, even ? rank : -rank, &half);
    MPI_Comm_rank(half, &me);
    // expect all: MPI_Intercomm_create all num 1 bytes 0
    MPI_Intercomm_create(half, 0, WORLD, even ? 3 : 0, 1, &inter);
    for (int i = 0; i < 5; i++)
        /* 0 <-> 3, 2 <-> 1 */
        // expect all: MPI_Sendrecv to 3-r num 10 bytes 10*4
        MPI_Sendrecv(a, 1, MPI_INT, me, 2, b, 1, MPI_INT, me, 2, inter, MPI_STATUS_IGNORE);
    // expect all: MPI_Irecv from 3-r num 1 bytes 12
    MPI_Irecv(b, 10, MPI_INT, MPI_ANY_SOURCE, 3, inter, &requests[0]);
    // expect all: MPI_Isend to 3-r num 1 bytes 12
    MPI_Isend(a, 3, MPI_INT, me, 3, inter, &requests[1]);
    // expect all: MPI_Waitall to 3-r num 2 bytes 0
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);

    /* From rank 2 to the odd ones; rank 0 has nothing to do with it. */
    // expect 2: MPI_Bcast all num 1 bytes 20
    // expect 0: MPI_Bcast all num 1 bytes 0
    // expect 1,3: MPI_Bcast all num 1 bytes 20
    MPI_Bcast(a, 5, MPI_INT, !even ? 1 : me == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
    // expect 2: MPI_Reduce all num 1 bytes 0
    // expect 0: MPI_Reduce all num 1 bytes 0
    // expect 1,3: MPI_Reduce all num 1 bytes 20
    MPI_Reduce(a, b, 5, MPI_INT, MPI_SUM, !even ? 1 : me == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
    // expect 2: MPI_Gather all num 1 bytes 0
    // expect 0: MPI_Gather all num 1 bytes 0
    // expect 1,3: MPI_Gather all num 1 bytes 8
    MPI_Gather(a, 2, MPI_INT, b, 2, MPI_INT, !even ? 1 : me == 1 ? MPI_ROOT : MPI_PROC_NULL, inter);
    // expect all: MPI_Allreduce all num 1 bytes 4
    MPI_Allreduce(a, b, 1, MPI_INT, MPI_SUM, inter);
    // expect all: MPI_Allgather all num 1 bytes 8
    MPI_Allgather(a, 2, MPI_INT, b, 2, MPI_INT, inter);
    // expect all: MPI_Alltoall all num 1 bytes 2*8
    MPI_Alltoall(a, 2, MPI_INT, b, 2, MPI_INT, inter);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(inter);

    /* 0 2 3 1 */
    // expect all: MPI_Intercomm_merge all num 1 bytes 0
    MPI_Intercomm_merge(inter, !even, &merged);
    // expect 0: MPI_Recv from 1 num 1 bytes 4
    // expect 2: MPI_Recv from 0 num 1 bytes 4
    // expect 3: MPI_Recv from 2 num 1 bytes 4
    // expect 1: MPI_Recv from 3 num 1 bytes 4
    // expect 0: MPI_Send to 2 num 1 bytes 4
    // expect 2: MPI_Send to 3 num 1 bytes 4
    // expect 3: MPI_Send to 1 num 1 bytes 4
    // expect 1: MPI_Send to 0 num 1 bytes 4
    MPI_Comm_rank(merged, &me), MPI_Send(a, 1, MPI_INT, (me + 1) % 4, 4, merged), MPI_Recv(b, 1, MPI_INT, (me + 3) % 4, 4, merged, MPI_STATUS_IGNORE);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&merged);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&inter);
    // expect all: MPI_Comm_free all num 1 bytes 0
    MPI_Comm_free(&half);
}

/* Handles come back: the same handle is now a pair, now a reversed world. The partner is never the one of before. */
// expect procedure by_the_thousand
static void by_the_thousand(void)
{
    for (int i = 0; i < 1000; i++) {
        MPI_Comm comm;
        int me, n;
        // expect all: MPI_Comm_split calls 1000 all num 1000 bytes 0
        MPI_Comm_split(WORLD, i % 2 ? rank / 2 : 0, i % 2 ? rank : -rank, &comm);
        MPI_Comm_rank(comm, &me);
        MPI_Comm_size(comm, &n);
        /* Pairs 0 1 and 2 3; reversed world: to r-1, from r+1. */
        // expect 0: MPI_Sendrecv to 1 num 1500 bytes 6000, to 3 num 500 bytes 2000
        // expect 1: MPI_Sendrecv to 0 num 1500 bytes 6000, from 2 num 500 bytes 2000
        // expect 2: MPI_Sendrecv to 1 num 500 bytes 2000, from 3 num 1500 bytes 6000
        // expect 3: MPI_Sendrecv to 2 num 1500 bytes 6000, from 0 num 500 bytes 2000
        MPI_Sendrecv(a, 1, MPI_INT, (me + 1) % n, 5, b, 1, MPI_INT, (me + n - 1) % n, 5, comm, MPI_STATUS_IGNORE);
        // expect all: MPI_Comm_free calls 1000 all num 1000 bytes 0
        MPI_Comm_free(&comm);
    }
}

/* A communicator that is freed while a receive on it is under way: who sent is still known when it is complete. */
// expect procedure freed_early
static void freed_early(void)
{
    for (int i = 0; i < 10; i++) {
        MPI_Comm comm, next;
        MPI_Request request;
        int me;
        // expect all: MPI_Comm_split all num 10 bytes 0
        MPI_Comm_split(WORLD, 0, -rank, &comm);
        MPI_Comm_rank(comm, &me);
        // expect all: MPI_Irecv from (r+1)%P num 10 bytes 40
        MPI_Irecv(b, 1, MPI_INT, MPI_ANY_SOURCE, 6, comm, &request);
        // expect all: MPI_Send to (r+3)%P num 10 bytes 40
        MPI_Send(a, 1, MPI_INT, (me + 1) % size, 6, comm);
        // expect all: MPI_Comm_free all num 10 bytes 0
        MPI_Comm_free(&comm);
        // expect all: MPI_Comm_dup all num 10 bytes 0
        MPI_Comm_dup(MPI_COMM_SELF, &next);
        // expect all: MPI_Sendrecv to r num 20 bytes 80
        MPI_Sendrecv(a, 1, MPI_INT, 0, 7, b + 10, 1, MPI_INT, 0, 7, next, MPI_STATUS_IGNORE);
        // expect all: MPI_Wait from (r+1)%P num 10 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect all: MPI_Comm_free all num 10 bytes 0
        MPI_Comm_free(&next);
    }
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    made_in_all_ways();
    between_groups();
    by_the_thousand();
    freed_early();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
