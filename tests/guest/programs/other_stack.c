/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An instrumented handler on a stack of its own, which lies above the thread's ("high"), or below it.
 */
#include <signal.h>
#include <sys/mman.h>

static volatile int handled;

PROCEDURE static void helper(void)
{
    REGION("helper")
    {
        guest_sink++;
    }
}

PROCEDURE static void handler(int number)
{
    (void)number;
    REGION("handler")
    {
        helper();
        handled++;
    }
}

PROCEDURE static void inner(void)
{
    REGION("inner")
    {
        raise(SIGUSR1);
        helper();
    }
}

PROCEDURE static void work(void)
{
    REGION("work")
    {
        inner();
        raise(SIGUSR1);
        inner();
    }
}

int main(int argc, char **argv)
{
    static char below[64 * 1024];
    int high = argc > 1 && strcmp(argv[1], "high") == 0;
    char room[128 * 1024]; /* in main's own frame: above those of all that it calls */
    stack_t stack = {.ss_sp = high ? room : below, .ss_size = sizeof below};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    MUST(sigaltstack(&stack, NULL) == 0);
    sigaction(SIGUSR1, &action, NULL);
    for (int i = 0; i < 100; i++)
        work();
    printf("%d handled\n", handled);
    return 0;
}
