/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A compute-bound program of the usual kind: molecular dynamics in cells, with a tiny procedure for each pair, one for
 * each cell and one for each step. compute STEPS prints the seconds of its main loop.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CELLS = 512, ATOMS = 16 };

struct cell {
    double x[ATOMS], y[ATOMS], z[ATOMS], force[ATOMS];
};

static struct cell cells[CELLS];

static double pair(double dx, double dy, double dz)
{
    double r2 = dx * dx + dy * dy + dz * dz + 0.01;
    double r6 = 1.0 / (r2 * r2 * r2);
    return r6 * (r6 - 0.5);
}

static void interact(struct cell *a, const struct cell *b)
{
    for (int i = 0; i < ATOMS; i++)
        for (int j = 0; j < ATOMS; j++)
            a->force[i] += pair(a->x[i] - b->x[j], a->y[i] - b->y[j], a->z[i] - b->z[j]);
}

static void forces(void)
{
    for (int c = 0; c < CELLS; c++)
        for (int n = -1; n <= 1; n++)
            interact(&cells[c], &cells[(c + n + CELLS) % CELLS]);
}

static double move(double dt)
{
    double sum = 0;
    for (int c = 0; c < CELLS; c++)
        for (int i = 0; i < ATOMS; i++) {
            cells[c].x[i] += dt * cells[c].force[i] * 1e-9;
            sum += fabs(cells[c].x[i]);
        }
    return sum;
}

static double step(double dt)
{
    forces();
    return move(dt);
}

int main(int argc, char **argv)
{
    int steps = argc > 1 ? atoi(argv[1]) : 100;
    struct timespec a, b;
    double sum = 0;
    for (int c = 0; c < CELLS; c++)
        for (int i = 0; i < ATOMS; i++) {
            cells[c].x[i] = c + 0.1 * i;
            cells[c].y[i] = 0.3 * i;
            cells[c].z[i] = 0.2 * (i % 4);
        }
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int s = 0; s < steps; s++)
        sum += step(1e-3);
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%.6f\n", (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) * 1e-9);
    fprintf(stderr, "%.6f\n", sum);
    return 0;
}
