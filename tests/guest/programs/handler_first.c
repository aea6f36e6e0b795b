/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A handler meets weft at the very moment when the program meets it: in forty processes, because each has one such
 * moment.
 *
 * skip: main,one,handler
 */
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>

static volatile sig_atomic_t struck;

PROCEDURE static void strike(void)
{
    REGION("strike")
    {
        struck++;
    }
}

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

__attribute__((no_instrument_function)) static void handler(int number)
{
    (void)number;
    strike();
}

UNWATCHED static int one(int delay)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
    struct itimerval timer = {{0, 20}, {0, delay}}, none = {{0, 0}, {0, 0}};
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (int i = 0; i < 100; i++)
        work();
    while (struck < 20)
        ;
    setitimer(ITIMER_REAL, &none, NULL);
    return 7;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    if (argc > 1)
        return one(atoi(argv[1]));
    int ended = 0;
    for (int i = 0; i < 40; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            char delay[16];
            snprintf(delay, sizeof delay, "%d", 20 + 10 * i);
            execl("/proc/self/exe", argv[0], delay, (char *)NULL);
            _exit(98);
        }
        alarm(8); /* a child that hangs ends us */
        while (waitpid(pid, &status, 0) < 0)
            MUST(errno == EINTR);
        ended += WIFEXITED(status) && WEXITSTATUS(status) == 7;
    }
    printf("%d ended\n", ended);
    return 0;
}
