/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A thread replaces the program by another one, in the same process: this program once more.
 */
#include <pthread.h>
#include <sched.h>

PROCEDURE static void before(void)
{
    REGION("before")
    {
        guest_sink++;
    }
}

PROCEDURE static void behind(void)
{
    REGION("behind")
    {
        guest_sink++;
    }
}

static void *replace(void *path)
{
    for (int i = 0; i < 3; i++)
        before();
    execl("/proc/self/exe", path, "again", "now", (char *)NULL);
    return NULL;
}

static void *spin(void *unused)
{
    for (;;)
        before(), sched_yield();
    return unused;
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        for (int i = 0; i < 5; i++)
            behind();
        printf("again\n");
        return 8;
    }
    pthread_t id;
    if (argc > 1 && strcmp(argv[1], "busy") == 0)
        MUST(pthread_create(&id, NULL, spin, NULL) == 0);
    MUST(pthread_create(&id, NULL, replace, argv[0]) == 0);
    pthread_join(id, NULL);
    printf("not reached\n");
    return 1;
}
