/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Results: data at absolute addresses (MPI_BOTTOM), in place, to oneself and to MPI_PROC_NULL; operations and
 * generalised requests of the application's own, whose callbacks call MPI.
 */
#include "say.h"

static void say_ints(const char *what, const int *v, int n)
{
    char line[1000];
    int at = 0;
    for (int i = 0; i < n && at < 900; i++)
        at += snprintf(line + at, sizeof line - (size_t)at, " %d", v[i]);
    say("%s:%s", what, line);
}

static int first[4], second[4], third[4];

static MPI_Datatype absolute(void)
{
    MPI_Aint addresses[3];
    MPI_Datatype type;
    MPI_Get_address(first, &addresses[0]);
    MPI_Get_address(second, &addresses[1]);
    MPI_Get_address(third, &addresses[2]);
    MPI_Type_create_hindexed(3, (int[]){4, 2, 1}, addresses, MPI_INT, &type);
    MPI_Type_commit(&type);
    return type;
}

static void set(int base)
{
    for (int i = 0; i < 4; i++) {
        first[i] = base + i;
        second[i] = base + 10 + i;
        third[i] = base + 20 + i;
    }
}

static void say_set(const char *what)
{
    say_ints(what, first, 4);
    say_ints(what, second, 4);
    say_ints(what, third, 4);
}

static void bottom(void)
{
    MPI_Datatype type = absolute();
    MPI_Request q[2];
    MPI_Status status = blank();
    int packed[7], partner = rank ^ 1;
    set(100 * rank);
    SAY(MPI_Sendrecv_replace(MPI_BOTTOM, 1, type, partner, 0, partner, 0, WORLD, &status));
    say_status("bottom", &status);
    say_set("exchanged");
    SAY(MPI_Irecv(packed, 7, MPI_INT, partner, 1, WORLD, &q[0]));
    SAY(MPI_Isend(MPI_BOTTOM, 1, type, partner, 1, WORLD, &q[1]));
    SAY(MPI_Waitall(2, q, MPI_STATUSES_IGNORE));
    say_ints("packed", packed, 7);
    SAY(MPI_Bcast(MPI_BOTTOM, 1, type, 0, WORLD));
    say_set("broadcast");
    SAY(MPI_Gather(MPI_BOTTOM, 1, type, packed, 7, MPI_INT, rank == size ? 1 : 0, MPI_COMM_SELF));
    say_ints("gathered", packed, 7);
    MPI_Type_free(&type);
}

static void in_place(void)
{
    int v[64], counts[8], displs[8];
    for (int i = 0; i < size; i++) {
        counts[i] = i + 1;
        displs[i] = i * (i + 1) / 2;
    }
#define FILL                     \
    for (int i = 0; i < 64; i++) \
        v[i] = 1000 * rank + i
    FILL;
    SAY(MPI_Allreduce(MPI_IN_PLACE, v, 5, MPI_INT, MPI_SUM, WORLD));
    say_ints("allreduce", v, 6);
    FILL;
    SAY(MPI_Scan(MPI_IN_PLACE, v, 5, MPI_INT, MPI_SUM, WORLD));
    say_ints("scan", v, 6);
    FILL;
    SAY(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 2, MPI_INT, WORLD));
    say_ints("allgather", v, 10);
    FILL;
    SAY(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, counts, displs, MPI_INT, WORLD));
    say_ints("allgatherv", v, 12);
    FILL;
    SAY(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 2, MPI_INT, WORLD));
    say_ints("alltoall", v, 10);
    FILL;
    SAY(rank == 1 ? MPI_Reduce(MPI_IN_PLACE, v, 5, MPI_INT, MPI_SUM, 1, WORLD)
                  : MPI_Reduce(v, NULL, 5, MPI_INT, MPI_SUM, 1, WORLD));
    say_ints("reduce", v, 6);
    FILL;
    SAY(rank == 1 ? MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, v, 2, MPI_INT, 1, WORLD)
                  : MPI_Gather(v, 2, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, 1, WORLD));
    say_ints("gather", v, 10);
    FILL;
    SAY(rank == 1 ? MPI_Scatter(v, 2, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, 1, WORLD)
                  : MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, v, 2, MPI_INT, 1, WORLD));
    say_ints("scatter", v, 10);
    FILL;
    SAY(MPI_Reduce_scatter(MPI_IN_PLACE, v, counts, MPI_INT, MPI_SUM, WORLD));
    say_ints("reduce_scatter", v, rank + 1);
}

/* An operation that asks MPI about its datatype, and does not commute. */
static int seen_bytes;

static void compose(void *in, void *inout, int *n, MPI_Datatype *type)
{
    int *x = in, *y = inout;
    MPI_Type_size(*type, &seen_bytes);
    for (int i = 0; i < *n; i++)
        y[i] = x[i] * 10 + y[i] % 10;
}

static void operations(void)
{
    MPI_Op op;
    int x[3] = {rank + 1, rank + 2, rank + 3}, y[3] = {0};
    SAY(MPI_Op_create(compose, 0, &op));
    SAY(MPI_Allreduce(x, y, 3, MPI_INT, op, WORLD));
    say_ints("composed", y, 3);
    SAY(MPI_Scan(x, y, 3, MPI_INT, op, WORLD));
    say_ints("composed", y, 3);
    say("bytes %d", seen_bytes);
    SAY(MPI_Op_free(&op));
}

/* Generalised requests. */
static int query(void *state, MPI_Status *status)
{
    say("query %d", *(int *)state);
    MPI_Status_set_elements(status, MPI_INT, *(int *)state);
    MPI_Status_set_cancelled(status, *(int *)state == 3);
    status->MPI_SOURCE = 5;
    status->MPI_TAG = 6;
    return *(int *)state == 4 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

static int release(void *state)
{
    say("free %d", *(int *)state);
    return MPI_SUCCESS;
}

static int cancel(void *state, int complete)
{
    say("cancel %d %d", *(int *)state, complete);
    return MPI_SUCCESS;
}

static void generalised(void)
{
    static int state[4] = {2, 3, 4, 7};
    MPI_Request q[4], message;
    MPI_Status statuses[4];
    int flag, x = 0;
    for (int i = 0; i < 4; i++) {
        SAY(MPI_Grequest_start(query, release, cancel, &state[i], &q[i]));
        statuses[i] = blank();
    }
    SAY(MPI_Test(&q[0], &flag, &statuses[0]));
    say("flag %d", flag);
    SAY(MPI_Cancel(&q[1]));
    for (int i = 0; i < 4; i++)
        SAY(MPI_Grequest_complete(q[i]));
    SAY(MPI_Wait(&q[0], &statuses[0]));
    say_status("wait", &statuses[0]);
    SAY(MPI_Wait(&q[1], MPI_STATUS_IGNORE));
    SAY(MPI_Test(&q[2], &flag, &statuses[2]));
    say("flag %d", flag);
    say_request("failed", q[2]);
    /* Together with an ordinary one. */
    MPI_Irecv(&x, 1, MPI_INT, rank, 0, WORLD, &message);
    SAY(MPI_Send(&rank, 1, MPI_INT, rank, 0, WORLD));
    MPI_Request both[2] = {q[3], message};
    statuses[0] = statuses[1] = blank();
    SAY(MPI_Waitall(2, both, statuses));
    say_status("generalised", &statuses[0]);
    say_status("ordinary", &statuses[1]);
    say_request("generalised", both[0]);
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    bottom();
    in_place();
    operations();
    generalised();
    MPI_Finalize();
    return 0;
}
