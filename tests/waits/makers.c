/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Intercommunicators, and calls that make a communicator of some ranks, or make it meanwhile.
 */
#include "waits.h"

/* Ranks 0 and 2, and ranks 1 and 3. */
static MPI_Comm half, between;

static void begin_late(const char *name, int who)
{
    begin(name);
    if (rank == who)
        DAWDLE;
}

/* Ranks first and second wait, and a third one if it is not negative. */
static void they_wait(const char *kind, const char *at, int who, int first, int second, int third)
{
    int waiters[] = {first, second, third};
    for (int i = 0; i < 3; i++)
        if (waiters[i] >= 0)
            WAITS_ALL(kind, waiters[i], at, who, at, "dawdle");
}

static void intercomm_create(void)
{
    begin_late("intercomm_create", 1);
    AT("create", MPI_Intercomm_create(half, 0, WORLD, 1 - rank % 2, 7, &between));
    they_wait("wait at N-to-N", "create", 1, 0, 2, 3);
}

/* No library lets the late one's own side go before. */
static void allreduce(void)
{
    begin_late("allreduce", 3);
    AT("allreduce", MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_SUM, between));
    they_wait("wait at N-to-N", "allreduce", 3, 0, 1, 2);
}

static void barrier(void)
{
    begin_late("inter_barrier", 2);
    AT("barrier", MPI_Barrier(between));
    they_wait("wait at barrier", "barrier", 2, 0, 1, 3);
}

static void broadcast(void)
{
    begin_late("inter_bcast", 0);
    AT("bcast", MPI_Bcast(buffer, 1, MPI_INT, rank % 2 == 1 ? 0 : rank == 0 ? MPI_ROOT : MPI_PROC_NULL, between));
    they_wait("late broadcast", "bcast", 0, 1, 3, -1);
}

static void merge(void)
{
    MPI_Comm merged;
    begin_late("merge", 2);
    AT("merge", MPI_Intercomm_merge(between, rank % 2, &merged));
    they_wait("wait at N-to-N", "merge", 2, 0, 1, 3);
    MPI_Comm_free(&merged);
}

/* Ranks 0 to 2. */
static void create_group(void)
{
    begin_late("create_group", 1);
    MPI_Group world, some;
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 3, (int[]){0, 1, 2}, &some);
    if (rank < 3) {
        AT("create", MPI_Comm_create_group(WORLD, some, 5, &made));
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&some);
    MPI_Group_free(&world);
    they_wait("wait at N-to-N", "create", 1, 0, 2, -1);
}

static void idup(void)
{
    MPI_Comm made;
    MPI_Request request;
    begin_late("idup", 3);
    AT("idup", MPI_Comm_idup(WORLD, &made, &request));
    AT("wait", MPI_Wait(&request, MPI_STATUS_IGNORE));
    MPI_Comm_free(&made);
    for (int r = 0; r < 3; r++)
        WAITS_ALL("wait at N-to-N", r, "wait", 3, "idup", "dawdle");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    MPI_Comm_split(WORLD, rank % 2, rank, &half);
    intercomm_create();
    allreduce();
    barrier();
    broadcast();
    merge();
    create_group();
    idup();
    begin("freed");
    MPI_Comm_free(&between);
    MPI_Comm_free(&half);
    finish();
}
