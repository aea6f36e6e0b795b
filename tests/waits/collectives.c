/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Collectives: who waits for whom depends on which. In each, one member or the root is late.
 */
#include "waits.h"

#define IGNORE MPI_STATUS_IGNORE

/* Rank `who` is late. */
static void begin_late(const char *name, int who)
{
    begin(name);
    if (rank == who)
        DAWDLE;
}

/* All but the late one wait for it. */
static void all_wait(const char *kind, const char *at, int who, const char *come)
{
    for (int r = 0; r < RANKS; r++)
        if (r != who)
            WAITS_ALL(kind, r, at, who, come, "dawdle");
}

static void barrier(void)
{
    begin_late("barrier", 2);
    AT("barrier", MPI_Barrier(WORLD));
    all_wait("wait at barrier", "barrier", 2, "barrier");
}

/* Of two late ones, the later one is the culprit. */
static void two_are_late(void)
{
    begin_late("two_are_late", 1);
    if (rank == 3)
        pass_ms(20);
    AT("barrier", MPI_Barrier(WORLD));
    all_wait("wait at barrier", "barrier", 1, "barrier");
}

static void late_broadcast(void)
{
    begin_late("late_broadcast", 1);
    AT("bcast", MPI_Bcast(buffer, 1, MPI_INT, 1, WORLD));
    all_wait("late broadcast", "bcast", 1, "bcast");
}

/* The root does not wait, and its members have all there when they come. */
static void late_members_of_bcast(void)
{
    begin("late_members_of_bcast");
    if (rank != 0)
        DAWDLE;
    AT("bcast", MPI_Bcast(buffer, 1, MPI_INT, 0, WORLD));
}

static void late_scatter(void)
{
    begin_late("late_scatter", 0);
    AT("scatter", MPI_Scatter(buffer, 1, MPI_INT, other, 1, MPI_INT, 0, WORLD));
    all_wait("late broadcast", "scatter", 0, "scatter");
}

/* Only the root waits: the others' part is done when they have sent theirs. */
static void early_reduce(void)
{
    begin_late("early_reduce", 2);
    AT("reduce", MPI_Reduce(buffer, other, 1, MPI_INT, MPI_SUM, 0, WORLD));
    WAITS_ALL("early reduce", 0, "reduce", 2, "reduce", "dawdle");
}

static void late_root_of_reduce(void)
{
    begin_late("late_root_of_reduce", 3);
    AT("reduce", MPI_Reduce(buffer, other, 1, MPI_INT, MPI_SUM, 3, WORLD));
}

static void early_gather(void)
{
    begin_late("early_gather", 1);
    AT("gather", MPI_Gather(buffer, 1, MPI_INT, other, 1, MPI_INT, 3, WORLD));
    WAITS_ALL("early reduce", 3, "gather", 1, "gather", "dawdle");
}

static void allreduce(void)
{
    begin_late("allreduce", 0);
    AT("allreduce", MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_SUM, WORLD));
    all_wait("wait at N-to-N", "allreduce", 0, "allreduce");
}

static void allgather(void)
{
    begin_late("allgather", 3);
    AT("allgather", MPI_Allgather(buffer, 1, MPI_INT, other, 1, MPI_INT, WORLD));
    all_wait("wait at N-to-N", "allgather", 3, "allgather");
}

static void alltoall(void)
{
    begin_late("alltoall", 1);
    AT("alltoall", MPI_Alltoall(buffer, 1, MPI_INT, other, 1, MPI_INT, WORLD));
    all_wait("wait at N-to-N", "alltoall", 1, "alltoall");
}

static void large_allreduce(void)
{
    begin_late("large_allreduce", 2);
    AT("allreduce", MPI_Allreduce(buffer, other, LARGE, MPI_INT, MPI_SUM, WORLD));
    all_wait("wait at N-to-N", "allreduce", 2, "allreduce");
}

/* No data, no wait. */
static void empty_allreduce(void)
{
    begin_late("empty_allreduce", 1);
    AT("allreduce", MPI_Allreduce(buffer, other, 0, MPI_INT, MPI_SUM, WORLD));
}

/* Whether rank 0 waits is the library's choice. */
static void scan(void)
{
    begin_late("scan", 1);
    if (rank == 0)
        MPI_Scan(buffer, other, 1, MPI_INT, MPI_SUM, WORLD);
    else
        AT("scan", MPI_Scan(buffer, other, 1, MPI_INT, MPI_SUM, WORLD));
    for (int r = 2; r < RANKS; r++)
        WAITS_ALL("wait at scan", r, "scan", 1, "scan", "dawdle");
}

static void exscan(void)
{
    begin_late("exscan", 0);
    AT("exscan", MPI_Exscan(buffer, other, 1, MPI_INT, MPI_SUM, WORLD));
    for (int r = 1; r < RANKS; r++)
        WAITS_ALL("wait at scan", r, "exscan", 0, "exscan", "dawdle");
}

/* In a row of four, only the neighbour of the late one waits. */
static void neighbours(void)
{
    MPI_Comm row;
    int dimension = RANKS, periodic = 0;
    MPI_Cart_create(WORLD, 1, &dimension, &periodic, 0, &row);
    begin_late("neighbours", 0);
    AT("exchange", MPI_Neighbor_allgather(buffer, 1, MPI_INT, other, 1, MPI_INT, row));
    WAITS_ALL("wait at neighbour", 1, "exchange", 0, "exchange", "dawdle");
    MPI_Comm_free(&row);
}

/* Started and waited for: who is late is late to start. */

static void ibarrier(void)
{
    MPI_Request request;
    begin_late("ibarrier", 3);
    AT("ibarrier", MPI_Ibarrier(WORLD, &request));
    AT("wait", MPI_Wait(&request, IGNORE));
    all_wait("wait at barrier", "wait", 3, "ibarrier");
}

static void ibcast(void)
{
    MPI_Request request;
    begin_late("ibcast", 0);
    AT("ibcast", MPI_Ibcast(buffer, 1, MPI_INT, 0, WORLD, &request));
    AT("wait", MPI_Wait(&request, IGNORE));
    all_wait("late broadcast", "wait", 0, "ibcast");
}

static void iallreduce(void)
{
    MPI_Request request;
    begin_late("iallreduce", 1);
    AT("iallreduce", MPI_Iallreduce(buffer, other, 1, MPI_INT, MPI_SUM, WORLD, &request));
    AT("wait", MPI_Wait(&request, IGNORE));
    all_wait("wait at N-to-N", "wait", 1, "iallreduce");
}

/* All have started it, and then computed for longer than it takes. */
static void overlapped(void)
{
    MPI_Request request;
    begin("overlapped");
    AT("ibarrier", MPI_Ibarrier(WORLD, &request));
    pass_ms(rank == 2 ? 2 * LATE_MS : LATE_MS);
    AT("wait", MPI_Wait(&request, IGNORE));
}

#if MPI_VERSION >= 4
static void persistent_barrier(void)
{
    MPI_Request request;
    MPI_Barrier_init(WORLD, MPI_INFO_NULL, &request);
    begin_late("persistent_barrier", 2);
    AT("start", MPI_Start(&request));
    AT("wait", MPI_Wait(&request, IGNORE));
    all_wait("wait at barrier", "wait", 2, "start");
    MPI_Request_free(&request);
}
#else
static void persistent_barrier(void)
{
}
#endif

int main(int argc, char **argv)
{
    start(&argc, &argv);
    barrier();
    two_are_late();
    late_broadcast();
    late_members_of_bcast();
    late_scatter();
    early_reduce();
    late_root_of_reduce();
    early_gather();
    allreduce();
    allgather();
    alltoall();
    large_allreduce();
    empty_allreduce();
    scan();
    exscan();
    neighbours();
    ibarrier();
    ibcast();
    iallreduce();
    overlapped();
    persistent_barrier();
    finish();
    return 0;
}
