/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Watching pauses for all threads, whichever of them asks for it: one thread has met work, main asks for the pause,
 * then the other way round. The same again after the pause: all is counted. The thread is in a procedure meanwhile,
 * which does not have the time of the pause.
 *
 * skip: repeat
 */
#include <mpi.h>
#include <pthread.h>

static pthread_barrier_t barrier;

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

PROCEDURE static void main_work(void)
{
    REGION("main_work")
    {
        guest_sink++;
    }
}

/* One place that all entries come from. */
UNWATCHED static void repeat(void (*procedure)(void), int times)
{
    for (int i = 0; i < times; i++)
        procedure();
}

PROCEDURE static void around(void)
{
    REGION("around")
    {
        repeat(work, 10);
        pthread_barrier_wait(&barrier); /* main pauses */
        pthread_barrier_wait(&barrier);
        repeat(work, 1000);
        guest_sleep(700);
        pthread_barrier_wait(&barrier); /* main resumes */
        pthread_barrier_wait(&barrier);
        repeat(work, 10);
    }
}

static void *run(void *unused)
{
    (void)unused;
    around();
    return NULL;
}

int main(int argc, char **argv)
{
    int level;
    pthread_t id;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    pthread_barrier_init(&barrier, NULL, 2);
    MUST(pthread_create(&id, NULL, run, NULL) == 0);
    repeat(main_work, 10);
    pthread_barrier_wait(&barrier);
    MPI_Pcontrol(0);
    pthread_barrier_wait(&barrier);
    repeat(main_work, 1000);
    pthread_barrier_wait(&barrier);
    MPI_Pcontrol(1);
    pthread_barrier_wait(&barrier);
    repeat(main_work, 10);
    pthread_join(id, NULL);
    repeat(work, 5);
    printf("done\n");
    MPI_Finalize();
    return 0;
}
