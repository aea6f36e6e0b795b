/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Heat in a square plate: Jacobi iteration on a 2-D grid, which is split into stripes of rows. Each step exchanges the
 * stripes' border rows with the neighbours. Every tenth step adds up the residual over all ranks. The last rank has
 * more work on purpose: this is the load imbalance that weft is to show.
 *
 *     mpicc -O2 -g heat.c -o heat && weft run mpirun -n 4 ./heat [steps [columns [repeat]]]
 *
 * repeat: how many times the last rank computes each update (default 2).
 */
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct plate {
    int rows, columns; /* of this rank's stripe, without the border */
    double *now, *next;
};

static double *row(double *grid, const struct plate *p, int i)
{
    return grid + (size_t)i * (size_t)(p->columns + 2);
}

static void exchange_halo(const struct plate *p, int up, int down)
{
    MPI_Request requests[4];
    MPI_Irecv(row(p->now, p, 0) + 1, p->columns, MPI_DOUBLE, up, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(row(p->now, p, p->rows + 1) + 1, p->columns, MPI_DOUBLE, down, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(row(p->now, p, 1) + 1, p->columns, MPI_DOUBLE, up, 2, MPI_COMM_WORLD, &requests[2]);
    MPI_Isend(row(p->now, p, p->rows) + 1, p->columns, MPI_DOUBLE, down, 1, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static double update(struct plate *p)
{
    double change = 0;
    for (int i = 1; i <= p->rows; i++) {
        const double *above = row(p->now, p, i - 1), *here = row(p->now, p, i), *below = row(p->now, p, i + 1);
        double *out = row(p->next, p, i);
        for (int j = 1; j <= p->columns; j++) {
            out[j] = 0.25 * (above[j] + below[j] + here[j - 1] + here[j + 1]);
            change += fabs(out[j] - here[j]);
        }
    }
    return change;
}

static double residual(double own)
{
    double all = 0;
    MPI_Allreduce(&own, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv)
{
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    int steps = argc > 1 ? atoi(argv[1]) : 500;
    struct plate p = {.columns = argc > 2 ? atoi(argv[2]) : 1000};
    int repeat = rank == ranks - 1 ? (argc > 3 ? atoi(argv[3]) : 2) : 1;
    MPI_Bcast(&steps, 1, MPI_INT, 0, MPI_COMM_WORLD);

    p.rows = p.columns / ranks;
    size_t cells = (size_t)(p.rows + 2) * (size_t)(p.columns + 2);
    p.now = calloc(cells, sizeof *p.now);
    p.next = calloc(cells, sizeof *p.next);
    if (rank == 0) /* the upper edge of the plate is hot */
        for (int j = 0; j < p.columns + 2; j++)
            p.now[j] = p.next[j] = 100;

    int up = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    int down = rank < ranks - 1 ? rank + 1 : MPI_PROC_NULL;
    double left = 0, since = MPI_Wtime();
    for (int step = 1; step <= steps; step++) {
        double change = 0;
        exchange_halo(&p, up, down);
        for (int i = 0; i < repeat; i++)
            change = update(&p);
        double *swap = p.now;
        p.now = p.next;
        p.next = swap;
        if (step % 10 == 0)
            left = residual(change);
    }
    if (rank == 0)
        printf("%d steps in %.3f s, residual %.6f\n", steps, MPI_Wtime() - since, left);
    free(p.now);
    free(p.next);
    MPI_Finalize();
    return 0;
}
