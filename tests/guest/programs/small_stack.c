/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads with the smallest stack there may be. They need little of it themselves, and are the first to meet weft
 * (argument "first"), or the first to meet a procedure; with "mpi" the first to call MPI (MPI itself needs more: not
 * tried here).
 *
 * procedures: met 40
 */
#include <limits.h>
#include <pthread.h>

static pthread_attr_t small;

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

UNWATCHED static void *run(void *first)
{
    work();
    for (int i = 0; i < 10; i++)
        met[(int)(long)first + i]();
    return NULL;
}

UNWATCHED static void thread(int n)
{
    pthread_t id;
    MUST(pthread_create(&id, &small, run, (void *)(long)(10 * n)) == 0);
    pthread_join(id, NULL);
}

__attribute__((no_instrument_function)) int main(void)
{
    pthread_attr_init(&small);
    MUST(pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN) == 0);
    for (int n = 0; n < 4; n++)
        thread(n);
    printf("done\n");
    return 0;
}
