/* SPDX-License-Identifier: BSD-3-Clause
 *
 * To be run with probes of rank 0 that are far slower than the others' (WEFT_TEST_DELAY, see delayed.sh). Watching
 * hides the waits of the cases that are named hidden, and makes up those that are named invented: virtual time must
 * have the former and not the latter. A mark in front of probes() is the moment at which the statement would be reached
 * without watching.
 */
#include "waits.h"

#define IGNORE MPI_STATUS_IGNORE

/* Takes no time but that of watching it. */
static int probes(void)
{
    for (int i = 0; i < 500; i++)
        MPI_Send(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
    return 0;
}

/* Behind probes(): the same statement, and the moment before them. */
#define AT_AFTER_PROBES(name, call) AT(name, (probes(), call))

static void hidden_late_sender(void)
{
    begin("hidden_late_sender");
    if (rank == 0) {
        AT_AFTER_PROBES("recv", MPI_Recv(buffer, 1, MPI_INT, 1, 0, WORLD, IGNORE));
    } else if (rank == 1) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 0, 0, WORLD));
    }
    WAITS("late sender", 0, "recv", 1, "send");
}

static void hidden_late_isend(void)
{
    MPI_Request request;
    begin("hidden_late_isend");
    if (rank == 0) {
        AT("irecv", MPI_Irecv(buffer, 1, MPI_INT, 1, 0, WORLD, &request));
        AT_AFTER_PROBES("wait", MPI_Wait(&request, IGNORE));
    } else if (rank == 1) {
        late();
        AT("isend", MPI_Isend(buffer, 1, MPI_INT, 0, 0, WORLD, &request));
        AT("sent", MPI_Wait(&request, IGNORE));
    }
    WAITS("late sender", 0, "wait", 1, "isend");
}

static void hidden_late_receiver(void)
{
    begin("hidden_late_receiver");
    if (rank == 0) {
        AT_AFTER_PROBES("ssend", MPI_Ssend(buffer, 1, MPI_INT, 3, 0, WORLD));
    } else if (rank == 3) {
        late();
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE));
    }
    WAITS("late receiver", 0, "ssend", 3, "recv");
}

/* All ranks are seen to wait for rank 0, and would wait for rank 2, as rank 0 itself. */
static void hidden_late_member(void)
{
    begin("hidden_late_member");
    if (rank == 2)
        DAWDLE;
    if (rank == 0)
        AT_AFTER_PROBES("barrier", MPI_Barrier(WORLD));
    else
        AT("barrier", MPI_Barrier(WORLD));
    for (int r = 0; r < RANKS; r++)
        if (r != 2)
            WAITS_ALL("wait at barrier", r, "barrier", 2, "barrier", "dawdle");
}

static void invented_late_sender(void)
{
    begin("invented_late_sender");
    if (rank == 0) {
        AT_AFTER_PROBES("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        late();
        AT("invented", MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE));
    }
}

static void invented_late_receiver(void)
{
    begin("invented_late_receiver");
    if (rank == 0) {
        AT_AFTER_PROBES("recv", MPI_Recv(buffer, LARGE, MPI_INT, 3, 0, WORLD, IGNORE));
    } else if (rank == 3) {
        late();
        AT("invented", MPI_Send(buffer, LARGE, MPI_INT, 0, 0, WORLD));
    }
    WAITS("late sender", 0, "recv", 3, "invented");
}

/* Rank 3 need not wait for rank 0's probes to be sent its message, but with some MPI libraries it does; what it sends
 * then is late for rank 2. */
static void invented_by_small_send(void)
{
    begin("invented_by_small_send");
    if (rank == 0) {
        AT_AFTER_PROBES("recv", MPI_Recv(buffer, SMALL, MPI_INT, 3, 0, WORLD, IGNORE));
    } else if (rank == 3) {
        late();
        AT("send", MPI_Send(buffer, SMALL, MPI_INT, 0, 0, WORLD));
        MPI_Send(buffer, 1, MPI_INT, 2, 0, WORLD);
    } else if (rank == 2) {
        pass_ms(LATE_MS + 10);
        AT("behind it", MPI_Recv(buffer, 1, MPI_INT, 3, 0, WORLD, IGNORE));
    }
    WAITS("late sender", 0, "recv", 3, "send");
}

/* Rank 0 would wait for the others, who come together: which of them is last is luck, so its own statement is not
 * marked. */
static void invented_late_member(void)
{
    begin("invented_late_member");
    if (rank == 0) {
        probes();
        MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_SUM, WORLD);
    } else if (rank == 1) {
        pass_ms(LATE_MS + 10);
        AT("invented", MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_SUM, WORLD));
    } else {
        late();
        MPI_Allreduce(buffer, other, 1, MPI_INT, MPI_SUM, WORLD);
    }
}

/* What rank 0's probes cost reaches rank 2 by way of rank 1, which waits in both runs. */
static void invented_through_another(void)
{
    begin("invented_through_another");
    if (rank == 0) {
        AT_AFTER_PROBES("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE);
        AT("pass on", MPI_Send(buffer, 1, MPI_INT, 2, 0, WORLD));
    } else if (rank == 2) {
        late();
        AT("invented", MPI_Recv(buffer, 1, MPI_INT, 1, 0, WORLD, IGNORE));
    }
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    hidden_late_sender();
    hidden_late_isend();
    hidden_late_receiver();
    hidden_late_member();
    invented_late_sender();
    invented_late_receiver();
    invented_by_small_send();
    invented_late_member();
    invented_through_another();
    finish();
    return 0;
}
