/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Persistent requests: number and bytes are with the statement that starts them.
 */
#include "known.h"

static int out[1000], in[4][1000];
static char room[1 << 16];

// expect procedure ring
static void ring(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Request requests[2];
    // expect all: MPI_Send_init none num 1 bytes 0
    MPI_Send_init(out, 10, MPI_INT, right, 0, WORLD, &requests[0]);
    // expect all: MPI_Recv_init none num 1 bytes 0
    MPI_Recv_init(in[0], 100, MPI_INT, left, 0, WORLD, &requests[1]);
    for (int i = 0; i < 7; i++) {
        // expect all: MPI_Startall calls 7 to (r+1)%P num 7 bytes 7*40, from (r+3)%P num 7 bytes 7*40
        MPI_Startall(2, requests);
        // expect all: MPI_Waitall calls 7 to (r+1)%P num 7 bytes 0, from (r+3)%P num 7 bytes 0
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    /* The same requests, started by other statements. */
    for (int i = 0; i < 3; i++) {
        // expect all: MPI_Start from (r+3)%P num 3 bytes 3*40
        MPI_Start(&requests[1]);
        // expect all: MPI_Start to (r+1)%P num 3 bytes 3*40
        MPI_Start(&requests[0]);
        // expect all: MPI_Wait to (r+1)%P num 3 bytes 0
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
        // expect all: MPI_Wait from (r+3)%P num 3 bytes 0
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        // expect all: MPI_Request_free calls 2 none num 2 bytes 0
        MPI_Request_free(&requests[i]);
}

/* A persistent receive from any source: each time from the rank that sent. */
// expect procedure any_source
static void any_source(void)
{
    if (rank == 0) {
        MPI_Request request;
        // expect 0: MPI_Recv_init none num 1 bytes 0
        MPI_Recv_init(in[0], 100, MPI_INT, MPI_ANY_SOURCE, 1, WORLD, &request);
        for (int i = 0; i < 3; i++) {
            // expect 0: MPI_Start from 1 num 1 bytes 4, from 2 num 1 bytes 8, from 3 num 1 bytes 12
            MPI_Start(&request);
            // expect 0: MPI_Wait from 1 num 1 bytes 0, from 2 num 1 bytes 0, from 3 num 1 bytes 0
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        /* Started and cancelled: no transfer. */
        // expect 0: MPI_Start calls 1 nothing
        MPI_Start(&request);
        // expect 0: MPI_Cancel none num 1 bytes 0
        MPI_Cancel(&request);
        // expect 0: MPI_Wait none num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect 0: MPI_Request_free none num 1 bytes 0
        MPI_Request_free(&request);
    } else {
        // expect r>0: MPI_Send to 0 num 1 bytes 4*r
        MPI_Send(out, rank, MPI_INT, 0, 1, WORLD);
    }
}

// expect procedure modes
static void modes(void)
{
    void *old;
    count_t old_bytes;
    // expect all: MPI_Buffer_attach none num 1 bytes 0
    MPI_Buffer_attach(room, sizeof room);
    if (rank == 1) {
        MPI_Request requests[3];
        // expect 1: MPI_Bsend_init none num 1 bytes 0
        MPI_Bsend_init(out, 10, MPI_INT, 2, 2, WORLD, &requests[0]);
        // expect 1: MPI_Ssend_init none num 1 bytes 0
        MPI_Ssend_init(out, 20, MPI_INT, 2, 3, WORLD, &requests[1]);
        // expect 1: MPI_Rsend_init none num 1 bytes 0
        MPI_Rsend_init(out, 30, MPI_INT, 2, 4, WORLD, &requests[2]);
        // expect 1: MPI_Recv from 2 num 1 bytes 0
        MPI_Recv(NULL, 0, MPI_INT, 2, 5, WORLD, MPI_STATUS_IGNORE);
        // expect 1: MPI_Startall calls 1 to 2 num 3 bytes 240
        MPI_Startall(3, requests);
        // expect 1: MPI_Waitall calls 1 to 2 num 3 bytes 0
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        for (int i = 0; i < 3; i++)
            // expect 1: MPI_Request_free none num 3 bytes 0
            MPI_Request_free(&requests[i]);
    } else if (rank == 2) {
        MPI_Request requests[3];
        for (int i = 0; i < 3; i++)
            // expect 2: MPI_Irecv from 1 num 3 bytes 240
            MPI_Irecv(in[i], 100, MPI_INT, 1, 2 + i, WORLD, &requests[i]);
        // expect 2: MPI_Send to 1 num 1 bytes 0
        MPI_Send(NULL, 0, MPI_INT, 1, 5, WORLD);
        // expect 2: MPI_Waitall from 1 num 3 bytes 0
        MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    }
    // expect all: MPI_Buffer_detach none num 1 bytes 0
    MPI_Buffer_detach(&old, &old_bytes);
}

/* Persistent and plain requests side by side, tested; an inactive one is nothing to wait for. */
// expect procedure mixed
static void mixed(void)
{
    int partner = rank ^ 1, flag = 0;
    MPI_Request requests[2];
    // expect all: MPI_Recv_init none num 1 bytes 0
    MPI_Recv_init(in[0], 100, MPI_INT, partner, 6, WORLD, &requests[0]);
    // expect all: MPI_Wait calls 1 none num 0 bytes 0
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    for (int i = 0; i < 5; i++) {
        // expect all: MPI_Start from r/2*2+1-r%2 num 5 bytes 5*4
        MPI_Start(&requests[0]);
        // expect all: MPI_Isend to r/2*2+1-r%2 num 5 bytes 5*4
        MPI_Isend(out, 1, MPI_INT, partner, 6, WORLD, &requests[1]);
        for (flag = 0; !flag;)
            // expect all: MPI_Testall to r/2*2+1-r%2 num 10 bytes 0, perhaps none num 0 bytes 0
            MPI_Testall(2, requests, &flag, MPI_STATUSES_IGNORE);
    }
    // expect all: MPI_Waitall calls 1 none num 0 bytes 0
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    // expect all: MPI_Request_free none num 1 bytes 0
    MPI_Request_free(&requests[0]);
}

/* No partner: MPI_PROC_NULL. */
// expect procedure no_partner
static void no_partner(void)
{
    MPI_Request requests[2];
    // expect all: MPI_Send_init none num 1 bytes 0
    MPI_Send_init(out, 10, MPI_INT, MPI_PROC_NULL, 7, WORLD, &requests[0]);
    // expect all: MPI_Recv_init none num 1 bytes 0
    MPI_Recv_init(in[0], 10, MPI_INT, MPI_PROC_NULL, 7, WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        // expect all: MPI_Startall calls 2 none num 4 bytes 0
        MPI_Startall(2, requests);
        // expect all: MPI_Waitall calls 2 none num 4 bytes 0
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 2; i++)
        // expect all: MPI_Request_free none num 2 bytes 0
        MPI_Request_free(&requests[i]);
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    ring();
    any_source();
    modes();
    mixed();
    no_partner();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
