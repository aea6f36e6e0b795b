/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends and receives that are started and waited for, once and again (persistent). The wait is where the completion is
 * waited for; who came late came to the statement that started the other half, or that blocks in it.
 */
#include "waits.h"

#define IGNORE MPI_STATUS_IGNORE

static MPI_Request request, requests[16];

static void late_isend(void)
{
    begin("late_isend");
    if (rank == 0) {
        late();
        AT("isend", MPI_Isend(buffer, 1, MPI_INT, 1, 0, WORLD, &request));
        AT("sent", MPI_Wait(&request, IGNORE));
    } else if (rank == 1) {
        AT("irecv", MPI_Irecv(buffer, 1, MPI_INT, 0, 0, WORLD, &request));
        AT("wait", MPI_Wait(&request, IGNORE));
    }
    WAITS("late sender", 1, "wait", 0, "isend");
}

static void late_irecv_of_issend(void)
{
    begin("late_irecv_of_issend");
    if (rank == 0) {
        AT("issend", MPI_Issend(buffer, 1, MPI_INT, 1, 0, WORLD, &request));
        AT("wait", MPI_Wait(&request, IGNORE));
    } else if (rank == 1) {
        late();
        AT("irecv", MPI_Irecv(buffer, 1, MPI_INT, 0, 0, WORLD, &request));
        AT("received", MPI_Wait(&request, IGNORE));
    }
    WAITS("late receiver", 0, "wait", 1, "irecv");
}

static void late_recv_of_large_isend(void)
{
    begin("late_recv_of_large_isend");
    if (rank == 2) {
        AT("isend", MPI_Isend(buffer, LARGE, MPI_INT, 3, 0, WORLD, &request));
        AT("wait", MPI_Wait(&request, IGNORE));
    } else if (rank == 3) {
        late();
        AT("recv", MPI_Recv(buffer, LARGE, MPI_INT, 2, 0, WORLD, IGNORE));
    }
    WAITS("late receiver", 2, "wait", 3, "recv");
}

/* A receive that was posted in time is no use before its rank is in MPI again. */
static void late_wait_of_irecv(void)
{
    begin("late_wait_of_irecv");
    if (rank == 0 || rank == 2)
        pass_ms(5);
    if (rank == 0) {
        AT("send", MPI_Send(buffer, LARGE, MPI_INT, 1, 0, WORLD));
    } else if (rank == 2) {
        AT("isend", MPI_Isend(buffer, LARGE, MPI_INT, 3, 0, WORLD, &request));
        AT("sent", MPI_Waitall(1, &request, MPI_STATUSES_IGNORE));
    } else {
        AT("irecv", MPI_Irecv(buffer, LARGE, MPI_INT, rank - 1, 0, WORLD, &request));
        late();
        AT("wait", MPI_Wait(&request, IGNORE));
    }
    WAITS("late receiver", 0, "send", 1, "wait");
    WAITS("late receiver", 2, "sent", 3, "wait");
}

/* Where the MPI library waits, it waits for the receiver. */
static void late_recv_of_small_isend(void)
{
    begin("late_recv_of_small_isend");
    int64_t since = now_ns();
    if (rank == 0) {
        AT("isend", MPI_Isend(buffer, SMALL, MPI_INT, 3, 0, WORLD, &request));
        AT("wait", MPI_Wait(&request, IGNORE));
    } else if (rank == 3) {
        late();
        AT("recv", MPI_Recv(buffer, SMALL, MPI_INT, 0, 0, WORLD, IGNORE));
    }
    if (now_ns() - since > LATE_MS * INT64_C(500000))
        WAITS("late receiver", 0, "wait", 3, "recv");
}

/* A persistent send, however small, may wait as well. */
static void late_recv_of_small_persistent(void)
{
    begin("late_recv_of_small_persistent");
    int64_t since = now_ns();
    if (rank == 1) {
        MPI_Send_init(buffer, 1, MPI_INT, 2, 0, WORLD, &request);
        MPI_Start(&request);
        AT("wait", MPI_Wait(&request, IGNORE));
        MPI_Request_free(&request);
    } else if (rank == 2) {
        late();
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 1, 0, WORLD, IGNORE));
    }
    if (has_waited(1, now_ns() - since))
        WAITS("late receiver", 1, "wait", 2, "recv");
}

/* All need the receiver in MPI, and no more than that: its first receive is the end of all waits. */
static void one_is_away(void)
{
    begin("one_is_away");
    int64_t since = now_ns();
    if (rank > 0) {
        AT("send", MPI_Send(buffer, SMALL, MPI_INT, 0, 0, WORLD));
    } else {
        late();
        AT("first", MPI_Recv(buffer, SMALL, MPI_INT, 1, 0, WORLD, IGNORE));
        pass_ms(LATE_MS / 2);
        for (int r = 2; r < RANKS; r++)
            MPI_Recv(buffer, SMALL, MPI_INT, r, 0, WORLD, IGNORE);
    }
    int64_t took = now_ns() - since;
    for (int r = 1; r < RANKS; r++)
        if (has_waited(r, took))
            WAITS("late receiver", r, "send", 0, "first");
}

/* A neighbour's next message is there before the late one's: all are needed, in whatever order. */
static void halo_ahead(void)
{
    begin("halo_ahead");
    if (rank == 0 || rank == 2) {
        for (int step = 0; step < 2; step++) {
            if (rank == 0 && step == 0)
                late();
            AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
        }
    } else if (rank == 1) {
        for (int step = 0; step < 2; step++) {
            MPI_Irecv(buffer, 1, MPI_INT, 0, 0, WORLD, &requests[0]);
            MPI_Irecv(other, 1, MPI_INT, 2, 0, WORLD, &requests[1]);
            if (step == 0)
                AT("waitall", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            else
                MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
    WAITS("late sender", 1, "waitall", 0, "send");
}

/* The wait begins when the message is there already. */
static void overlapped(void)
{
    begin("overlapped");
    if (rank == 0) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        AT("irecv", MPI_Irecv(buffer, 1, MPI_INT, 0, 0, WORLD, &request));
        pass_ms(2 * LATE_MS);
        AT("wait", MPI_Wait(&request, IGNORE));
    }
}

/* Half of the time is computing: only the rest is a wait. */
static void half_overlapped(void)
{
    begin("half_overlapped");
    if (rank == 3) {
        pass_ms(2 * LATE_MS);
        AT("send", MPI_Send(buffer, 1, MPI_INT, 0, 0, WORLD));
    } else if (rank == 0) {
        AT("irecv", MPI_Irecv(buffer, 1, MPI_INT, 3, 0, WORLD, &request));
        late();
        AT("wait", MPI_Wait(&request, IGNORE));
    }
    WAITS("late sender", 0, "wait", 3, "send");
}

static void one_of_several(void)
{
    begin("one_of_several");
    if (rank == 2)
        late();
    if (rank > 0) {
        AT("send", MPI_Send(buffer, 1, MPI_INT, 0, 0, WORLD));
    } else {
        for (int r = 1; r < RANKS; r++)
            AT("irecv", MPI_Irecv(buffer + r, 1, MPI_INT, r, 0, WORLD, &requests[r]));
        AT("waitall", MPI_Waitall(RANKS - 1, requests + 1, MPI_STATUSES_IGNORE));
    }
    WAITS("late sender", 0, "waitall", 2, "send");
}

static void one_after_the_other(void)
{
    int index;
    begin("one_after_the_other");
    if (rank > 1) {
        pass_ms(rank == 3 ? LATE_MS : 2 * LATE_MS);
        AT("send", MPI_Send(buffer, 1, MPI_INT, 0, 0, WORLD));
    } else if (rank == 0) {
        for (int r = 2; r < RANKS; r++)
            AT("irecv", MPI_Irecv(buffer + r, 1, MPI_INT, r, 0, WORLD, &requests[r]));
        AT("first", MPI_Waitany(2, requests + 2, &index, IGNORE));
        AT("second", MPI_Waitany(2, requests + 2, &index, IGNORE));
    }
    WAITS("late sender", 0, "first", 3, "send");
    WAITS("late sender", 0, "second", 2, "send");
}

static void halo(void)
{
    int left = (rank + 3) % RANKS, right = (rank + 1) % RANKS;
    begin("halo");
    if (rank == 1)
        late();
    AT("from left", MPI_Irecv(other, 1, MPI_INT, left, 0, WORLD, &requests[0]));
    AT("from right", MPI_Irecv(other + 1, 1, MPI_INT, right, 1, WORLD, &requests[1]));
    AT("to right", MPI_Isend(buffer, 1, MPI_INT, right, 0, WORLD, &requests[2]));
    AT("to left", MPI_Isend(buffer, 1, MPI_INT, left, 1, WORLD, &requests[3]));
    AT("waitall", MPI_Waitall(4, requests, MPI_STATUSES_IGNORE));
    WAITS("late sender", 0, "waitall", 1, "to left");
    WAITS("late sender", 2, "waitall", 1, "to right");
}

static void irecv_any_source(void)
{
    begin("irecv_any_source");
    if (rank == 2) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 9, WORLD));
    } else if (rank == 1) {
        AT("irecv", MPI_Irecv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &request));
        AT("wait", MPI_Wait(&request, IGNORE));
    }
    WAITS("late sender", 1, "wait", 2, "send");
}

static void matched_irecv(void)
{
    MPI_Message message;
    begin("matched_irecv");
    if (rank == 0) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 3, WORLD));
    } else if (rank == 1) {
        AT("mprobe", MPI_Mprobe(0, 3, WORLD, &message, IGNORE));
        AT("imrecv", MPI_Imrecv(buffer, 1, MPI_INT, &message, &request));
        AT("wait", MPI_Wait(&request, IGNORE));
    }
    WAITS("late sender", 1, "mprobe", 0, "send");
}

/* Equal messages match in the order of the receives, not of their completions: the first wait here is for the last
 * message. */
static void sixteen_in_reverse(void)
{
    begin("sixteen_in_reverse");
    if (rank == 0) {
        for (int i = 0; i < 16; i++) {
            pass_ms(5);
            AT("isend", MPI_Isend(buffer + i, 1, MPI_INT, 1, 0, WORLD, &requests[i]));
        }
        AT("sent", MPI_Waitall(16, requests, MPI_STATUSES_IGNORE));
    } else if (rank == 1) {
        for (int i = 0; i < 16; i++)
            AT("irecv", MPI_Irecv(buffer + i, 1, MPI_INT, 0, 0, WORLD, &requests[i]));
        AT("last", MPI_Wait(&requests[15], IGNORE));
        for (int i = 14; i >= 0; i--)
            AT("others", MPI_Wait(&requests[i], IGNORE));
    }
    WAITS("late sender", 1, "last", 0, "isend");
}

/* And so with all of them there: no rank waits, and each finds its own header. */
static void sixteen_there(void)
{
    begin("sixteen_there");
    if (rank == 2) {
        for (int i = 0; i < 16; i++)
            AT("isend", MPI_Isend(buffer + i, 1, MPI_INT, 3, 0, WORLD, &requests[i]));
        for (int i = 15; i >= 0; i--)
            AT("sent", MPI_Wait(&requests[i], IGNORE));
    } else if (rank == 3) {
        late();
        for (int i = 0; i < 16; i++)
            AT("irecv", MPI_Irecv(buffer + i, 1, MPI_INT, 2, 0, WORLD, &requests[i]));
        for (int i = 15; i >= 0; i--)
            AT("wait", MPI_Wait(&requests[i], IGNORE));
    }
}

static void persistent_late_sender(void)
{
    begin("persistent_late_sender");
    if (rank == 0) {
        MPI_Send_init(buffer, 1, MPI_INT, 1, 0, WORLD, &request);
        late();
        AT("start", MPI_Start(&request));
        AT("sent", MPI_Wait(&request, IGNORE));
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Recv_init(buffer, 1, MPI_INT, 0, 0, WORLD, &request);
        AT("receive", MPI_Start(&request));
        AT("wait", MPI_Wait(&request, IGNORE));
        MPI_Request_free(&request);
    }
    WAITS("late sender", 1, "wait", 0, "start");
}

static void persistent_late_receiver(void)
{
    begin("persistent_late_receiver");
    if (rank == 0) {
        MPI_Ssend_init(buffer, 1, MPI_INT, 1, 0, WORLD, &request);
        AT("start", MPI_Start(&request));
        AT("wait", MPI_Wait(&request, IGNORE));
        MPI_Request_free(&request);
    } else if (rank == 1) {
        MPI_Recv_init(buffer, 1, MPI_INT, 0, 0, WORLD, &request);
        late();
        AT("receive", MPI_Start(&request));
        AT("received", MPI_Wait(&request, IGNORE));
        MPI_Request_free(&request);
    }
    WAITS("late receiver", 0, "wait", 1, "receive");
}

static void persistent_large(void)
{
    begin("persistent_large");
    if (rank == 2) {
        MPI_Send_init(buffer, LARGE, MPI_INT, 0, 0, WORLD, &request);
        AT("start", MPI_Start(&request));
        AT("wait", MPI_Wait(&request, IGNORE));
        MPI_Request_free(&request);
    } else if (rank == 0) {
        late();
        AT("recv", MPI_Recv(buffer, LARGE, MPI_INT, 2, 0, WORLD, IGNORE));
    }
    WAITS("late receiver", 2, "wait", 0, "recv");
}

/* The second round is late, the first is not. */
static void persistent_twice(void)
{
    begin("persistent_twice");
    int peer = rank ^ 1;
    if (rank < 2) {
        MPI_Recv_init(other, 1, MPI_INT, peer, 0, WORLD, &requests[0]);
        MPI_Send_init(buffer, 1, MPI_INT, peer, 0, WORLD, &requests[1]);
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            late();
        AT("startall", MPI_Startall(2, requests));
        AT("waitall", MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
        MPI_Request_free(&requests[0]);
        MPI_Request_free(&requests[1]);
    }
    WAITS("late sender", 1, "waitall", 0, "startall");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    late_isend();
    late_irecv_of_issend();
    late_recv_of_large_isend();
    late_wait_of_irecv();
    late_recv_of_small_isend();
    late_recv_of_small_persistent();
    one_is_away();
    halo_ahead();
    overlapped();
    half_overlapped();
    one_of_several();
    one_after_the_other();
    halo();
    irecv_any_source();
    matched_irecv();
    sixteen_in_reverse();
    sixteen_there();
    persistent_late_sender();
    persistent_late_receiver();
    persistent_large();
    persistent_twice();
    finish();
    return 0;
}
