/* Values in all kinds of registers, and below the stack pointer, while probes are entered and left. */
#include <stdio.h>

typedef double two __attribute__((vector_size(16)));

/* Calls nothing, so its variables may lie in the red zone. */
__attribute__((noinline)) static double leaf(double a, double b, const double *x, int n)
{
    volatile double kept[6] = {a, b, a + b, a - b, a * b, 1};
    double sum = 0;
    for (int i = 0; i < n; i++) {
        if (x[i] < 0)
            return kept[0] + kept[5];
        sum += a * x[i] + b + kept[i % 6];
    }
    return sum;
}

__attribute__((noinline)) static long double longer(long double a, int n)
{
    static const double x[] = {1, 2};
    long double sum = a;
    for (int i = 0; i < n; i++)
        sum = sum * 1.0000001L + leaf(1, 2, x, 2);
    return sum;
}

__attribute__((noinline)) static two pairs(two a, two b, int n)
{
    for (int i = 0; i < n; i++)
        a = a * b + a + (two){leaf(i, n, (const double[]){3}, 1), 0};
    return a;
}

__attribute__((noinline)) static long many(long a, long b, long c, long d, long e, long f, long g, long h, const double *x)
{
    long i = a + 2 * b, j = c + 3 * d, k = e + 5 * f, l = g + 7 * h;
    for (int n = 0; n < 5; n++)
        i += j ^ (long)leaf((double)k, (double)l, x, n), j += k, k ^= l, l += a;
    return i ^ j ^ k ^ l ^ a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

int main(void)
{
    double x[64], total = 0;
    long double longest = 0;
    long bits = 0;
    for (int i = 0; i < 64; i++)
        x[i] = i;
    for (int i = 0; i < 70000; i++) { /* every 65,536th visit does more */
        total += leaf(i, 1.5, x, 20);
        total += i & 1 ? leaf(i, 2.5, x, 7) : leaf(1, i, x, 5);
        longest += longer(i, 3);
        two r = pairs((two){1, i}, (two){.5, .25}, i % 3);
        total += r[0] + r[1];
        bits += many(i, 2, 3, 4, 5, 6, 7, 8, x);
    }
    printf("%.17g %.20Lg %ld\n", total, longest, bits);
    return 0;
}
