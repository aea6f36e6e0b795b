/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Watching pauses for all threads, whoever asks for it: one thread has met work, main asks for the pause, then the other way round. The same again after
 * the pause: all is counted. "in": the thread is in a procedure when the pause begins, and another when it ends.
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

PROCEDURE static void around(void)
{
    REGION("around")
    {
        for (int i = 0; i < 10; i++)
            work();
        pthread_barrier_wait(&barrier); /* main pauses */
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < 1000; i++)
            work();
        guest_sleep(300);
        pthread_barrier_wait(&barrier); /* main resumes */
        pthread_barrier_wait(&barrier);
        for (int i = 0; i < 10; i++)
            work();
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
    for (int i = 0; i < 10; i++)
        main_work();
    pthread_barrier_wait(&barrier);
    MPI_Pcontrol(0);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 1000; i++)
        main_work();
    pthread_barrier_wait(&barrier);
    MPI_Pcontrol(1);
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 10; i++)
        main_work();
    pthread_join(id, NULL);
    for (int i = 0; i < 5; i++)
        work();
    printf("done\n");
    MPI_Finalize();
    return 0;
}
