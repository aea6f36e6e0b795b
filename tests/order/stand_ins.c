/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Receives that weft holds back are requests like others: all that a program can do with one, on two ranks. Rank 1
 * sends what rank 0 expects. With an argument each receive must take as many milliseconds at least: it was held back.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANY MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD
#define MANY 100

static int failures, raised;
static double held;

#define CHECK(what) check((what), #what, __LINE__)
static void check(int what, const char *text, int line)
{
    if (!what)
        printf("%d: not so: %s\n", line, text);
    failures += !what;
}

static void is_message(const MPI_Status *status, int tag, int ints)
{
    int count = -1, cancelled = 1;
    MPI_Get_count(status, MPI_INT, &count);
    MPI_Test_cancelled(status, &cancelled);
    CHECK(status->MPI_SOURCE == 1);
    CHECK(status->MPI_TAG == tag);
    CHECK(count == ints);
    CHECK(!cancelled);
}

static void send_ints(int tag, int n)
{
    int buf[MANY];
    for (int i = 0; i < n; i++)
        buf[i] = 100 * tag + i;
    MPI_Send(buf, n, MPI_INT, 0, tag, MPI_COMM_WORLD);
}

static void one(void)
{
    int got[4] = {0}, flag = 1;
    MPI_Status status;
    MPI_Request request;
    double since = MPI_Wtime();
    MPI_Irecv(got, 4, MPI_INT, ANY, &request);
    CHECK(request != MPI_REQUEST_NULL);
    MPI_Wait(&request, &status);
    CHECK(MPI_Wtime() - since >= held);
    CHECK(request == MPI_REQUEST_NULL && got[0] == 100 && got[1] == 101);
    is_message(&status, 1, 2);
    MPI_Irecv(got, 4, MPI_INT, ANY, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(request == MPI_REQUEST_NULL && got[0] == 200);
    MPI_Irecv(got, 4, MPI_INT, ANY, &request);
    for (flag = 0; !flag;)
        MPI_Request_get_status(request, &flag, &status);
    CHECK(request != MPI_REQUEST_NULL);
    is_message(&status, 3, 3);
    for (flag = 0; !flag;)
        MPI_Test(&request, &flag, &status);
    CHECK(request == MPI_REQUEST_NULL && got[2] == 302);
    is_message(&status, 3, 3);
}

static void one_sender(void)
{
    send_ints(1, 2);
    send_ints(2, 1);
    send_ints(3, 3);
}

/* Sets with a held receive, an ordinary one, an inactive one and nothing. */
static void set_begin(MPI_Request requests[4], int got[2], MPI_Request inactive)
{
    MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    MPI_Irecv(&got[1], 1, MPI_INT, 1, 5, MPI_COMM_WORLD, &requests[2]);
    requests[3] = inactive;
}

static void set_end(const MPI_Request requests[4], const int got[2], MPI_Request inactive)
{
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL && requests[2] == MPI_REQUEST_NULL);
    CHECK(requests[3] == inactive);
    CHECK(got[0] == 400 && got[1] == 500);
}

static void set_sender(void)
{
    for (int i = 0; i < 6; i++) {
        send_ints(4, 1);
        send_ints(5, 1);
    }
}

static void set_any(MPI_Request inactive)
{
    MPI_Request r[4];
    MPI_Status status;
    int got[2], index, flag, seen = 0;
    set_begin(r, got, inactive);
    for (int i = 0; i < 2; i++) {
        MPI_Waitany(4, r, &index, &status);
        seen |= 1 << index;
        is_message(&status, index ? 5 : 4, 1);
    }
    CHECK(seen == 5);
    MPI_Waitany(4, r, &index, MPI_STATUS_IGNORE);
    CHECK(index == MPI_UNDEFINED);
    set_end(r, got, inactive);
    set_begin(r, got, inactive);
    for (seen = 0; seen != 5;) {
        MPI_Testany(4, r, &index, &flag, &status);
        CHECK(!flag || index == 0 || index == 2);
        if (flag && index >= 0) {
            seen |= 1 << index;
            is_message(&status, index ? 5 : 4, 1);
        }
    }
    MPI_Testany(4, r, &index, &flag, MPI_STATUS_IGNORE);
    CHECK(flag && index == MPI_UNDEFINED);
    set_end(r, got, inactive);
}

static void set_some(MPI_Request inactive)
{
    MPI_Request r[4];
    MPI_Status statuses[4];
    int got[2], n, indices[4], seen = 0;
    for (int tests = 0; tests < 2; tests++) {
        set_begin(r, got, inactive);
        for (seen = 0; seen != 5;) {
            if (tests)
                MPI_Testsome(4, r, &n, indices, statuses);
            else
                MPI_Waitsome(4, r, &n, indices, statuses);
            CHECK(n != MPI_UNDEFINED && (tests || n > 0));
            for (int k = 0; k < n; k++) {
                seen |= 1 << indices[k];
                is_message(&statuses[k], indices[k] ? 5 : 4, 1);
            }
        }
        MPI_Waitsome(4, r, &n, indices, MPI_STATUSES_IGNORE);
        CHECK(n == MPI_UNDEFINED);
        set_end(r, got, inactive);
    }
}

static void set_all(MPI_Request inactive)
{
    MPI_Request r[4];
    MPI_Status statuses[4];
    int got[2], flag = 0;
    double since = MPI_Wtime();
    set_begin(r, got, inactive);
    MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
    CHECK(MPI_Wtime() - since >= held);
    set_end(r, got, inactive);
    set_begin(r, got, inactive);
    while (!flag)
        MPI_Testall(4, r, &flag, statuses);
    set_end(r, got, inactive);
    is_message(&statuses[0], 4, 1);
    is_message(&statuses[2], 5, 1);
}

static void sets(void)
{
    MPI_Request inactive;
    int got;
    MPI_Recv_init(&got, 1, MPI_INT, ANY, &inactive);
    set_any(inactive);
    set_some(inactive);
    set_all(inactive);
    MPI_Request_free(&inactive);
    CHECK(inactive == MPI_REQUEST_NULL);
}

static void cancelled(void)
{
    MPI_Request r[2];
    MPI_Status statuses[2];
    int got[2], flag = 0;
    MPI_Irecv(&got[0], 1, MPI_INT, ANY, &r[0]);
    MPI_Cancel(&r[0]);
    MPI_Wait(&r[0], &statuses[0]);
    MPI_Test_cancelled(&statuses[0], &flag);
    CHECK(flag && r[0] == MPI_REQUEST_NULL);
    MPI_Recv_init(&got[0], 1, MPI_INT, ANY, &r[0]);
    MPI_Start(&r[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_WORLD, &r[1]);
    double since = MPI_Wtime();
    while (MPI_Wtime() - since < 1.5 * held + 0.001)
        MPI_Testall(2, r, &flag, statuses);
    CHECK(!flag);
    MPI_Cancel(&r[0]);
    MPI_Cancel(&r[1]);
    MPI_Waitall(2, r, statuses);
    for (int i = 0; i < 2; i++) {
        MPI_Test_cancelled(&statuses[i], &flag);
        CHECK(flag);
    }
    CHECK(r[0] != MPI_REQUEST_NULL && r[1] == MPI_REQUEST_NULL);
    MPI_Request_free(&r[0]);
}

static void freed(void)
{
    volatile int got = 0;
    int other = 0;
    MPI_Request request, second;
    MPI_Irecv((int *)&got, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    CHECK(request == MPI_REQUEST_NULL);
    MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &second);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    CHECK(got == 600 && other == 600);
    got = other = 0;
    MPI_Recv_init((int *)&got, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Irecv(&other, 1, MPI_INT, MPI_ANY_SOURCE, 6, MPI_COMM_WORLD, &second);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    CHECK(got == 600 && other == 600);
}

static void freed_sender(void)
{
    for (int i = 0; i < 4; i++)
        send_ints(6, 1);
}

static void persistent(void)
{
    MPI_Request r[2], before[2];
    MPI_Status status;
    int got[2], flag;
    for (int i = 0; i < 2; i++)
        MPI_Recv_init(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &r[i]);
    memcpy(before, r, sizeof r);
    MPI_Request_get_status(r[0], &flag, MPI_STATUS_IGNORE);
    CHECK(flag);
    for (int i = 0; i < 3; i++) {
        double since = MPI_Wtime();
        got[0] = 0;
        MPI_Start(&r[0]);
        MPI_Wait(&r[0], &status);
        CHECK(MPI_Wtime() - since >= held);
        CHECK(got[0] == 700);
        is_message(&status, 7, 1);
        got[0] = got[1] = 0;
        MPI_Startall(2, r);
        MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
        CHECK(got[0] == 700 && got[1] == 700);
        CHECK(memcmp(before, r, sizeof r) == 0);
        MPI_Wait(&r[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        MPI_Request_free(&r[i]);
}

static void persistent_sender(void)
{
    for (int i = 0; i < 9; i++)
        send_ints(7, 1);
}

static void raise_count(MPI_Comm *comm, int *code, ...)
{
    (void)comm, (void)code;
    raised++;
}

static int class_of(int rc)
{
    int class;
    MPI_Error_class(rc, &class);
    return class;
}

static void errors(void)
{
    MPI_Errhandler handler;
    MPI_Request r[2];
    MPI_Status statuses[2];
    int got[2];
    MPI_Comm_create_errhandler(raise_count, &handler);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
    MPI_Irecv(got, 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &r[0]);
    CHECK(class_of(MPI_Wait(&r[0], MPI_STATUS_IGNORE)) == MPI_ERR_TRUNCATE);
    CHECK(raised == 1);
    MPI_Irecv(&got[0], 1, MPI_INT, MPI_ANY_SOURCE, 8, MPI_COMM_WORLD, &r[0]);
    MPI_Irecv(&got[1], 1, MPI_INT, MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, &r[1]);
    CHECK(class_of(MPI_Waitall(2, r, statuses)) == MPI_ERR_IN_STATUS);
    CHECK(class_of(statuses[0].MPI_ERROR) == MPI_ERR_TRUNCATE);
    CHECK(raised == 2);
    if (statuses[1].MPI_ERROR != MPI_SUCCESS) /* still pending */
        MPI_Wait(&r[1], MPI_STATUS_IGNORE);
    CHECK(got[1] == 900);
    r[0] = MPI_REQUEST_NULL;
    CHECK(class_of(MPI_Irecv(got, 1, MPI_INT, MPI_ANY_SOURCE, -5, MPI_COMM_WORLD, &r[0])) == MPI_ERR_TAG);
    CHECK(raised == 3);
    CHECK(r[0] == MPI_REQUEST_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
    MPI_Errhandler_free(&handler);
}

static void errors_sender(void)
{
    send_ints(8, 2);
    send_ints(8, 2);
    send_ints(9, 1);
}

static void types(void)
{
    MPI_Request request;
    MPI_Datatype column;
    MPI_Comm other;
    int got[6] = {0}, sent[2] = {11, 12};
    MPI_Type_vector(2, 1, 3, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Irecv(got, 1, column, MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &request);
    MPI_Type_free(&column);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got[0] == 1000 && got[1] == 0 && got[3] == 1001);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Irecv(got, 2, MPI_INT, MPI_ANY_SOURCE, 10, other, &request);
    (void)sent;
    MPI_Comm_free(&other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(got[0] == 11 && got[1] == 12);
}

static void types_sender(void)
{
    MPI_Comm other;
    MPI_Request request;
    int sent[2] = {11, 12};
    send_ints(10, 2);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Isend(sent, 2, MPI_INT, 0, 10, other, &request);
    MPI_Comm_free(&other);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void many(void)
{
    MPI_Request r[MANY];
    MPI_Status statuses[MANY];
    int got[MANY], right = 0;
    for (int i = 0; i < MANY; i++)
        MPI_Irecv(&got[i], 1, MPI_INT, MPI_ANY_SOURCE, 1000 + i, MPI_COMM_WORLD, &r[i]);
    MPI_Waitall(MANY, r, statuses);
    for (int i = 0; i < MANY; i++)
        right += r[i] == MPI_REQUEST_NULL && got[i] == 100 * (1000 + i) && statuses[i].MPI_TAG == 1000 + i;
    CHECK(right == MANY);
}

static void many_sender(void)
{
    for (int i = MANY; i-- > 0;)
        send_ints(1000 + i, 1);
}

static void nothing(void)
{
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*receiver)(void), (*sender)(void);
    } parts[] = {{"one", one, one_sender},          {"sets", sets, set_sender},
                 {"cancelled", cancelled, nothing}, {"freed", freed, freed_sender},
                 {"errors", errors, errors_sender}, {"persistent", persistent, persistent_sender},
                 {"types", types, types_sender},    {"many", many, many_sender}};
    int rank;
    MPI_Init(&argc, &argv);
    held = argc > 1 ? atof(argv[1]) / 1000 : 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        int before = failures;
        rank == 0 ? parts[i].receiver() : parts[i].sender();
        if (rank == 0)
            printf("%s: %s\n", parts[i].name, failures == before ? "right" : "wrong");
        fflush(stdout);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return failures != 0;
}
