/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-ins for libraries whose headers are the system's.
 */
typedef void *fftw_plan;
void fftw_execute(const fftw_plan plan);
void cblas_dgemm(int order, int a, int b, int m, int n, int k, double alpha, const double *x, int lx, const double *y, int ly, double beta, double *z, int lz);
int H5Dwrite(long set, long type, long memory, long file, long list, const void *data);

/* Bodies in headers tell what they are. */
static inline int solver_index(int i, int j, int n)
{
    return i * n + j;
}
static inline int solver_indirect(const int *index, int i)
{
    return solver_index(index[i], i, 3);
}
static inline double solver_sum(const double *a, int n)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i];
    return sum;
}
static inline void solver_run(const fftw_plan plan)
{
    fftw_execute(plan);
}
static inline int solver_recursion(int n)
{
    return n ? solver_recursion(n - 1) : 0;
}
static inline void solver_callback(void (*call)(void))
{
    call();
}
