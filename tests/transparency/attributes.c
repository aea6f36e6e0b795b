/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Attributes: their callbacks run as often, in the same order and with the same values, also those in MPI_Finalize,
 * which communicate.
 */
#include "say.h"

static int copy(MPI_Comm comm, int key, void *extra, void *in, void *out, int *flag)
{
    (void)comm, (void)key;
    say("copy %s %d", (char *)extra, *(int *)in);
    *(void **)out = in;
    *flag = *(int *)in != 13;
    return MPI_SUCCESS;
}

static int delete(MPI_Comm comm, int key, void *value, void *extra)
{
    int x = rank, y = -1;
    (void)key;
    say("delete %s %d", (char *)extra, *(int *)value);
    if (comm == MPI_COMM_SELF) {
        /* In MPI_Finalize: everything still works. */
        int finalized = -1;
        MPI_Finalized(&finalized);
        SAY(MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, WORLD));
        say("finalized %d sum %d", finalized, y);
        MPI_Status status = blank();
        SAY(MPI_Sendrecv(&x, 1, MPI_INT, (rank + 1) % size, 0, &y, 1, MPI_INT, (rank + size - 1) % size, 0, WORLD,
                         &status));
        say_status("in finalize", &status);
    }
    return *(int *)value == 14 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

int main(int argc, char **argv)
{
    static int values[] = {11, 12, 13, 14};
    static char names[3][6] = {"one", "two", "three"};
    int keys[3], found, *value, code, initialized = -1, finalized = -1;
    MPI_Comm comm;
    MPI_Initialized(&initialized);
    begin(&argc, &argv);
    say("initialized %d", initialized);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; i++)
        SAY(MPI_Comm_create_keyval(copy, delete, &keys[i], names[i]));
    SAY(MPI_Comm_set_attr(WORLD, keys[0], &values[0]));
    SAY(MPI_Comm_set_attr(WORLD, keys[1], &values[2]));
    SAY(MPI_Comm_dup(WORLD, &comm));
    for (int i = 0; i < 3; i++) {
        SAY(MPI_Comm_get_attr(comm, keys[i], &value, &found));
        say("key %d found %d value %d", i, found, found ? *value : 0);
    }
    SAY(MPI_Comm_set_attr(comm, keys[2], &values[3]));
    code = MPI_Comm_free(&comm); /* a delete callback fails */
    say_code("free", code);
    say("communicator %s", comm == MPI_COMM_NULL ? "null" : "not null");
    SAY(MPI_Comm_delete_attr(WORLD, keys[1]));
    SAY(MPI_Comm_set_attr(MPI_COMM_SELF, keys[0], &values[0]));
    SAY(MPI_Comm_set_attr(MPI_COMM_SELF, keys[1], &values[1]));
    SAY(MPI_Comm_set_attr(MPI_COMM_SELF, keys[2], &values[2]));
    int result = MPI_Finalize();
    MPI_Finalized(&finalized);
    say("finalize %d finalized %d", result, finalized);
    return 0;
}
