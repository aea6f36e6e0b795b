/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main ends by pthread_exit; its threads go on, and the last one ends the process.
 */
#include <pthread.h>

static pthread_t first;

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sleep(1);
    }
}

static void *run(void *number)
{
    if (number == (void *)0)
        pthread_join(first, NULL);
    for (int i = 0; i < 25; i++)
        work();
    if (number == (void *)0) {
        printf("the last one\n");
        fflush(stdout);
    }
    return NULL;
}

PROCEDURE static void leave(void)
{
    REGION("leave")
    {
        work();
        pthread_exit(NULL);
    }
}

int main(void)
{
    first = pthread_self();
    for (long i = 0; i < 4; i++) {
        pthread_t id;
        MUST(pthread_create(&id, NULL, run, (void *)(i == 3 ? 0 : 1)) == 0);
        MUST(pthread_detach(id) == 0);
    }
    leave();
    return 9;
}
