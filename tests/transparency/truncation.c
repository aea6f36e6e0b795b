/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Messages that are longer than the room for them, received and completed in every way.
 */
#include "say.h"

#define N 4

static int out[100], in[N][100];

/* Rank 1 sends N messages; those whose bit is set in `late` are longer than rank 0's room for them. */
static void send(int tag, unsigned late)
{
    for (int i = 0; i < N; i++)
        MPI_Send(out, late >> i & 1 ? 10 : 3, MPI_INT, 0, tag + i, WORLD);
}

static void post(int tag, MPI_Request *requests, MPI_Status *statuses)
{
    for (int i = 0; i < N; i++) {
        MPI_Irecv(in[i], 5, MPI_INT, 1, tag + i, WORLD, &requests[i]);
        statuses[i] = blank();
    }
}

static void say_all(const char *what, MPI_Request *requests, MPI_Status *statuses)
{
    char text[100];
    for (int i = 0; i < N; i++) {
        snprintf(text, sizeof text, "%s %d", what, i);
        say_request(text, requests[i]);
        if (statuses)
            say_status(text, &statuses[i]);
    }
}

/* What a failed completion has left. */
static void finish(MPI_Request *requests)
{
    for (int i = 0; i < N; i++)
        if (requests[i] != MPI_REQUEST_NULL) {
            MPI_Status status = blank();
            SAY(MPI_Wait(&requests[i], &status));
            say_status("left over", &status);
            say_request("left over", requests[i]);
        }
}

static void receive(unsigned late)
{
    MPI_Request requests[N];
    MPI_Status statuses[N], status;
    int index, flag, done, indices[N];
    say("late %x", late);

    for (int i = 0; i < N; i++) {
        status = blank();
        SAY(MPI_Recv(in[0], 5, MPI_INT, 1, i, WORLD, &status));
        say_status("received", &status);
    }
    for (int i = 0; i < N; i++)
        SAY(MPI_Recv(in[0], 5, MPI_INT, MPI_ANY_SOURCE, 10 + i, WORLD, MPI_STATUS_IGNORE));

    post(20, requests, statuses);
    for (int i = N - 1; i >= 0; i--)
        SAY(MPI_Wait(&requests[i], &statuses[i]));
    say_all("wait", requests, statuses);
    finish(requests);

    post(30, requests, statuses);
    for (int i = 0; i < N; i++)
        SAY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
    say_all("wait ignore", requests, NULL);
    finish(requests);

    post(40, requests, statuses);
    SAY(MPI_Barrier(WORLD)); /* all are here */
    SAY(MPI_Waitall(N, requests, statuses));
    say_all("waitall", requests, statuses);
    finish(requests);

    post(50, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    SAY(MPI_Waitall(N, requests, MPI_STATUSES_IGNORE));
    say_all("waitall ignore", requests, NULL);
    finish(requests);

    post(60, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    for (int i = 0; i < N; i++) {
        status = blank();
        index = -55;
        SAY(MPI_Waitany(N, requests, &index, &status));
        say("index %d", index);
        say_status("waitany", &status);
    }
    say_all("waitany", requests, NULL);
    finish(requests);

    post(70, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    for (int all = 0, turn = 0; all < N && turn < N; all += done > 0 ? done : 0, turn++) {
        done = -55;
        SAY(MPI_Waitsome(N, requests, &done, indices, statuses));
        say("done %d", done);
        for (int i = 0; i < done; i++) {
            say("index %d", indices[i]);
            say_status("waitsome", &statuses[i]);
        }
    }
    say_all("waitsome", requests, NULL);
    finish(requests);

    post(80, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    for (int i = 0; i < N; i++) {
        int code;
        status = blank();
        for (flag = 0, code = MPI_SUCCESS; !flag && code == MPI_SUCCESS && requests[i] != MPI_REQUEST_NULL;)
            code = MPI_Test(&requests[i], &flag, &status);
        say_code("test", code);
        say("flag %d", flag);
        say_status("test", &status);
    }
    say_all("test", requests, NULL);
    finish(requests);

    post(90, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    int code = MPI_SUCCESS;
    for (flag = 0; !flag && code == MPI_SUCCESS;)
        code = MPI_Testall(N, requests, &flag, statuses);
    say_code("testall", code);
    say("flag %d", flag);
    say_all("testall", requests, statuses);
    finish(requests);

    post(100, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    for (int i = 0; i < N; i++) {
        for (flag = 0, code = MPI_SUCCESS; !flag && code == MPI_SUCCESS;) {
            status = blank();
            code = MPI_Testany(N, requests, &index, &flag, &status);
        }
        say_code("testany", code);
        say("flag %d index %d", flag, index);
        say_status("testany", &status);
    }
    finish(requests);

    post(110, requests, statuses);
    SAY(MPI_Barrier(WORLD));
    code = MPI_SUCCESS;
    for (int all = 0; all < N && code == MPI_SUCCESS; all += done) {
        for (done = 0; done == 0 && code == MPI_SUCCESS;)
            code = MPI_Testsome(N, requests, &done, indices, MPI_STATUSES_IGNORE);
        say_code("testsome", code);
    }
    finish(requests);

    /* Room that is too small for a matched message, and for one half of a send-and-receive. */
    for (int i = 0; i < N; i++) {
        MPI_Message message;
        MPI_Request request = MPI_REQUEST_NULL;
        status = blank();
        SAY(MPI_Mprobe(1, 120 + i, WORLD, &message, &status));
        say_status("mprobe", &status);
        status = blank();
        if (i % 2) {
            SAY(MPI_Mrecv(in[0], 5, MPI_INT, &message, &status));
        } else {
            SAY(MPI_Imrecv(in[0], 5, MPI_INT, &message, &request));
            SAY(MPI_Wait(&request, &status));
        }
        say_status("mrecv", &status);
        say("message %s", message == MPI_MESSAGE_NULL ? "null" : "not null");
        status = blank();
        SAY(MPI_Sendrecv(out, 1, MPI_INT, 0, 7, in[0], 5, MPI_INT, 1, 130 + i, WORLD, &status));
        say_status("sendrecv", &status);
        SAY(MPI_Recv(in[0], 1, MPI_INT, 0, 7, WORLD, &status));
    }

    /* Persistent ones live on. */
    for (int i = 0; i < N; i++) {
        SAY(MPI_Recv_init(in[i], 5, MPI_INT, 1, 140 + i, WORLD, &requests[i]));
        statuses[i] = blank();
    }
    SAY(MPI_Startall(N, requests));
    SAY(MPI_Barrier(WORLD));
    SAY(MPI_Waitall(N, requests, statuses));
    say_all("persistent", requests, statuses);
    for (int i = 0; i < N; i++) {
        SAY(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        SAY(MPI_Request_free(&requests[i]));
    }
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    for (unsigned late = 0; late < 16; late += 5) {
        if (rank == 0)
            receive(late);
        for (int tag = 0; rank == 1 && tag < 150; tag += 10) {
            send(tag, late);
            if (tag >= 40 && tag <= 110)
                MPI_Barrier(WORLD);
        }
        if (rank == 1)
            MPI_Barrier(WORLD);
        for (int i = 0; rank > 1 && i < 9; i++)
            MPI_Barrier(WORLD);
        MPI_Barrier(WORLD);
    }
    MPI_Finalize();
    return 0;
}
