/* FLAGS: -fopenmp -Wno-unknown-pragmas */
/* SKIPPED: belongs to the pragma of the loop around it */
/* SKIPPED: a macro with a pragma stands in front of it */
/* SKIPPED: a pragma stands above the #if that it is in */
/* OpenMP in the layouts that real programs use. */
#include <stdio.h>
#if defined(_OPENMP) && __has_include(<omp.h>)
#include <omp.h>
#endif

#define N 40
#define PARALLEL_FOR _Pragma("omp parallel for")
#define PRAGMA(x) _Pragma(#x)

static int v[N];

static int f(int x)
{
    return x * 3 + 1;
}

static int total(void)
{
    int s = 0;
    for (int i = 0; i < N; i++)
        s += v[i];
    return s;
}

static void simple(void)
{
#pragma omp parallel for
    for (int i = 0; i < N; i++)
        v[i] = f(i);
    int s = 0;
#pragma omp parallel for reduction(+ : s) \
    schedule(static)
    for (int i = 0; i < N; i++)
        s += v[i];
    v[0] = s;
#pragma omp parallel
#pragma omp for
    for (int i = 1; i < N; i++) v[i] += f(v[i]);
#pragma omp parallel default(none) shared(v)
    {
#pragma omp for nowait
        for (int i = 0; i < N; i++) {
            for (int j = 0; j < 3; j++)
                v[i] += f(j);
        }
#pragma omp barrier
#pragma omp single
        for (int i = 0; i < N; i++)
            v[i] += i;
#pragma omp sections
        {
#pragma omp section
            for (int i = 0; i < N / 2; i++)
                v[i]++;
#pragma omp section
            for (int i = N / 2; i < N; i++)
                v[i]--;
        }
#pragma omp barrier
#pragma omp for
        for (int i = 0; i < N; i++)
            v[i] += 2;
    }
}

static void collapsed(void)
{
#pragma omp parallel for collapse(2)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 5; j++) {
            for (int k = 0; k < 3; k++)
                v[i * 5 + j] += f(k);
        }
#pragma omp simd
    for (int i = 0; i < N; i++) {
        int s = 0;
        for (int j = 0; j < 4; j++)
            s += j;
        v[i] += s;
    }
}

static void conditional(int n)
{
#ifdef _OPENMP
#pragma omp parallel for
#endif
    for (int i = 0; i < n; i++)
        v[i] += f(1);
#ifdef NEVER
    v[0] = 0;
#endif
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        v[i] += f(2);
#pragma omp parallel for
#if N > 10
    for (int i = 0; i < n; i++)
#else
    for (int i = n - 1; i >= 0; i--)
#endif
        v[i] += f(3);
#pragma omp parallel for
#ifndef NEVER
    for (int i = 0; i < n; i++)
        v[i] += f(4);
#else
    for (int i = 0; i < n; i += 2)
        v[i] += f(5);
#endif
#if defined(NEVER)
#elif defined(_OPENMP)
    for (int i = 0; i < n; i++) v[i]++;
#endif
    if (n > 3)
#pragma omp parallel for
        for (int i = 0; i < n; i++)
            v[i] += f(6);
}

static void operators(int n)
{
    _Pragma("omp parallel for") for (int i = 0; i < n; i++) v[i] += f(7);
    PARALLEL_FOR
    for (int i = 0; i < n; i++)
        v[i] += f(8);
    PRAGMA(omp parallel for)
    for (int i = 0; i < n; i++) {
        v[i] += f(9);
    }
#pragma GCC ivdep
    for (int i = 0; i < n; i++)
        v[i] += 2;
#pragma GCC unroll 4
    while (n-- > 0)
        v[n] += f(10);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-variable"
    for (int i = 0; i < 9; i++) {
        int unused;
        v[i] += f(i);
    }
#pragma GCC diagnostic pop
}

static void tasks(int n)
{
#pragma omp parallel
#pragma omp single
    {
        for (int t = 0; t < 4; t++)
#pragma omp task firstprivate(t)
            for (int i = t; i < n; i += 4)
                v[i] += f(i);
#pragma omp taskwait
    }
#pragma omp parallel
#pragma omp critical
    for (int i = 0; i < 1; i++)
        v[i] += 0;
}

int main(void)
{
    simple();
    collapsed();
    conditional(N);
    operators(N);
    tasks(N);
    printf("%d\n", total());
    return 0;
}
