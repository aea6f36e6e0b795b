/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators other than the world: ranks are others there, and messages and collectives of one are not those of
 * another.
 */
#include "waits.h"

#define IGNORE MPI_STATUS_IGNORE

/* Ranks in reverse: 3 is 0. */
static void reversed(void)
{
    MPI_Comm comm;
    MPI_Comm_split(WORLD, 0, -rank, &comm);
    begin("reversed");
    if (rank == 3) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 3, 0, comm));
    } else if (rank == 0) {
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 0, comm, IGNORE));
    }
    WAITS("late sender", 0, "recv", 3, "send");
    begin("reversed_bcast");
    if (rank == 3)
        DAWDLE;
    AT("bcast", MPI_Bcast(buffer, 1, MPI_INT, 0, comm));
    for (int r = 0; r < 3; r++)
        WAITS_ALL("late broadcast", r, "bcast", 3, "bcast", "dawdle");
    MPI_Comm_free(&comm);
}

/* Two groups with a barrier of their own: no rank waits for the other group. */
static void halves(void)
{
    MPI_Comm half;
    MPI_Comm_split(WORLD, rank / 2, 0, &half);
    begin("halves");
    if (rank == 1)
        DAWDLE;
    AT("barrier", MPI_Barrier(half));
    WAITS_ALL("wait at barrier", 0, "barrier", 1, "barrier", "dawdle");
    MPI_Comm_free(&half);
}

/* The same tag on two communicators of the same ranks: the message on the one lies there, that on the other is late. */
static void duplicate(void)
{
    MPI_Comm twin;
    MPI_Comm_dup(WORLD, &twin);
    begin("duplicate");
    if (rank == 0) {
        AT("early", MPI_Send(buffer, 1, MPI_INT, 1, 0, twin));
        late();
        AT("late", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        pass_ms(10);
        AT("world", MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE));
        AT("twin", MPI_Recv(buffer, 1, MPI_INT, 0, 0, twin, IGNORE));
    }
    WAITS("wrong order", 1, "world", 0, "late");
    begin("duplicate_allreduce");
    if (rank == 2)
        DAWDLE;
    AT("allreduce", MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_SUM, twin));
    for (int r = 0; r < RANKS; r++)
        if (r != 2)
            WAITS_ALL("wait at N-to-N", r, "allreduce", 2, "allreduce", "dawdle");
    MPI_Comm_free(&twin);
}

/* Ranks 3 and 1 alone, in this order. */
static void created(void)
{
    MPI_Group world, group;
    MPI_Comm pair;
    int members[] = {3, 1};
    MPI_Comm_group(WORLD, &world);
    MPI_Group_incl(world, 2, members, &group);
    MPI_Comm_create(WORLD, group, &pair);
    begin("created");
    if (rank == 3) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, pair));
    } else if (rank == 1) {
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 0, pair, IGNORE));
    }
    WAITS("late sender", 1, "recv", 3, "send");
    begin("created_reduce");
    if (rank == 1)
        DAWDLE;
    if (pair != MPI_COMM_NULL)
        AT("reduce", MPI_Reduce(buffer, other, 1, MPI_INT, MPI_SUM, 0, pair));
    WAITS_ALL("early reduce", 3, "reduce", 1, "reduce", "dawdle");
    if (pair != MPI_COMM_NULL)
        MPI_Comm_free(&pair);
    MPI_Group_free(&group);
    MPI_Group_free(&world);
}

/* Ranks 0 and 1 here, 2 and 3 there: a partner's number is that in the other group. */
static void between_groups(void)
{
    MPI_Comm half, bridge;
    MPI_Comm_split(WORLD, rank / 2, 0, &half);
    MPI_Intercomm_create(half, 0, WORLD, rank < 2 ? 2 : 0, 99, &bridge);
    begin("between_groups");
    if (rank == 3) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 0, 0, bridge));
    } else if (rank == 0) {
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 1, 0, bridge, IGNORE));
    }
    WAITS("late sender", 0, "recv", 3, "send");
    begin("between_groups_ssend");
    if (rank == 1) {
        AT("ssend", MPI_Ssend(buffer, 1, MPI_INT, 0, 0, bridge));
    } else if (rank == 2) {
        late();
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 1, 0, bridge, IGNORE));
    }
    WAITS("late receiver", 1, "ssend", 2, "recv");
    MPI_Comm_free(&bridge);
    MPI_Comm_free(&half);
}

/* A freed communicator's handle may come back for another one. */
static void again_and_again(void)
{
    for (int i = 0; i < 5; i++) {
        MPI_Comm comm;
        MPI_Comm_split(WORLD, rank % 2, i % 2 ? -rank : rank, &comm);
        MPI_Barrier(comm);
        MPI_Comm_free(&comm);
    }
    MPI_Comm comm;
    MPI_Comm_split(WORLD, rank % 2, -rank, &comm);
    begin("again_and_again");
    if (rank == 3)
        DAWDLE;
    AT("bcast", MPI_Bcast(buffer, 1, MPI_INT, 0, comm));
    WAITS_ALL("late broadcast", 1, "bcast", 3, "bcast", "dawdle");
    MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    reversed();
    halves();
    duplicate();
    created();
    between_groups();
    again_and_again();
    finish();
    return 0;
}
