/* SPDX-License-Identifier: BSD-3-Clause
 *
 * MPI_THREAD_MULTIPLE: nothing is lost and nothing counted twice when several threads communicate at once; a thread may complete what
 * another one started.
 */
#include <pthread.h>
#include <stdint.h>

#include "known.h"

#define THREADS 4
#define ROUNDS 200

static MPI_Comm comms[THREADS];

/* All threads share these statements. */
// expect procedure talk
static void *talk(void *argument)
{
    int t = (int)(intptr_t)argument, right = (rank + 1) % size, left = (rank + size - 1) % size;
    int out[8] = {0}, in[8];
    MPI_Request requests[2];
    for (int i = 0; i < ROUNDS; i++) {
        // expect all: MPI_Irecv calls 800 from (r+3)%P num 800 bytes 4*800*5/2
        MPI_Irecv(in, 8, MPI_INT, left, t, WORLD, &requests[0]);
        // expect all: MPI_Isend calls 800 to (r+1)%P num 800 bytes 4*800*5/2
        MPI_Isend(out, t + 1, MPI_INT, right, t, WORLD, &requests[1]);
        // expect all: MPI_Waitall calls 800 from (r+3)%P num 800 bytes 0, to (r+1)%P num 800 bytes 0
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        // expect all: MPI_Irecv calls 800 from (r+3)%P num 800 bytes 4*800
        MPI_Irecv(in, 8, MPI_INT, MPI_ANY_SOURCE, THREADS + t, WORLD, &requests[0]);
        // expect all: MPI_Send calls 800 to (r+1)%P num 800 bytes 4*800
        MPI_Send(out, 1, MPI_INT, right, THREADS + t, WORLD);
        // expect all: MPI_Wait calls 800 from (r+3)%P num 800 bytes 0
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < ROUNDS / 10; i++)
        // expect all: MPI_Allreduce calls 80 all num 80 bytes 320
        MPI_Allreduce(MPI_IN_PLACE, out, 1, MPI_INT, MPI_SUM, comms[t]);
    return NULL;
}

/* One thread starts receives, another one waits for them: a slot of one request, handed over and back. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static MPI_Request slot[2];
static int full, landing[8];

static void wait_for(int state)
{
    pthread_mutex_lock(&mutex);
    while (full != state)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static void set(int state)
{
    pthread_mutex_lock(&mutex);
    full = state;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

// expect procedure starter
static void *starter(void *unused)
{
    static int out[3];
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(0);
        // expect all: MPI_Irecv from (r+1)%P num 200 bytes 200*12
        MPI_Irecv(landing, 8, MPI_INT, (rank + 1) % size, 50, WORLD, &slot[0]);
        // expect all: MPI_Isend to (r+3)%P num 200 bytes 200*12
        MPI_Isend(out, 3, MPI_INT, (rank + 3) % size, 50, WORLD, &slot[1]);
        set(1);
    }
    return NULL;
}

// expect procedure finisher
static void *finisher(void *unused)
{
    (void)unused;
    for (int i = 0; i < ROUNDS; i++) {
        wait_for(1);
        // expect all: MPI_Waitall from (r+1)%P num 200 bytes 0, to (r+3)%P num 200 bytes 0
        MPI_Waitall(2, slot, MPI_STATUSES_IGNORE);
        set(0);
    }
    return NULL;
}

/* Threads that live for one message. */
// expect procedure short_life
static void *short_life(void *unused)
{
    int x = 0, y;
    (void)unused;
    // expect all: MPI_Sendrecv calls 100 to r/2*2+1-r%2 num 200 bytes 800
    MPI_Sendrecv(&x, 1, MPI_INT, rank ^ 1, 60, &y, 1, MPI_INT, rank ^ 1, 60, WORLD, MPI_STATUS_IGNORE);
    return NULL;
}

// expect procedure main
int main(int argc, char **argv)
{
    pthread_t threads[THREADS + 2];
    int provided;
    // expect all: MPI_Init_thread all num 1 bytes 0
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    who_am_i();
    MUST(provided == MPI_THREAD_MULTIPLE);
    for (int t = 0; t < THREADS; t++)
        // expect all: MPI_Comm_dup all num 4 bytes 0
        MPI_Comm_dup(WORLD, &comms[t]);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, talk, (void *)(intptr_t)t);
    pthread_create(&threads[THREADS], NULL, starter, NULL);
    pthread_create(&threads[THREADS + 1], NULL, finisher, NULL);
    for (int t = 0; t < THREADS + 2; t++)
        pthread_join(threads[t], NULL);
    for (int i = 0; i < 50; i++) {
        for (int t = 0; t < 2; t++)
            pthread_create(&threads[t], NULL, short_life, NULL);
        for (int t = 0; t < 2; t++)
            pthread_join(threads[t], NULL);
    }
    for (int t = 0; t < THREADS; t++)
        // expect all: MPI_Comm_free all num 4 bytes 0
        MPI_Comm_free(&comms[t]);
    // expect all: MPI_Finalize all num 1 bytes 0
    MPI_Finalize();
    return 0;
}
