/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads that end in the middle of procedures: by pthread_exit, by being cancelled (the argument), one after the
 * other. Each works for 10 ms.
 */
#include <pthread.h>
#include <semaphore.h>

static sem_t ready;
static int by_exit;

PROCEDURE static void inner(void)
{
    REGION("inner")
    {
        guest_sleep(10);
        if (by_exit)
            pthread_exit((void *)5);
        sem_post(&ready);
        for (;;)
            pause();
    }
}

PROCEDURE static void *work(void *unused)
{
    (void)unused;
    REGION("work")
    {
        inner();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    by_exit = argc > 1 && strcmp(argv[1], "exit") == 0;
    sem_init(&ready, 0, 0);
    for (int i = 0; i < 8; i++) {
        pthread_t id;
        void *result;
        MUST(pthread_create(&id, NULL, work, NULL) == 0);
        if (!by_exit) {
            sem_wait(&ready);
            MUST(pthread_cancel(id) == 0);
        }
        MUST(pthread_join(id, &result) == 0);
        MUST(result == (by_exit ? (void *)5 : PTHREAD_CANCELED));
        guest_sleep(100);
    }
    printf("done\n");
    return 0;
}
