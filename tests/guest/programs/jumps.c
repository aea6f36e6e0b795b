/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A handler, 10,000 times a second, jumps out of procedures, wherever they are: also out of a probe, also while it
 * meets a procedure. A jump comes 300 times; what is called afterwards is counted.
 *
 * procedures: met 300
 * skip: main,catcher,handler
 */
#include <setjmp.h>
#include <signal.h>
#include <sys/time.h>

static sigjmp_buf back;
static volatile int met_so_far;

__attribute__((no_instrument_function)) static void handler(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

PROCEDURE static void inner(void)
{
    REGION("inner")
    {
        guest_sink++;
    }
}

PROCEDURE static void victim(void)
{
    REGION("victim")
    {
        for (;;) {
            inner();
            if (met_so_far < COUNT(met)) {
                int n = met_so_far;
                met_so_far = n + 1;
                met[n]();
            }
        }
    }
}

UNWATCHED static void catcher(void)
{
    struct itimerval once = {{0, 0}, {0, 100}};
    for (volatile int jumps = 0; jumps < 300; jumps++)
        if (sigsetjmp(back, 1) == 0) {
            once.it_value.tv_usec = 30 + jumps % 100;
            setitimer(ITIMER_REAL, &once, NULL);
            victim();
        }
}

PROCEDURE static void after(void)
{
    REGION("after")
    {
        guest_sink++;
    }
}

__attribute__((no_instrument_function)) int main(void)
{
    struct sigaction action = {.sa_handler = handler};
    inner();
    sigaction(SIGALRM, &action, NULL);
    catcher();
    for (int i = 0; i < 10; i++)
        after();
    printf("done\n");
    return 0;
}
