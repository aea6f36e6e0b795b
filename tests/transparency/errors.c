/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong arguments: the same codes come back, and the same error handlers run, as often and with the same code.
 */
#include "say.h"

static int a[100], b[100];

static void on_comm(MPI_Comm *comm, int *code, ...)
{
    int class, result = -1;
    MPI_Error_class(*code, &class);
    if (*comm != MPI_COMM_NULL)
        MPI_Comm_compare(*comm, WORLD, &result);
    say("handler: code %d class %d comm %d", CODE(*code), class, result);
}

static void on_win(MPI_Win *win, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    say("window handler: code %d class %d win %s", CODE(*code), class, *win == MPI_WIN_NULL ? "null" : "not null");
}

static void on_file(MPI_File *file, int *code, ...)
{
    int class;
    MPI_Error_class(*code, &class);
    say("file handler: code %d class %d file %s", CODE(*code), class, *file == MPI_FILE_NULL ? "null" : "not null");
}

static void messages(MPI_Comm comm)
{
    MPI_Request q = MPI_REQUEST_NULL, many[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status = blank(), statuses[3] = {blank(), blank(), blank()};
    MPI_Datatype loose;
    MPI_Message message = MPI_MESSAGE_NULL;
    int flag = -1, index = -1, done = -1, indices[3], limit, found;
    void *value;
    MPI_Type_contiguous(2, MPI_INT, &loose);
    MPI_Comm_get_attr(WORLD, MPI_TAG_UB, &value, &found);
    limit = *(int *)value;

    SAY(MPI_Send(a, 1, MPI_INT, size + 3, 0, comm));
    SAY(MPI_Send(a, 1, MPI_INT, -17, 0, comm));
    SAY(MPI_Send(a, 1, MPI_INT, 0, -5, comm));
    if (limit < 0x7fffffff)
        SAY(MPI_Send(a, 1, MPI_INT, 0, limit + 1, comm));
    SAY(MPI_Send(a, -1, MPI_INT, 0, 0, comm));
    SAY(MPI_Send(a, 1, MPI_DATATYPE_NULL, 0, 0, comm));
    SAY(MPI_Send(a, 1, loose, 0, 0, comm));
    SAY(MPI_Send(a, 1, MPI_INT, MPI_ANY_SOURCE, 0, comm));
    SAY(MPI_Send(a, 1, MPI_INT, 0, MPI_ANY_TAG, comm));
    SAY(MPI_Send(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL));
    SAY(MPI_Ssend(a, -1, MPI_INT, 0, 0, comm));
    SAY(MPI_Recv(a, 1, MPI_INT, size + 3, 0, comm, &status));
    say_status("recv", &status);
    SAY(MPI_Recv(a, -1, MPI_INT, 0, 0, comm, MPI_STATUS_IGNORE));
    SAY(MPI_Recv(a, 1, MPI_INT, 0, -5, comm, &status));
    SAY(MPI_Recv(a, 1, MPI_DATATYPE_NULL, 0, 0, comm, &status));
    SAY(MPI_Recv(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &status));
    SAY(MPI_Isend(a, 1, MPI_INT, size, 0, comm, &q));
    say_request("isend", q);
    SAY(MPI_Isend(a, -1, MPI_INT, 0, 0, comm, &q));
    SAY(MPI_Isend(a, 1, MPI_INT, 0, 0, MPI_COMM_NULL, &q));
    SAY(MPI_Irecv(a, 1, MPI_INT, size, 0, comm, &q));
    SAY(MPI_Irecv(a, -2, MPI_INT, 0, 0, comm, &q));
    SAY(MPI_Irecv(a, 1, MPI_DATATYPE_NULL, 0, 0, comm, &q));
    say_request("irecv", q);
    SAY(MPI_Sendrecv(a, 1, MPI_INT, size, 0, b, 1, MPI_INT, 0, 0, comm, &status));
    SAY(MPI_Sendrecv(a, 1, MPI_INT, 0, 0, b, 1, MPI_INT, size, 0, comm, &status));
    SAY(MPI_Sendrecv_replace(a, 1, MPI_INT, 0, 0, size, 0, comm, &status));
    SAY(MPI_Send_init(a, 1, MPI_INT, size, 0, comm, &q));
    SAY(MPI_Recv_init(a, -1, MPI_INT, 0, 0, comm, &q));
    SAY(MPI_Probe(size, 0, comm, &status));
    SAY(MPI_Probe(0, -5, comm, &status));
    SAY(MPI_Iprobe(size, 0, comm, &flag, &status));
    SAY(MPI_Mprobe(size, 0, comm, &message, &status));
    SAY(MPI_Improbe(0, -5, comm, &flag, &message, &status));
    SAY(MPI_Start(&q));
    SAY(MPI_Startall(3, many));
    SAY(MPI_Cancel(&q));
    SAY(MPI_Request_free(&q));
    SAY(MPI_Waitall(-1, many, statuses));
    SAY(MPI_Waitall(2, NULL, statuses));
    SAY(MPI_Waitany(-1, many, &index, &status));
    SAY(MPI_Waitsome(-1, many, &done, indices, statuses));
    SAY(MPI_Testall(-1, many, &flag, statuses));
    SAY(MPI_Testany(-1, many, &index, &flag, &status));
    SAY(MPI_Testsome(-1, many, &done, indices, statuses));
    MPI_Type_free(&loose);
}

static void collectives(MPI_Comm comm)
{
    MPI_Request q = MPI_REQUEST_NULL;
    MPI_Comm made = MPI_COMM_NULL;
    SAY(MPI_Bcast(a, 1, MPI_INT, size, comm));
    SAY(MPI_Bcast(a, -1, MPI_INT, 0, comm));
    SAY(MPI_Bcast(a, 1, MPI_DATATYPE_NULL, 0, comm));
    SAY(MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_NULL));
    SAY(MPI_Barrier(MPI_COMM_NULL));
    SAY(MPI_Reduce(a, b, 1, MPI_INT, MPI_OP_NULL, 0, comm));
    SAY(MPI_Reduce(a, b, 1, MPI_INT, MPI_SUM, -9, comm));
    SAY(MPI_Allreduce(a, b, 1, MPI_DATATYPE_NULL, MPI_SUM, comm));
    SAY(MPI_Allreduce(a, a, 1, MPI_INT, MPI_OP_NULL, comm));
    SAY(MPI_Gather(a, -1, MPI_INT, b, 1, MPI_INT, 0, comm));
    SAY(MPI_Scatter(a, 1, MPI_INT, b, -1, MPI_INT, 0, comm));
    SAY(MPI_Allgather(a, 1, MPI_INT, b, -1, MPI_INT, comm));
    SAY(MPI_Alltoall(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, comm));
    SAY(MPI_Iallreduce(a, b, 1, MPI_INT, MPI_OP_NULL, comm, &q));
    SAY(MPI_Ibcast(a, 1, MPI_INT, size + 1, comm, &q));
    say_request("collective", q);
    SAY(MPI_Comm_dup(MPI_COMM_NULL, &made));
    SAY(MPI_Comm_split(MPI_COMM_NULL, 0, 0, &made));
    SAY(MPI_Comm_free(&made));
    SAY(MPI_Cart_create(comm, 1, (int[]){size + 1}, (int[]){0}, 0, &made));
}

static void windows_and_files(void)
{
    MPI_Win win;
    MPI_File file = MPI_FILE_NULL;
    MPI_Errhandler handler;
    MPI_Status status = blank();
    int *base;
    MPI_Win_allocate(400, 4, MPI_INFO_NULL, WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    for (int turn = 0; turn < 2; turn++) {
        SAY(MPI_Win_fence(0, win));
        SAY(MPI_Put(a, 1, MPI_INT, size, 0, 1, MPI_INT, win));
        SAY(MPI_Put(a, -1, MPI_INT, 0, 0, 1, MPI_INT, win));
        SAY(MPI_Get(a, 1, MPI_DATATYPE_NULL, 0, 0, 1, MPI_INT, win));
        SAY(MPI_Accumulate(a, 1, MPI_INT, -8, 0, 1, MPI_INT, MPI_SUM, win));
        SAY(MPI_Win_fence(0, win));
        MPI_Win_create_errhandler(on_win, &handler);
        MPI_Win_set_errhandler(win, handler);
        MPI_Errhandler_free(&handler);
    }
    MPI_Win_free(&win);

    SAY(MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    MPI_File_create_errhandler(on_file, &handler);
    MPI_File_set_errhandler(MPI_FILE_NULL, handler); /* never freed: MPICH 4.0 does not count its uses by files */
    SAY(MPI_File_open(MPI_COMM_SELF, "/nonexistent/file", MPI_MODE_RDONLY, MPI_INFO_NULL, &file));
    SAY(MPI_File_delete("/nonexistent/file", MPI_INFO_NULL));
    char own[32];
    snprintf(own, sizeof own, "own.%d", rank);
    SAY(MPI_File_open(MPI_COMM_SELF, own, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                      &file));
    SAY(MPI_File_write(file, a, 10, MPI_INT, &status));
    say_status("file", &status);
    SAY(MPI_File_write(file, a, -1, MPI_INT, &status));
    SAY(MPI_File_read(file, a, 1, MPI_INT, &status));
    SAY(MPI_File_seek(file, -100, MPI_SEEK_SET));
    SAY(MPI_File_close(&file));
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
}

int main(int argc, char **argv)
{
    MPI_Comm comm;
    MPI_Errhandler handler, got;
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    messages(WORLD);
    collectives(WORLD);

    /* The handler of a copy is its original's. */
    MPI_Comm_create_errhandler(on_comm, &handler);
    MPI_Comm_set_errhandler(WORLD, handler);
    MPI_Comm_dup(WORLD, &comm);
    MPI_Comm_get_errhandler(comm, &got);
    say("inherited: %d", got == handler);
    MPI_Errhandler_free(&got);
    messages(comm);
    collectives(comm);
    SAY(MPI_Comm_call_errhandler(comm, MPI_ERR_OTHER));
    MPI_Comm_free(&comm);
    MPI_Errhandler_free(&handler);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    windows_and_files();
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
    SAY(MPI_Barrier(WORLD));
    MPI_Finalize();
    return 0;
}
