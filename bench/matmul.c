/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matmul [N [US]]: the program of section 5.3.6 of Li and Zhang. The master makes the matrices A and B and sends each worker, row by row, its rows of A
 * and all of B; the workers multiply and send their rows of C back. Each row of A or B takes the master US microseconds to make, and each row of C takes
 * its worker as long to compute, besides the arithmetic (see compute_us).
 */
#include "stages.h"

#include <math.h>
#include <stdlib.h>

#define MAX_N 512

static double a[MAX_N][MAX_N], b[MAX_N][MAX_N], c[MAX_N][MAX_N];

static void initialise(int n, long us)
{
    for (int i = 0; i < n; i++) {
        compute_us(us);
        for (int j = 0; j < n; j++) {
            a[i][j] = i + j;
            b[i][j] = i == j;
        }
    }
}

/* Row i of C is worker i % workers' + 1. */
static int owner(int i)
{
    return 1 + i % (size - 1);
}

static void distribute(int n)
{
    for (int i = 0; i < n; i++) {
        STAGE(sending, MPI_Send(a[i], n, MPI_DOUBLE, owner(i), i, MPI_COMM_WORLD));
        for (int w = 1; w < size; w++)
            STAGE(sending, MPI_Send(b[i], n, MPI_DOUBLE, w, MAX_N + i, MPI_COMM_WORLD));
    }
}

static void collect(int n)
{
    for (int i = 0; i < n; i++)
        STAGE(receiving, MPI_Recv(c[i], n, MPI_DOUBLE, owner(i), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void get(int n)
{
    for (int i = 0; i < n; i++) {
        if (owner(i) == rank)
            STAGE(receiving, MPI_Recv(a[i], n, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        STAGE(receiving, MPI_Recv(b[i], n, MPI_DOUBLE, 0, MAX_N + i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    }
}

static void multiply(int n, long us)
{
    for (int i = rank - 1; i < n; i += size - 1) {
        compute_us(us);
        for (int j = 0; j < n; j++) {
            c[i][j] = 0;
            for (int k = 0; k < n; k++)
                c[i][j] += a[i][k] * b[k][j];
        }
    }
}

static void give(int n)
{
    for (int i = rank - 1; i < n; i += size - 1)
        STAGE(sending, MPI_Send(c[i], n, MPI_DOUBLE, 0, i, MPI_COMM_WORLD));
}

/* B is the unit matrix. */
static int is_right(int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            if (fabs(c[i][j] - (i + j)) > 1e-9)
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    int n = argc > 1 ? atoi(argv[1]) : 96;
    long us = argc > 2 ? atol(argv[2]) : 2000;
    stages_start(&argc, &argv);
    if (n < 1 || n > MAX_N || size < 2) {
        fprintf(stderr, "usage: matmul [N [US]], on two ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0) {
        initialise(n, us);
        distribute(n);
        collect(n);
    } else {
        get(n);
        multiply(n, us);
        give(n);
    }
    stages_finish();
    if (rank == 0 && !is_right(n)) {
        fprintf(stderr, "matmul: the product is wrong\n");
        return 1;
    }
    return 0;
}
