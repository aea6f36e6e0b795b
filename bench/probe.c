/* SPDX-License-Identifier: BSD-3-Clause
 *
 * probe: prints what one entry and exit of an instrumented procedure adds to a call, in ns: blocks of plain and probed
 * calls alternate, and the best of many differences counts, because noise only ever adds. probe p|q N: N plain or
 * probed calls, for counting instructions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <weft/probe.h>

volatile int sink;

__attribute__((noinline)) static void plain(int x)
{
    sink = x;
}

__attribute__((noinline)) static void probed(int x)
{
    WEFT_SCOPE_(1, WEFT_PROCEDURE_, "probed", __FILE__, __LINE__)
    sink = x;
}

static double block(void (*call)(int), int n)
{
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int i = 0; i < n; i++)
        call(i);
    clock_gettime(CLOCK_MONOTONIC, &b);
    return ((double)(b.tv_sec - a.tv_sec) * 1e9 + (double)(b.tv_nsec - a.tv_nsec)) / n;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { BLOCKS = 400, CALLS = 2000 };
    static double differences[BLOCKS];
    if (argc > 2) {
        block(argv[1][0] == 'p' ? plain : probed, atoi(argv[2]));
        return 0;
    }
    for (int i = 0; i < BLOCKS; i++)
        differences[i] = -block(plain, CALLS) + block(probed, CALLS);
    qsort(differences, BLOCKS, sizeof *differences, compare);
    printf("%.2f\n", differences[BLOCKS / 2]);
    return 0;
}
