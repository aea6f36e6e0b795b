/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operations that are started by one statement and completed by another: number and bytes are with the first, a receive's when it is
 * complete and by its real sender; the completions are with the second.
 */
#include "known.h"

#define BIG 100000 /* ints: not sent at once by any MPI */

static int out[BIG], in[MAX_RANKS][BIG];
static char room[1 << 16];

// expect procedure halo
static void halo(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request requests[4];
    for (int step = 0; step < 25; step++) {
        // expect all: MPI_Irecv from (r+3)%P num 25 bytes 25*40
        MPI_Irecv(in[0], 100, MPI_INT, left, 0, WORLD, &requests[0]);
        // expect all: MPI_Irecv from (r+1)%P num 25 bytes 25*80
        MPI_Irecv(in[1], 100, MPI_INT, right, 1, WORLD, &requests[1]);
        // expect all: MPI_Isend to (r+1)%P num 25 bytes 25*40
        MPI_Isend(out, 10, MPI_INT, right, 0, WORLD, &requests[2]);
        // expect all: MPI_Isend to (r+3)%P num 25 bytes 25*80
        MPI_Isend(out, 20, MPI_INT, left, 1, WORLD, &requests[3]);
        // expect all: MPI_Waitall calls 25 from (r+3)%P num 50 bytes 0, from (r+1)%P num 50 bytes 0
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    }
}

/* Small sends share one handle: each completion still has to find its own partner. */
// expect procedure shared_handles
static void shared_handles(void)
{
    if (rank == 0) {
        MPI_Request to[MAX_RANKS];
        for (int round = 0; round < 3; round++) {
            for (int i = 1; i < size; i++)
                // expect 0: MPI_Isend to 1 num 3 bytes 3*4, to 2 num 3 bytes 3*8, to 3 num 3 bytes 3*12
                MPI_Isend(out, i, MPI_INT, i, 2, WORLD, &to[i]);
            // expect 0: MPI_Wait to 3 num 3 bytes 0
            MPI_Wait(&to[3], MPI_STATUS_IGNORE);
            // expect 0: MPI_Wait to 1 num 3 bytes 0
            MPI_Wait(&to[1], MPI_STATUS_IGNORE);
            // expect 0: MPI_Wait to 2 num 3 bytes 0
            MPI_Wait(&to[2], MPI_STATUS_IGNORE);
        }
    } else {
        for (int round = 0; round < 3; round++)
            // expect r>0: MPI_Recv from 0 num 3 bytes 3*4*r
            MPI_Recv(in[0], 10, MPI_INT, 0, 2, WORLD, MPI_STATUS_IGNORE);
    }
}

/* One variable after the other gets a handle that was another one's before. */
// expect procedure modes
static void modes(void)
{
    void *old;
    count_t old_bytes;
    MPI_Request request;
    // expect all: MPI_Buffer_attach none num 1 bytes 0
    MPI_Buffer_attach(room, sizeof room);
    if (rank == 2) {
        // expect 2: MPI_Ibsend to 1 num 1 bytes 40
        MPI_Ibsend(out, 10, MPI_INT, 1, 3, WORLD, &request);
        // expect 2: MPI_Wait to 1 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect 2: MPI_Issend to 1 num 1 bytes 80
        MPI_Issend(out, 20, MPI_INT, 1, 4, WORLD, &request);
        // expect 2: MPI_Wait to 1 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect 2: MPI_Recv from 1 num 1 bytes 0
        MPI_Recv(NULL, 0, MPI_INT, 1, 5, WORLD, MPI_STATUS_IGNORE);
        // expect 2: MPI_Irsend to 1 num 1 bytes 120
        MPI_Irsend(out, 30, MPI_INT, 1, 6, WORLD, &request);
        // expect 2: MPI_Wait to 1 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect 2: MPI_Isend to 1 num 1 bytes 400000
        MPI_Isend(out, BIG, MPI_INT, 1, 7, WORLD, &request);
        // expect 2: MPI_Wait to 1 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        // expect 1: MPI_Recv from 2 num 1 bytes 40
        MPI_Recv(in[0], 100, MPI_INT, 2, 3, WORLD, MPI_STATUS_IGNORE);
        // expect 1: MPI_Recv from 2 num 1 bytes 80
        MPI_Recv(in[0], 100, MPI_INT, 2, 4, WORLD, MPI_STATUS_IGNORE);
        // expect 1: MPI_Irecv from 2 num 1 bytes 120
        MPI_Irecv(in[0], 100, MPI_INT, 2, 6, WORLD, &request);
        // expect 1: MPI_Send to 2 num 1 bytes 0
        MPI_Send(NULL, 0, MPI_INT, 2, 5, WORLD);
        // expect 1: MPI_Wait from 2 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect 1: MPI_Irecv from 2 num 1 bytes 400000
        MPI_Irecv(in[0], BIG, MPI_INT, MPI_ANY_SOURCE, 7, WORLD, &request);
        // expect 1: MPI_Wait from 2 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    // expect all: MPI_Buffer_detach none num 1 bytes 0
    MPI_Buffer_detach(&old, &old_bytes);
}

/* All ways to complete: rank 0 gets one message of each other rank, ten times as long from the next. */
static int lengths[] = {0, 10, 100, BIG};

// expect procedure post
static void post(MPI_Request *requests, int tag)
{
    if (rank == 0) {
        for (int i = 0; i < size - 1; i++)
            // expect 0: MPI_Irecv from 1 num 8 bytes 8*40, from 2 num 8 bytes 8*400, from 3 num 8 bytes 8*400000
            MPI_Irecv(in[i], BIG, MPI_INT, MPI_ANY_SOURCE, tag, WORLD, &requests[i]);
    } else {
        // expect r>0: MPI_Send to 0 num 8 bytes 8*4*(10*(r=1)+100*(r=2)+100000*(r=3))
        MPI_Send(out, lengths[rank], MPI_INT, 0, tag, WORLD);
    }
}

// expect procedure ways
static void ways(void)
{
    MPI_Request requests[MAX_RANKS];
    MPI_Status statuses[MAX_RANKS];
    int n = size - 1, index, flag, left, done, indices[MAX_RANKS];

    post(requests, 10);
    for (int i = n - 1; rank == 0 && i >= 0; i--)
        // expect 0: MPI_Wait calls 3 from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);

    post(requests, 11);
    if (rank == 0)
        // expect 0: MPI_Waitall calls 1 from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0
        MPI_Waitall(n, requests, statuses);

    post(requests, 12);
    for (left = n; rank == 0 && left > 0; left--)
        // expect 0: MPI_Waitany calls 3 from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0
        MPI_Waitany(n, requests, &index, MPI_STATUS_IGNORE);

    post(requests, 13);
    for (left = n; rank == 0 && left > 0; left -= done)
        // expect 0: MPI_Waitsome from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0
        MPI_Waitsome(n, requests, &done, indices, MPI_STATUSES_IGNORE);

    post(requests, 14);
    for (int i = 0; rank == 0 && i < n; i += flag)
        // expect 0: MPI_Test from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0, perhaps none num 0 bytes 0
        MPI_Test(&requests[i], &flag, MPI_STATUS_IGNORE);

    post(requests, 15);
    for (flag = 0; rank == 0 && !flag;)
        // expect 0: MPI_Testall from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0, perhaps none num 0 bytes 0
        MPI_Testall(n, requests, &flag, statuses);

    post(requests, 16);
    for (left = n; rank == 0 && left > 0; left -= flag)
        // expect 0: MPI_Testany from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0, perhaps none num 0 bytes 0
        MPI_Testany(n, requests, &index, &flag, &statuses[0]);

    post(requests, 17);
    for (left = n; rank == 0 && left > 0; left -= done)
        // expect 0: MPI_Testsome from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0, perhaps none num 0 bytes 0
        MPI_Testsome(n, requests, &done, indices, statuses);
}

/* Nothing to wait for. */
// expect procedure nothing
static void nothing(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int index, flag, done, indices[2];
    // expect all: MPI_Wait calls 1 none num 0 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    // expect all: MPI_Test calls 1 none num 0 bytes 0
    MPI_Test(&requests[0], &flag, MPI_STATUS_IGNORE);
    // expect all: MPI_Waitall calls 1 none num 0 bytes 0
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // expect all: MPI_Waitall calls 1 none num 0 bytes 0
    MPI_Waitall(0, NULL, MPI_STATUSES_IGNORE);
    // expect all: MPI_Waitany calls 1 none num 0 bytes 0
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    // expect all: MPI_Waitsome calls 1 none num 0 bytes 0
    MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    // expect all: MPI_Testall calls 1 none num 0 bytes 0
    MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    // expect all: MPI_Testany calls 1 none num 0 bytes 0
    MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    // expect all: MPI_Testsome calls 1 none num 0 bytes 0
    MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
}

/* No partner (MPI_PROC_NULL) counts as one, too, and several requests for it are several. */
// expect procedure no_partner
static void no_partner(void)
{
    MPI_Request requests[6];
    for (int i = 0; i < 3; i++) {
        // expect all: MPI_Irecv none num 3 bytes 0
        MPI_Irecv(in[0], 10, MPI_INT, MPI_PROC_NULL, 20, WORLD, &requests[2 * i]);
        // expect all: MPI_Isend none num 3 bytes 0
        MPI_Isend(out, 10, MPI_INT, MPI_PROC_NULL, 20, WORLD, &requests[2 * i + 1]);
    }
    // expect all: MPI_Waitall none num 6 bytes 0
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);
}

/* A message to oneself. */
// expect procedure to_myself
static void to_myself(void)
{
    MPI_Request requests[2];
    // expect all: MPI_Irecv from r num 1 bytes 40
    MPI_Irecv(in[0], 100, MPI_INT, MPI_ANY_SOURCE, 21, WORLD, &requests[0]);
    // expect all: MPI_Isend to r num 1 bytes 40
    MPI_Isend(out, 10, MPI_INT, rank, 21, WORLD, &requests[1]);
    // expect all: MPI_Waitall from r num 2 bytes 0
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
}

/* What is cancelled counts nowhere where it was started; its end is an end. */
// expect procedure cancelled
static void cancelled(void)
{
    MPI_Request one, any;
    MPI_Status status;
    int flag;
    for (int i = 0; i < 2; i++) {
        // expect all: MPI_Irecv calls 2 nothing
        MPI_Irecv(in[0], 10, MPI_INT, (rank + 1) % size, 98, WORLD, &one);
        // expect all: MPI_Cancel calls 2 none num 2 bytes 0
        MPI_Cancel(&one);
        // expect all: MPI_Wait from (r+1)%P num 2 bytes 0
        MPI_Wait(&one, &status);
        MPI_Test_cancelled(&status, &flag);
        MUST(flag);
    }
    // expect all: MPI_Irecv calls 1 nothing
    MPI_Irecv(in[0], 10, MPI_INT, MPI_ANY_SOURCE, 98, WORLD, &any);
    // expect all: MPI_Cancel none num 1 bytes 0
    MPI_Cancel(&any);
    // expect all: MPI_Wait none num 1 bytes 0
    MPI_Wait(&any, MPI_STATUS_IGNORE);
}

/* A request that is freed, and one that is only looked at. */
// expect procedure freed
static void freed(void)
{
    MPI_Request request;
    int flag;
    if (rank == 0) {
        // expect 0: MPI_Isend to 1 num 1 bytes 4
        MPI_Isend(out, 1, MPI_INT, 1, 22, WORLD, &request);
        // expect 0: MPI_Request_free none num 1 bytes 0
        MPI_Request_free(&request);
        // expect 0: MPI_Irecv from 1 num 1 bytes 4
        MPI_Irecv(in[0], 1, MPI_INT, 1, 23, WORLD, &request);
        // expect 0: MPI_Request_get_status calls 1 none num 1 bytes 0
        MPI_Request_get_status(request, &flag, MPI_STATUS_IGNORE);
        // expect 0: MPI_Wait from 1 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
        // expect 1: MPI_Recv from 0 num 1 bytes 4
        MPI_Recv(in[0], 1, MPI_INT, 0, 22, WORLD, MPI_STATUS_IGNORE);
        // expect 1: MPI_Send to 0 num 1 bytes 4
        MPI_Send(out, 1, MPI_INT, 0, 23, WORLD);
    }
}

/* Calls that fail have a statement, and transfer nothing. */
// expect procedure failing
static void failing(void)
{
    MPI_Request request = MPI_REQUEST_NULL, two[2];
    MPI_Status statuses[2];
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    // expect all: MPI_Send calls 1 none num 0 bytes 0
    MUST(MPI_Send(out, 1, MPI_INT, size + 1, 0, WORLD) != MPI_SUCCESS);
    // expect all: MPI_Irecv calls 1 none num 0 bytes 0
    MUST(MPI_Irecv(in[0], -1, MPI_INT, 0, 0, WORLD, &request) != MPI_SUCCESS);
    if (rank == 0) {
        // expect 0: MPI_Recv calls 1 none num 0 bytes 0
        MUST(MPI_Recv(in[0], 1, MPI_INT, 1, 24, WORLD, MPI_STATUS_IGNORE) != MPI_SUCCESS);
        // expect 0: MPI_Irecv calls 1 nothing
        MPI_Irecv(in[0], 1, MPI_INT, 1, 25, WORLD, &request);
        // expect 0: MPI_Wait calls 1 none num 0 bytes 0
        MUST(MPI_Wait(&request, MPI_STATUS_IGNORE) != MPI_SUCCESS);
        /* Of two, the second does not fit. */
        for (int i = 0; i < 2; i++) {
            // expect 0: MPI_Irecv calls 2 from 1 num 2 bytes 16
            MPI_Irecv(in[0], 2, MPI_INT, 1, 26, WORLD, &two[0]);
            // expect 0: MPI_Irecv calls 2 nothing
            MPI_Irecv(in[1], 1, MPI_INT, 1, 27, WORLD, &two[1]);
            // expect 0: MPI_Waitall calls 2 from 1 num 2 bytes 0
            MUST(MPI_Waitall(2, two, i ? statuses : MPI_STATUSES_IGNORE) != MPI_SUCCESS);
        }
    } else if (rank == 1) {
        // expect 1: MPI_Send to 0 num 1 bytes 8
        MPI_Send(out, 2, MPI_INT, 0, 24, WORLD);
        // expect 1: MPI_Send to 0 num 1 bytes 8
        MPI_Send(out, 2, MPI_INT, 0, 25, WORLD);
        for (int i = 0; i < 4; i++)
            // expect 1: MPI_Send to 0 num 4 bytes 32
            MPI_Send(out, 2, MPI_INT, 0, 26 + i % 2, WORLD);
    }
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    halo();
    shared_handles();
    modes();
    ways();
    nothing();
    no_partner();
    to_myself();
    cancelled();
    freed();
    failing();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
