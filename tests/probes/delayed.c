/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Every procedure spins and adds up how long, in us, by the clock: what comes on top is weft's. In the fast and the
 * slow way: other callers, loops, recursion, threads. Prints "PROCEDURE US" with everything inside.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define SPIN_NS 20000

static long now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static long spun_ns; /* by one thread at a time */

static void spin(void)
{
    long begin = now_ns(), now;
    while ((now = now_ns()) < begin + SPIN_NS)
        ;
    spun_ns += now - begin;
}

/* Since the last time. */
static double spun_us(void)
{
    static long last;
    double us = (double)(spun_ns - last) / 1000;
    last = spun_ns;
    return us;
}

__attribute__((noinline)) static void leaf(void)
{
    spin();
}

__attribute__((noinline)) static void middle(void)
{
    spin();
    for (int i = 0; i < 20; i++)
        leaf();
}

__attribute__((noinline)) static void turns(void)
{
    for (int i = 0; i < 10; i++) {
        leaf();
        leaf();
    }
}

__attribute__((noinline)) static int deep(int n)
{
    spin();
    return n == 0 ? 0 : deep(n - 1) + 1;
}

static void *thread(void *context)
{
    for (int i = 0; i < 20; i++)
        leaf();
    return context;
}

int main(int argc, char **argv)
{
    pthread_t other;
    double in_middle = 0, in_turns = 0, in_deep = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 10; i++) {
        middle();
        in_middle += spun_us();
        turns();
        in_turns += spun_us();
        deep(9);
        in_deep += spun_us();
    }
    pthread_create(&other, NULL, thread, NULL);
    pthread_join(other, NULL);
    printf("middle %.1f\nturns %.1f\ndeep %.1f\nthread %.1f\n", in_middle, in_turns, in_deep, spun_us());
    MPI_Finalize();
    return 0;
}
