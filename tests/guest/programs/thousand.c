/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thousand threads come and go, twenty at a time.
 */
#include <pthread.h>

enum { AT_A_TIME = 20, ROUNDS = 50, VISITS = 10 };

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

PROCEDURE static void *run(void *unused)
{
    REGION("run")
    {
        for (int i = 0; i < VISITS; i++)
            work();
    }
    return unused;
}

int main(void)
{
    for (int round = 0; round < ROUNDS; round++) {
        pthread_t ids[AT_A_TIME];
        for (int i = 0; i < AT_A_TIME; i++)
            MUST(pthread_create(&ids[i], NULL, run, NULL) == 0);
        for (int i = 0; i < AT_A_TIME; i++)
            MUST(pthread_join(ids[i], NULL) == 0);
    }
    printf("done\n");
    return 0;
}
