/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sends and receives that block.
 */
#include "waits.h"

#define IGNORE MPI_STATUS_IGNORE

static void late_sender(void)
{
    begin("late_sender");
    if (rank == 0) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE));
    }
    WAITS("late sender", 1, "recv", 0, "send");
}

static void late_large_sender(void)
{
    begin("late_large_sender");
    if (rank == 2) {
        late();
        AT("send", MPI_Send(buffer, LARGE, MPI_INT, 3, 0, WORLD));
    } else if (rank == 3) {
        AT("recv", MPI_Recv(buffer, LARGE, MPI_INT, 2, 0, WORLD, IGNORE));
    }
    WAITS("late sender", 3, "recv", 2, "send");
}

static void late_receiver_of_ssend(void)
{
    begin("late_receiver_of_ssend");
    if (rank == 0) {
        AT("ssend", MPI_Ssend(buffer, 1, MPI_INT, 3, 0, WORLD));
    } else if (rank == 3) {
        late();
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE));
    }
    WAITS("late receiver", 0, "ssend", 3, "recv");
}

static void late_receiver_of_large_send(void)
{
    begin("late_receiver_of_large_send");
    if (rank == 3) {
        AT("send", MPI_Send(buffer, LARGE, MPI_INT, 0, 0, WORLD));
    } else if (rank == 0) {
        late();
        AT("recv", MPI_Recv(buffer, LARGE, MPI_INT, 3, 0, WORLD, IGNORE));
    }
    WAITS("late receiver", 3, "send", 0, "recv");
}

/* Where the MPI library waits, it waits for the receiver. */
static void late_receiver_of_small_send(void)
{
    begin("late_receiver_of_small_send");
    int64_t since = now_ns();
    if (rank == 0) {
        AT("send", MPI_Send(buffer, SMALL, MPI_INT, 3, 0, WORLD));
    } else if (rank == 3) {
        late();
        AT("recv", MPI_Recv(buffer, SMALL, MPI_INT, 0, 0, WORLD, IGNORE));
    }
    if (now_ns() - since > LATE_MS * INT64_C(500000))
        WAITS("late receiver", 0, "send", 3, "recv");
}

/* A send that ends at once does not wait, and a message that lay there long before is not waited for. */
static void no_rank_waits(void)
{
    begin("no_rank_waits");
    if (rank == 0) {
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        late();
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 0, WORLD, IGNORE));
    }
}

static void wrong_order(void)
{
    begin("wrong_order");
    if (rank == 0) {
        AT("first", MPI_Send(buffer, 1, MPI_INT, 1, 1, WORLD));
        late();
        AT("second", MPI_Send(buffer, 1, MPI_INT, 1, 2, WORLD));
    } else if (rank == 1) {
        pass_ms(10);
        AT("wrong", MPI_Recv(buffer, 1, MPI_INT, 0, 2, WORLD, IGNORE));
        AT("right", MPI_Recv(buffer, 1, MPI_INT, 0, 1, WORLD, IGNORE));
    }
    WAITS("wrong order", 1, "wrong", 0, "second");
}

/* The message that lies there is another sender's. */
static void wrong_sender(void)
{
    begin("wrong_sender");
    if (rank == 2) {
        AT("early", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 3) {
        late();
        AT("late", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        pass_ms(10);
        AT("wrong", MPI_Recv(buffer, 1, MPI_INT, 3, 0, WORLD, IGNORE));
        AT("right", MPI_Recv(buffer, 1, MPI_INT, 2, 0, WORLD, IGNORE));
    }
    WAITS("wrong order", 1, "wrong", 3, "late");
}

/* The other message is sent while the receive waits, */
static void wrong_order_meanwhile(void)
{
    begin("wrong_order_meanwhile");
    if (rank == 0) {
        late();
        AT("first", MPI_Send(buffer, 1, MPI_INT, 1, 1, WORLD));
        late();
        AT("second", MPI_Send(buffer, 1, MPI_INT, 1, 2, WORLD));
    } else if (rank == 1) {
        AT("wrong", MPI_Recv(buffer, 1, MPI_INT, 0, 2, WORLD, IGNORE));
        AT("right", MPI_Recv(buffer, 1, MPI_INT, 0, 1, WORLD, IGNORE));
    }
    WAITS("wrong order", 1, "wrong", 0, "second");
}

/* also right before, */
static void wrong_order_at_once(void)
{
    begin("wrong_order_at_once");
    if (rank == 0) {
        late();
        AT("first", MPI_Send(buffer, 1, MPI_INT, 1, 1, WORLD));
        AT("second", MPI_Send(buffer, 1, MPI_INT, 1, 2, WORLD));
    } else if (rank == 1) {
        AT("wrong", MPI_Recv(buffer, 1, MPI_INT, 0, 2, WORLD, IGNORE));
        AT("right", MPI_Recv(buffer, 1, MPI_INT, 0, 1, WORLD, IGNORE));
    }
    WAITS("wrong order", 1, "wrong", 0, "second");
}

/* and by another sender. */
static void wrong_sender_meanwhile(void)
{
    begin("wrong_sender_meanwhile");
    if (rank == 2) {
        late();
        AT("early", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 3) {
        late();
        late();
        AT("late", MPI_Send(buffer, 1, MPI_INT, 1, 0, WORLD));
    } else if (rank == 1) {
        AT("wrong", MPI_Recv(buffer, 1, MPI_INT, 3, 0, WORLD, IGNORE));
        AT("right", MPI_Recv(buffer, 1, MPI_INT, 2, 0, WORLD, IGNORE));
    }
    WAITS("wrong order", 1, "wrong", 3, "late");
}

/* What comes behind is no message in the wrong order. */
static void right_order(void)
{
    begin("right_order");
    if (rank == 0) {
        late();
        AT("first", MPI_Send(buffer, 1, MPI_INT, 1, 1, WORLD));
        AT("second", MPI_Send(buffer, 1, MPI_INT, 1, 2, WORLD));
    } else if (rank == 1) {
        AT("right", MPI_Recv(buffer, 1, MPI_INT, 0, 1, WORLD, IGNORE));
        AT("behind", MPI_Recv(buffer, 1, MPI_INT, 0, 2, WORLD, IGNORE));
    }
    WAITS("late sender", 1, "right", 0, "first");
}

static void tags_in_reverse(void)
{
    begin("tags_in_reverse");
    if (rank == 0) {
        for (int tag = 0; tag < 4; tag++) {
            AT("send", MPI_Send(buffer, 1, MPI_INT, 2, tag, WORLD));
            pass_ms(tag < 3 ? 20 : 0);
        }
    } else if (rank == 2) {
        pass_ms(5);
        AT("last", MPI_Recv(buffer, 1, MPI_INT, 0, 3, WORLD, IGNORE));
        for (int tag = 2; tag >= 0; tag--)
            AT("others", MPI_Recv(buffer, 1, MPI_INT, 0, tag, WORLD, IGNORE));
    }
    WAITS("wrong order", 2, "last", 0, "send");
}

static void pipeline(void)
{
    begin("pipeline");
    if (rank > 0)
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, rank - 1, 0, WORLD, IGNORE));
    late();
    if (rank < 3)
        AT("send", MPI_Send(buffer, 1, MPI_INT, rank + 1, 0, WORLD));
    for (int r = 1; r < RANKS; r++)
        WAITS("late sender", r, "recv", r - 1, "send");
}

static void sendrecv(void)
{
    begin("sendrecv");
    if (rank == 1)
        late();
    if (rank < 2)
        AT("both", MPI_Sendrecv(buffer, 1, MPI_INT, 1 - rank, 0, other, 1, MPI_INT, 1 - rank, 0, WORLD, IGNORE));
    WAITS("late sender", 0, "both", 1, "both");
}

/* Large, and one of the two sends before it receives: the other's receive is what it waits for. */
static void meeting(void)
{
    begin("meeting");
    if (rank == 0) {
        AT("send", MPI_Send(buffer, LARGE, MPI_INT, 1, 0, WORLD));
        AT("recv", MPI_Recv(other, LARGE, MPI_INT, 1, 0, WORLD, IGNORE));
    } else if (rank == 1) {
        late();
        AT("both", MPI_Sendrecv(buffer, LARGE, MPI_INT, 0, 0, other, LARGE, MPI_INT, 0, 0, WORLD, IGNORE));
    } else if (rank == 2) {
        AT("early", MPI_Sendrecv(buffer, LARGE, MPI_INT, 3, 0, other, LARGE, MPI_INT, 3, 0, WORLD, IGNORE));
    } else {
        late();
        AT("late", MPI_Sendrecv(buffer, LARGE, MPI_INT, 2, 0, other, LARGE, MPI_INT, 2, 0, WORLD, IGNORE));
    }
    WAITS("late receiver", 0, "send", 1, "both");
    WAITS("late sender", 2, "early", 3, "late");
}

/* A ring: each waits for the one before it, and only the one behind the late one waits. */
static void ring(void)
{
    int next = (rank + 1) % RANKS, before = (rank + 3) % RANKS;
    begin("ring");
    if (rank == 2)
        late();
    AT("ring", MPI_Sendrecv(buffer, 1, MPI_INT, next, 0, other, 1, MPI_INT, before, 0, WORLD, IGNORE));
    WAITS("late sender", 3, "ring", 2, "ring");
}

static void probe(void)
{
    begin("probe");
    if (rank == 0) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 1, 7, WORLD));
    } else if (rank == 1) {
        AT("probe", MPI_Probe(0, 7, WORLD, IGNORE));
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 0, 7, WORLD, IGNORE));
    }
    WAITS("late sender", 1, "probe", 0, "send");
}

static void matched_probe(void)
{
    MPI_Message message;
    begin("matched_probe");
    if (rank == 3) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 2, 7, WORLD));
    } else if (rank == 2) {
        AT("mprobe", MPI_Mprobe(3, 7, WORLD, &message, IGNORE));
        AT("mrecv", MPI_Mrecv(buffer, 1, MPI_INT, &message, IGNORE));
    }
    WAITS("late sender", 2, "mprobe", 3, "send");
}

/* From any source: the rank that sends first, and then the other. */
static void any_source(void)
{
    begin("any_source");
    if (rank == 1 || rank == 3) {
        pass_ms(rank == 3 ? LATE_MS : 2 * LATE_MS);
        AT("send", MPI_Send(buffer, 1, MPI_INT, 0, rank, WORLD));
    } else if (rank == 0) {
        AT("first", MPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE));
        AT("second", MPI_Recv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, IGNORE));
    }
    WAITS("late sender", 0, "first", 3, "send");
    WAITS("late sender", 0, "second", 1, "send");
}

static void any_tag(void)
{
    begin("any_tag");
    if (rank == 1) {
        late();
        AT("send", MPI_Send(buffer, 1, MPI_INT, 3, 5, WORLD));
    } else if (rank == 3) {
        AT("recv", MPI_Recv(buffer, 1, MPI_INT, 1, MPI_ANY_TAG, WORLD, IGNORE));
    }
    WAITS("late sender", 3, "recv", 1, "send");
}

int main(int argc, char **argv)
{
    start(&argc, &argv);
    late_sender();
    late_large_sender();
    late_receiver_of_ssend();
    late_receiver_of_large_send();
    late_receiver_of_small_send();
    no_rank_waits();
    wrong_order();
    wrong_sender();
    wrong_order_meanwhile();
    wrong_order_at_once();
    wrong_sender_meanwhile();
    right_order();
    tags_in_reverse();
    pipeline();
    sendrecv();
    meeting();
    ring();
    probe();
    matched_probe();
    any_source();
    any_tag();
    finish();
    return 0;
}
