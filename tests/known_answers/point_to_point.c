/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocking sends and receives, and probes.
 */
#include "known.h"

static int ints[1000];
static char room[1 << 16];

/* Different numbers for different partners, and receives that offer more room than the message needs. */
// expect procedure sends
static void sends(void)
{
    if (rank == 0) {
        for (int to = 1; to < size; to++)
            for (int i = 0; i < 10 * to; i++)
                // expect 0: MPI_Send calls 60 to 1 num 10 bytes 400, to 2 num 20 bytes 800, to 3 num 30 bytes 1200
                MPI_Send(ints, 10, MPI_INT, to, 1, WORLD);
    } else {
        for (int i = 0; i < 10 * rank; i++)
            // expect r>0: MPI_Recv calls 10*r from 0 num 10*r bytes 400*r
            MPI_Recv(ints, 1000, MPI_INT, 0, 1, WORLD, MPI_STATUS_IGNORE);
    }
}

/* The statements of one function are told apart by their lines. */
// expect procedure modes
static void modes(void)
{
    void *old;
    count_t old_bytes;
    if (rank == 1) {
        // expect 1: MPI_Buffer_attach none num 1 bytes 0
        MPI_Buffer_attach(room, sizeof room);
        for (int i = 0; i < 3; i++)
            // expect 1: MPI_Bsend to 3 num 3 bytes 3*8*7
            MPI_Bsend(ints, 7, MPI_DOUBLE, 3, 2, WORLD);
        // expect 1: MPI_Ssend to 3 num 1 bytes 5
        MPI_Ssend(ints, 5, MPI_CHAR, 3, 3, WORLD);
        // expect 1: MPI_Recv from 3 num 1 bytes 0
        MPI_Recv(NULL, 0, MPI_INT, 3, 4, WORLD, MPI_STATUS_IGNORE);
        // expect 1: MPI_Rsend to 3 num 1 bytes 80
        MPI_Rsend(ints, 10, MPI_LONG, 3, 5, WORLD);
        // expect 1: MPI_Buffer_detach none num 1 bytes 0
        MPI_Buffer_detach(&old, &old_bytes);
        MUST(old == room && old_bytes == sizeof room);
    } else if (rank == 3) {
        MPI_Request ready;
        for (int i = 0; i < 3; i++)
            // expect 3: MPI_Recv from 1 num 3 bytes 3*8*7
            MPI_Recv(ints, 7, MPI_DOUBLE, 1, 2, WORLD, MPI_STATUS_IGNORE);
        // expect 3: MPI_Recv from 1 num 1 bytes 5
        MPI_Recv(ints, 5, MPI_CHAR, 1, 3, WORLD, MPI_STATUS_IGNORE);
        // expect 3: MPI_Irecv from 1 num 1 bytes 80
        MPI_Irecv(ints, 10, MPI_LONG, 1, 5, WORLD, &ready);
        // expect 3: MPI_Send to 1 num 1 bytes 0
        MPI_Send(NULL, 0, MPI_INT, 1, 4, WORLD);
        // expect 3: MPI_Wait from 1 num 1 bytes 0
        MPI_Wait(&ready, MPI_STATUS_IGNORE);
    }
}

// expect procedure both_ways
static void both_ways(void)
{
    int right = (rank + 1) % size, left = (rank + size - 1) % size;
    MPI_Status status;
    for (int i = 0; i < 4; i++)
        // expect all: MPI_Sendrecv calls 4 to (r+1)%P num 4 bytes 4*(r+1)*4, from (r+P-1)%P num 4 bytes 4*((r+P-1)%P+1)*4
        MPI_Sendrecv(ints, rank + 1, MPI_INT, right, 6, ints + 100, 100, MPI_INT, left, 6, WORLD, &status);
    MUST(status.MPI_SOURCE == left);
    // expect all: MPI_Sendrecv to (r+1)%P num 1 bytes 12, from (r+P-1)%P num 1 bytes 12
    MPI_Sendrecv(ints, 3, MPI_INT, right, 7, ints + 100, 100, MPI_INT, MPI_ANY_SOURCE, 7, WORLD, MPI_STATUS_IGNORE);
    // expect all: MPI_Sendrecv_replace to r/2*2+1-r%2 num 2 bytes 2*24
    MPI_Sendrecv_replace(ints, 3, MPI_DOUBLE, rank ^ 1, 8, rank ^ 1, 8, WORLD, MPI_STATUS_IGNORE);
    // expect all: MPI_Sendrecv to r num 2 bytes 2*4
    MPI_Sendrecv(ints, 1, MPI_INT, rank, 9, ints + 1, 1, MPI_INT, rank, 9, WORLD, MPI_STATUS_IGNORE);
    /* A chain: its ends have no partner on one side. */
    // expect 0: MPI_Sendrecv to 1 num 1 bytes 8, none num 1 bytes 0
    // expect 1-2: MPI_Sendrecv to r+1 num 1 bytes 8, from r-1 num 1 bytes 8
    // expect 3: MPI_Sendrecv none num 1 bytes 0, from 2 num 1 bytes 8
    MPI_Sendrecv(ints, 2, MPI_INT, rank == 3 ? MPI_PROC_NULL : rank + 1, 10, ints + 2, 2, MPI_INT, rank == 0 ? MPI_PROC_NULL : rank - 1, 10, WORLD, &status);
}

// expect procedure no_partner
static void no_partner(void)
{
    MPI_Status status;
    for (int i = 0; i < 5; i++) {
        // expect all: MPI_Send calls 5 none num 5 bytes 0
        MPI_Send(ints, 10, MPI_INT, MPI_PROC_NULL, 11, WORLD);
        // expect all: MPI_Recv calls 5 none num 5 bytes 0
        MPI_Recv(ints, 10, MPI_INT, MPI_PROC_NULL, 11, WORLD, &status);
    }
}

/* What counts is the size of the data, not the room it takes. */
// expect procedure derived
static void derived(void)
{
    MPI_Datatype column, pair;
    MPI_Type_vector(10, 1, 10, MPI_INT, &column);
    MPI_Type_commit(&column);
    MPI_Type_create_struct(2, (int[]){1, 2}, (MPI_Aint[]){0, 8}, (MPI_Datatype[]){MPI_CHAR, MPI_DOUBLE}, &pair);
    MPI_Type_commit(&pair);
    if (rank == 2) {
        // expect 2: MPI_Send to 0 num 1 bytes 80
        MPI_Send(ints, 2, column, 0, 12, WORLD);
        // expect 2: MPI_Send to 0 num 1 bytes 3*17
        MPI_Send(ints, 3, pair, 0, 13, WORLD);
    } else if (rank == 0) {
        // expect 0: MPI_Recv from 2 num 1 bytes 80
        MPI_Recv(ints, 20, MPI_INT, 2, 12, WORLD, MPI_STATUS_IGNORE);
        // expect 0: MPI_Recv from 2 num 1 bytes 3*17
        MPI_Recv(ints, 4, pair, 2, 13, WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Type_free(&column);
    MPI_Type_free(&pair);
}

// expect procedure any_source
static void any_source(void)
{
    if (rank == 0) {
        for (int i = 0; i < 1 + 2 + 3; i++)
            // expect 0: MPI_Recv from 1 num 1 bytes 4, from 2 num 2 bytes 16, from 3 num 3 bytes 36
            MPI_Recv(ints, 1000, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, MPI_STATUS_IGNORE);
    } else {
        for (int i = 0; i < rank; i++)
            // expect r>0: MPI_Send to 0 num r bytes r*r*4
            MPI_Send(ints, rank, MPI_INT, 0, i, WORLD);
    }
    // expect all: MPI_Barrier all num 1 bytes 0
    MPI_Barrier(WORLD);
}

/* A probe tells of a message, the receive has its bytes. */
// expect procedure probes
static void probes(void)
{
    MPI_Status status;
    MPI_Message message;
    int found = 0;
    if (rank == 3) {
        for (int i = 0; i < 3; i++)
            // expect 3: MPI_Iprobe calls 3 nothing
            MPI_Iprobe(MPI_ANY_SOURCE, 99, WORLD, &found, MPI_STATUS_IGNORE);
        // expect 3: MPI_Improbe calls 1 nothing
        MPI_Improbe(MPI_ANY_SOURCE, 99, WORLD, &found, &message, MPI_STATUS_IGNORE);
        MUST(!found);
        // expect 3: MPI_Probe from 1 num 1 bytes 0
        MPI_Probe(1, 20, WORLD, &status);
        // expect 3: MPI_Recv from 1 num 1 bytes 400
        MPI_Recv(ints, 1000, MPI_INT, 1, 20, WORLD, &status);
        for (found = 0; !found;)
            // expect 3: MPI_Iprobe from 1 num 1 bytes 0, perhaps none num 0 bytes 0
            MPI_Iprobe(MPI_ANY_SOURCE, 21, WORLD, &found, MPI_STATUS_IGNORE);
        // expect 3: MPI_Recv from 1 num 1 bytes 400
        MPI_Recv(ints, 1000, MPI_INT, MPI_ANY_SOURCE, 21, WORLD, MPI_STATUS_IGNORE);
        // expect 3: MPI_Mprobe from 1 num 1 bytes 0
        MPI_Mprobe(MPI_ANY_SOURCE, 22, WORLD, &message, MPI_STATUS_IGNORE);
        // expect 3: MPI_Mrecv from 1 num 1 bytes 400
        MPI_Mrecv(ints, 1000, MPI_INT, &message, MPI_STATUS_IGNORE);
        for (found = 0; !found;)
            // expect 3: MPI_Improbe from 1 num 1 bytes 0, perhaps none num 0 bytes 0
            MPI_Improbe(1, 23, WORLD, &found, &message, &status);
        MPI_Request request;
        // expect 3: MPI_Imrecv from 1 num 1 bytes 400
        MPI_Imrecv(ints, 1000, MPI_INT, &message, &request);
        // expect 3: MPI_Wait from 1 num 1 bytes 0
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        // expect 3: MPI_Probe none num 1 bytes 0
        MPI_Probe(MPI_PROC_NULL, 24, WORLD, &status);
        // expect 3: MPI_Mprobe none num 1 bytes 0
        MPI_Mprobe(MPI_PROC_NULL, 24, WORLD, &message, &status);
        // expect 3: MPI_Mrecv none num 1 bytes 0
        MPI_Mrecv(ints, 10, MPI_INT, &message, &status);
    } else if (rank == 1) {
        for (int tag = 20; tag < 24; tag++)
            // expect 1: MPI_Send to 3 num 4 bytes 1600
            MPI_Send(ints, 100, MPI_INT, 3, tag, WORLD);
    }
}

/* Two messages of different senders are matched before either is received. */
// expect procedure two_matched
static void two_matched(void)
{
    if (rank == 0) {
        MPI_Message first, second;
        // expect 0: MPI_Mprobe from 1 num 1 bytes 0
        MPI_Mprobe(1, 30, WORLD, &first, MPI_STATUS_IGNORE);
        // expect 0: MPI_Mprobe from 2 num 1 bytes 0
        MPI_Mprobe(2, 30, WORLD, &second, MPI_STATUS_IGNORE);
        // expect 0: MPI_Mrecv from 2 num 1 bytes 8
        MPI_Mrecv(ints, 10, MPI_INT, &second, MPI_STATUS_IGNORE);
        // expect 0: MPI_Mrecv from 1 num 1 bytes 4
        MPI_Mrecv(ints, 10, MPI_INT, &first, MPI_STATUS_IGNORE);
    } else if (rank <= 2) {
        // expect 1-2: MPI_Send to 0 num 1 bytes 4*r
        MPI_Send(ints, rank, MPI_INT, 0, 30, WORLD);
    }
}

// expect procedure main
int main(int argc, char **argv)
{
    // expect all: MPI_Init all num 1 bytes 0
    MPI_Init(&argc, &argv);
    who_am_i();
    sends();
    modes();
    both_ways();
    no_partner();
    derived();
    any_source();
    probes();
    two_matched();
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
