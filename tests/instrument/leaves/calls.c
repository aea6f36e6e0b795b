/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Procedures named short_... only call what is known to be short, and are leaves; those named long_... have probes. Loops say it themselves.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <complex.h>
#include <ctype.h>
#include <errno.h>
#include <immintrin.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <solvers.h>

static int short_compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

void short_string(char *a, const char *b) { memcpy(a, b, 4); if (strlen(a) > 3 && isalpha(*a) && toupper(*b) == 3 && !strcmp(a, b)) memset(a, 0, 3); }
double short_math(double x) { return sin(x) + sqrt(fabs(x)) + abs((int)x) + fmax(x, powf(x, 2)) + isnan(x) + isfinite(x) + cabs(x * I); }
void *short_malloc(size_t n) { void *p = malloc(n); assert(p); if (!p) exit(1); return p; }
void short_free(void *p) { free(p); }
int short_random(void) { return rand() % 10 + errno; }
double short_time(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return (double)t.tv_sec + (double)time(NULL); }
void short_print(char *a, int n) { snprintf(a, 10, "%d", n); }
int short_number(const char *a) { return atoi(a) + (int)strtol(a, NULL, 10) + (int)strtod(a, NULL); }
int short_bits(unsigned x) { return __builtin_popcount(x) + (int)__builtin_expect(x, 3) + __builtin_clz(x) + (int)__builtin_bswap32(x); }
int short_atomic(int *x) { return __sync_fetch_and_add(x, 1) + __atomic_load_n(x, __ATOMIC_RELAXED); }
__m128d short_vector(const double *a) { return _mm_add_pd(_mm_loadu_pd(a), _mm_set1_pd(3)); }
int short_inline(const int *index) { return solver_indirect(index, 3); }
int short_caller(char *a, const char *b) { short_string(a, b); return short_number(a); }

void long_fftw(fftw_plan plan) { fftw_execute(plan); }
void long_dgemm(const double *a, double *c) { cblas_dgemm(1, 2, 3, 4, 4, 4, 1.0, a, 4, a, 4, 0.0, c, 4); }
void long_hdf5(long set, const double *a) { H5Dwrite(set, 1, 2, 3, 4, a); }
void long_sort(int *a, int n) { qsort(a, (size_t)n, sizeof *a, short_compare); }
void *long_search(int *a, int n) { return bsearch(a, a, (size_t)n, sizeof *a, short_compare); }
void long_sleep(void) { usleep(10); }
void long_print(void) { printf("%d\n", 3); }
void long_message(void) { fprintf(stderr, "x\n"); }
void long_character(void) { putchar('x'); }
void long_read(FILE *file, char *a) { if (fread(a, 1, 3, file) != 3) fclose(file); }
long long_write(const char *a) { return write(1, a, 3); }
void long_lock(pthread_mutex_t *lock) { pthread_mutex_lock(lock); }
void long_join(pthread_t thread) { pthread_join(thread, NULL); }
int long_system(const char *a) { return system(a); }
double long_inline_loop(const double *a, int n) { return solver_sum(a, n); }
void long_inline_call(fftw_plan plan) { solver_run(plan); }
int long_inline_recursion(int n) { return solver_recursion(n); }
void long_inline_pointer(void (*call)(void)) { solver_callback(call); }
int long_caller(int *a, int n) { long_sort(a, n); return 0; }

void long_loops(int *a, char *b, fftw_plan plan)
{
    for (int i = 0; i < a[0]; i++) /* leaf */
        short_string(b, b);
    for (int i = 0; i < a[0]; i++) /* leaf */
        a[i] = (int)sin(a[i]) + solver_index(i, i, i);
    for (int i = 0; i < a[0]; i++) /* probe */
        fftw_execute(plan);
    while (a[0]--) /* probe */
        usleep(1);
    for (int i = 0; i < a[0]; i++) /* probe */
        for (int j = 0; j < 3; j++) /* probe */
            qsort(a, 3, sizeof *a, short_compare);
    for (int i = 0; i < a[0]; i++) /* probe */
        if (a[i])
            H5Dwrite(i, 1, 2, 3, 4, a);
}
