/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads are cancelled at any point ("async") or between their procedures ("deferred"), while they meet procedures
 * that are new. What comes afterwards is counted.
 *
 * procedures: met 600
 */
#include <pthread.h>

static int asynchronous;

PROCEDURE static void deep(int n)
{
    REGION("deep")
    {
        if (n < COUNT(met))
            met[n]();
        guest_sink++;
    }
}

UNWATCHED static void *run(void *first)
{
    if (asynchronous)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
    for (int n = (int)(long)first;; n = n + 1 < COUNT(met) ? n + 1 : 0) {
        deep(n);
        if (!asynchronous)
            pthread_testcancel();
    }
    return NULL;
}

PROCEDURE static void after(void)
{
    REGION("after")
    {
        guest_sink++;
    }
}

int main(int argc, char **argv)
{
    asynchronous = argc > 1 && strcmp(argv[1], "async") == 0;
    for (int i = 0; i < 200; i++) {
        pthread_t ids[2];
        void *result;
        for (long k = 0; k < 2; k++)
            MUST(pthread_create(&ids[k], NULL, run, (void *)(3 * i % 300 + 300 * k)) == 0);
        usleep((useconds_t)(i % 20 * 50));
        for (int k = 0; k < 2; k++)
            MUST(pthread_cancel(ids[k]) == 0);
        for (int k = 0; k < 2; k++)
            MUST(pthread_join(ids[k], &result) == 0 && result == PTHREAD_CANCELED);
    }
    for (int i = 0; i < 10; i++)
        after();
    printf("done\n");
    return 0;
}
