/* SPDX-License-Identifier: BSD-3-Clause
 *
 * matmul [ROWS [US]]: the program of section 5.3.6 of Li and Zhang. The master makes the matrices A and B and sends
 * each worker, row by row, its rows of A and all of B; the workers multiply and send their rows of C back. Each row
 * takes its maker US microseconds and its receiver half as long to put into place, besides the arithmetic (see
 * compute_us). So all ranks wait for others: a receive waits for a row that is not made yet. A send of a row that is
 * too long to be sent at once waits until the row before it is put into place.
 */
#include "stages.h"

#include <math.h>
#include <stdlib.h>

#define MAX_ROWS 512
#define INNER 16    /* so few, and rows of A so short, that all for a worker find room in the MPI library */
#define COLUMNS 512 /* with such rows, of 4 KiB, Open MPI's sends wait for their receivers */

static double a[MAX_ROWS][INNER], b[INNER][COLUMNS], c[MAX_ROWS][COLUMNS];
static int rows;
static long us;

static void initialise(void)
{
    for (int i = 0; i < rows; i++) {
        compute_us(us);
        for (int k = 0; k < INNER; k++)
            a[i][k] = i + k;
    }
    for (int k = 0; k < INNER; k++) {
        compute_us(us);
        for (int j = 0; j < COLUMNS; j++)
            b[k][j] = j % INNER == k;
    }
}

/* Row i of A and C is worker i % workers' + 1. */
static int owner(int i)
{
    return 1 + i % (size - 1);
}

static void distribute(void)
{
    for (int k = 0; k < INNER; k++)
        for (int w = 1; w < size; w++)
            STAGE(sending, MPI_Send(b[k], COLUMNS, MPI_DOUBLE, w, MAX_ROWS + k, MPI_COMM_WORLD));
    for (int i = 0; i < rows; i++)
        STAGE(sending, MPI_Send(a[i], INNER, MPI_DOUBLE, owner(i), i, MPI_COMM_WORLD));
}

static void collect(void)
{
    for (int i = 0; i < rows; i++) {
        STAGE(receiving, MPI_Recv(c[i], COLUMNS, MPI_DOUBLE, owner(i), i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        compute_us(us / 2);
    }
}

static void get(void)
{
    for (int k = 0; k < INNER; k++) {
        STAGE(receiving, MPI_Recv(b[k], COLUMNS, MPI_DOUBLE, 0, MAX_ROWS + k, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        compute_us(us / 2);
    }
    for (int i = rank - 1; i < rows; i += size - 1) {
        STAGE(receiving, MPI_Recv(a[i], INNER, MPI_DOUBLE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        compute_us(us / 2);
    }
}

static void multiply(void)
{
    for (int i = rank - 1; i < rows; i += size - 1) {
        compute_us(us);
        for (int k = 0; k < INNER; k++)
            for (int j = 0; j < COLUMNS; j++)
                c[i][j] += a[i][k] * b[k][j];
    }
}

static void give(void)
{
    for (int i = rank - 1; i < rows; i += size - 1)
        STAGE(sending, MPI_Send(c[i], COLUMNS, MPI_DOUBLE, 0, i, MPI_COMM_WORLD));
}

/* B is the unit matrix, again and again. */
static int is_right(void)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < COLUMNS; j++)
            if (fabs(c[i][j] - (i + j % INNER)) > 1e-9)
                return 0;
    return 1;
}

int main(int argc, char **argv)
{
    rows = argc > 1 ? atoi(argv[1]) : 48;
    us = argc > 2 ? atol(argv[2]) : 4000;
    stages_start(&argc, &argv);
    if (rows < 1 || rows > MAX_ROWS || size < 2) {
        fprintf(stderr, "usage: matmul [ROWS [US]], on two ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0) {
        initialise();
        distribute();
        collect();
    } else {
        get();
        multiply();
        give();
    }
    stages_finish();
    if (rank == 0 && !is_right()) {
        fprintf(stderr, "matmul: the product is wrong\n");
        return 1;
    }
    return 0;
}
