/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What is hard for a shadow stack: longjmp over procedures, fork, threads, recursion, exit from below. Each procedure
 * is visited a known number of times.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf back;
static volatile int sink;

static int work(int n)
{
    for (int i = 0; i < n; i++)
        sink += i;
    return n;
}

static void jumper(int depth)
{
    work(10);
    if (depth == 0)
        longjmp(back, 1);
    jumper(depth - 1);
}

static void catcher(void)
{
    for (volatile int i = 0; i < 5; i++)
        if (setjmp(back) == 0)
            jumper(3);
}

static int forker(void)
{
    pid_t child = fork();
    work(10);
    if (child == 0)
        return 1;
    waitpid(child, NULL, 0);
    return 0;
}

static int ack(int m, int n)
{
    work(1);
    return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1));
}

static int even(int n);

static int odd(int n)
{
    work(1);
    return n == 0 ? 0 : even(n - 1);
}

static int even(int n)
{
    work(1);
    return n == 0 ? 1 : odd(n - 1);
}

static void *thread(void *context)
{
    for (int i = 0; i < 20000; i++)
        work(3);
    return context;
}

static void threads(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, thread, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
}

static void leaves(void)
{
    printf("%d %d %d\n", ack(2, 3), even(10), odd(7));
    fflush(stdout);
    exit(4);
}

int main(void)
{
    if (forker()) {
        work(10);
        return 0;
    }
    catcher();
    threads();
    leaves();
}
