/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Statuses in every way they are made, and the messages they tell of: order, counts, elements, cancelled ones.
 */
#include "say.h"

static int a[1000], b[1000];
static MPI_Datatype pair; /* a char and two doubles: 17 bytes in 24 */

static void say_counts(const char *what, const MPI_Status *status)
{
    int n = -1, elements = -1;
    MPI_Count many = -1;
    MPI_Get_count(status, pair, &n);
    MPI_Get_elements(status, pair, &elements);
    MPI_Get_elements_x(status, pair, &many);
    say("%s: %d pairs of %d, %lld elements", what, n, elements, (long long)many);
    say_status(what, status);
}

/* Probes and receives of messages with counts that fit no whole number of elements. */
static void counts(void)
{
    if (rank == 1) {
        for (int i = 0; i < 40; i++)
            MPI_Send(a, i, MPI_BYTE, 0, i, WORLD);
        for (int i = 0; i < 5; i++)
            MPI_Send(a, i, pair, 0, 100 + i, WORLD);
    } else if (rank == 0) {
        for (int i = 0; i < 45; i++) {
            int tag = i < 40 ? i : 60 + i, flag = 0;
            MPI_Status status = blank();
            MPI_Message message;
            switch (i % 4) {
            case 0:
                SAY(MPI_Probe(1, tag, WORLD, &status));
                break;
            case 1:
                while (!flag)
                    MPI_Iprobe(MPI_ANY_SOURCE, tag, WORLD, &flag, &status);
                break;
            case 2:
                SAY(MPI_Mprobe(MPI_ANY_SOURCE, tag, WORLD, &message, &status));
                break;
            case 3:
                while (!flag)
                    MPI_Improbe(1, tag, WORLD, &flag, &message, &status);
                break;
            }
            say_counts("probed", &status);
            status = blank();
            if (i % 4 < 2)
                SAY(MPI_Recv(b, 1000, i < 40 ? MPI_BYTE : pair, MPI_ANY_SOURCE, tag, WORLD, &status));
            else
                SAY(MPI_Mrecv(b, 1000, i < 40 ? MPI_BYTE : pair, &message, &status));
            say_counts("received", &status);
        }
    }
}

/* Messages of one sender do not overtake each other, whichever receive was posted for them. */
static void order(void)
{
    if (rank == 1) {
        for (int i = 0; i < 20; i++) {
            a[0] = i;
            MPI_Send(a, 1, MPI_INT, 0, i % 2 ? 1 : 2, WORLD);
        }
    } else if (rank == 0) {
        MPI_Request requests[20];
        MPI_Status statuses[20];
        for (int i = 0; i < 20; i++) {
            statuses[i] = blank();
            MPI_Irecv(&b[i], 1, MPI_INT, i % 3 ? 1 : MPI_ANY_SOURCE, i % 2 ? MPI_ANY_TAG : 2, WORLD, &requests[i]);
        }
        for (int i = 19; i >= 10; i--)
            SAY(MPI_Wait(&requests[i], &statuses[i]));
        SAY(MPI_Waitall(10, requests, statuses));
        for (int i = 0; i < 20; i++) {
            say("got %d", b[i]);
            say_status("order", &statuses[i]);
        }
    }
}

static void singles(void)
{
    MPI_Request q = MPI_REQUEST_NULL, two[2];
    MPI_Status status, statuses[2];
    int flag, index, done, indices[2];

    /* Of no request, of MPI_PROC_NULL, of a send. */
    status = blank();
    SAY(MPI_Wait(&q, &status));
    say_status("null", &status);
    status = blank();
    SAY(MPI_Test(&q, &flag, &status));
    say_status("null", &status);
    status = blank();
    SAY(MPI_Request_get_status(q, &flag, &status));
    say_status("null", &status);
    status = blank();
    SAY(MPI_Recv(b, 5, MPI_INT, MPI_PROC_NULL, 9, WORLD, &status));
    say_status("no partner", &status);
    status = blank();
    SAY(MPI_Probe(MPI_PROC_NULL, 9, WORLD, &status));
    say_status("no partner", &status);
    status = blank();
    SAY(MPI_Sendrecv(a, 5, MPI_INT, MPI_PROC_NULL, 9, b, 5, MPI_INT, MPI_PROC_NULL, 9, WORLD, &status));
    say_status("no partner", &status);
    MPI_Irecv(b, 5, MPI_INT, MPI_PROC_NULL, 9, WORLD, &two[0]);
    MPI_Isend(a, 5, MPI_INT, MPI_PROC_NULL, 9, WORLD, &two[1]);
    statuses[0] = statuses[1] = blank();
    SAY(MPI_Waitall(2, two, statuses));
    say_status("no partner", &statuses[0]);
    say_request("no partner", two[0]);

    /* To oneself; the request's handle after each way to complete it. */
    for (int way = 0; way < 10; way++) {
        MPI_Irecv(b, 100, MPI_INT, rank, way, WORLD, &two[0]);
        MPI_Isend(a, way, MPI_INT, rank, way, WORLD, &two[1]);
        statuses[0] = statuses[1] = status = blank();
        flag = index = done = indices[0] = indices[1] = -1;
        switch (way) {
        case 0:
            SAY(MPI_Wait(&two[0], &status));
            break;
        case 1:
            SAY(MPI_Waitall(2, two, statuses));
            status = statuses[0];
            break;
        case 2:
            SAY(MPI_Waitany(1, two, &index, &status));
            break;
        case 3:
            SAY(MPI_Waitsome(1, two, &done, indices, &status));
            break;
        case 4:
            for (flag = 0; !flag;)
                MPI_Test(&two[0], &flag, &status);
            break;
        case 5:
            for (flag = 0; !flag;)
                MPI_Testall(2, two, &flag, statuses);
            status = statuses[0];
            break;
        case 6:
            for (flag = 0; !flag;)
                MPI_Testany(1, two, &index, &flag, &status);
            break;
        case 7:
            for (done = 0; !done;)
                MPI_Testsome(1, two, &done, indices, &status);
            break;
        case 8:
            for (flag = 0; !flag;)
                MPI_Request_get_status(two[0], &flag, &status);
            break;
        case 9:
            SAY(MPI_Waitany(1, two, &index, MPI_STATUS_IGNORE));
            break;
        }
        say("way %d: flag %d index %d done %d indices %d", way, flag, index, done, indices[0]);
        say_status("way", &status);
        say_request("way", two[0]);
        SAY(MPI_Waitall(2, two, MPI_STATUSES_IGNORE));
        say_request("way", two[1]);
    }

    /* Cancelled. */
    for (int way = 0; way < 3; way++) {
        status = blank();
        MPI_Irecv(b, 5, MPI_INT, way ? MPI_ANY_SOURCE : rank, 98, WORLD, &q);
        SAY(MPI_Cancel(&q));
        say_request("cancelled", q);
        if (way == 2) {
            SAY(MPI_Waitall(1, &q, MPI_STATUSES_IGNORE));
        } else {
            SAY(MPI_Wait(&q, &status));
            MPI_Test_cancelled(&status, &flag);
            say("cancelled: %d error %d", flag, status.MPI_ERROR);
        }
        say_request("cancelled", q);
    }
    /* Too late to cancel: the message has come. */
    MPI_Irecv(b, 5, MPI_INT, rank, 97, WORLD, &q);
    MPI_Send(a, 3, MPI_INT, rank, 97, WORLD);
    for (flag = 0; !flag;)
        MPI_Request_get_status(q, &flag, MPI_STATUS_IGNORE);
    status = blank();
    SAY(MPI_Cancel(&q));
    SAY(MPI_Wait(&q, &status));
    say_status("too late", &status);
    /* Freed while active. */
    MPI_Irecv(b, 5, MPI_INT, rank, 96, WORLD, &q);
    SAY(MPI_Request_free(&q));
    say_request("freed", q);
    SAY(MPI_Send(a, 3, MPI_INT, rank, 96, WORLD));

    /* Persistent: inactive before and after, and cancelled. */
    SAY(MPI_Recv_init(b, 5, MPI_INT, rank, 95, WORLD, &q));
    status = blank();
    SAY(MPI_Wait(&q, &status));
    say_status("inactive", &status);
    SAY(MPI_Start(&q));
    SAY(MPI_Send(a, 4, MPI_INT, rank, 95, WORLD));
    status = blank();
    SAY(MPI_Wait(&q, &status));
    say_status("persistent", &status);
    say_request("persistent", q);
    SAY(MPI_Start(&q));
    SAY(MPI_Cancel(&q));
    status = blank();
    SAY(MPI_Wait(&q, &status));
    MPI_Test_cancelled(&status, &flag);
    say("persistent, cancelled: %d", flag);
    SAY(MPI_Request_free(&q));
    say_request("persistent", q);

    /* A status of one's own. */
    status = blank();
    MPI_Status_set_elements(&status, MPI_INT, 7);
    MPI_Status_set_cancelled(&status, 1);
    say_status("own", &status);
}

/* Collectives leave statuses too. */
static void collectives(void)
{
    MPI_Request q[3];
    MPI_Status statuses[3] = {blank(), blank(), blank()};
    MPI_Ibarrier(WORLD, &q[0]);
    MPI_Iallreduce(a, b, 1, MPI_INT, MPI_SUM, WORLD, &q[1]);
    MPI_Ibcast(a, 1, MPI_INT, 0, WORLD, &q[2]);
    SAY(MPI_Waitall(3, q, statuses));
    for (int i = 0; i < 3; i++) {
        say("collective: error %d", statuses[i].MPI_ERROR);
        say_request("collective", q[i]);
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &pair);
    MPI_Type_commit(&pair);
    counts();
    order();
    singles();
    collectives();
    MPI_Type_free(&pair);
    MPI_Finalize();
    say("end");
    return 0;
}
