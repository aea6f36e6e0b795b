/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A child is made while another thread is the first to meet weft. In thirty processes, because each has one such
 * moment; each waits a little longer.
 *
 * skip: main,one,run
 */
#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static volatile int ready;

PROCEDURE static void in_child(void)
{
    REGION("in_child")
    {
        guest_sink++;
    }
}

PROCEDURE static void work(void)
{
    REGION("work")
    {
        guest_sink++;
    }
}

UNWATCHED static void *run(void *unused)
{
    ready = 1;
    for (int i = 0; i < 10; i++)
        work();
    return unused;
}

UNWATCHED static int one(long delay_ns)
{
    pthread_t id;
    struct timespec begin, now;
    MUST(pthread_create(&id, NULL, run, NULL) == 0);
    while (!ready)
        ;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while ((now.tv_sec - begin.tv_sec) * 1000000000 + now.tv_nsec - begin.tv_nsec < delay_ns);
    pid_t pid = fork();
    if (pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        in_child();
        work();
        _exit(3);
    }
    int status;
    alarm(5); /* it ends us, and with us a child that hangs */
    MUST(waitpid(pid, &status, 0) == pid);
    pthread_join(id, NULL);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

__attribute__((no_instrument_function)) int main(int argc, char **argv)
{
    if (argc > 1)
        return one(atol(argv[1]));
    int ended = 0;
    for (int i = 0; i < 30; i++) {
        int status;
        pid_t pid = fork();
        if (pid == 0) {
            char delay[16];
            snprintf(delay, sizeof delay, "%d", 15000 * i);
            execl("/proc/self/exe", argv[0], delay, (char *)NULL);
            _exit(98);
        }
        MUST(waitpid(pid, &status, 0) == pid);
        MUST(WIFEXITED(status) && WEXITSTATUS(status) == 3);
        ended++;
    }
    printf("%d ended\n", ended);
    return 0;
}
