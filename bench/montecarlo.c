/* SPDX-License-Identifier: BSD-3-Clause
 *
 * montecarlo [PACKETS [PAIRS [US]]]: the program of Table 1 of Malony, Shende, Morris and Wolf. The master makes
 * packets of random pairs of numbers and gives one to each worker that asks; a worker tells how many of the points lie
 * under the curve, whose area is pi. Each packet is US microseconds of further computing (see compute_us).
 */
#include "stages.h"

#include <math.h>
#include <stdlib.h>

enum { ASK, PACKET, STOP };

#define MAX_PAIRS 100000
#define FEW 8

static double packet[2 * MAX_PAIRS];
static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* A procedure that is hardly longer than the probes in it: what costs most to watch. */
static int lie_under(const double *pairs, int n)
{
    int under = 0;
    for (int i = 0; i < n; i++)
        under += pairs[2 * i + 1] * 4 < 4 / (1 + pairs[2 * i] * pairs[2 * i]);
    return under;
}

static void fill(int pairs)
{
    for (int i = 0; i < 2 * pairs; i++)
        packet[i] = uniform();
}

static long count(int pairs)
{
    long under = 0;
    for (int i = 0; i < pairs; i += FEW)
        under += lie_under(packet + 2 * i, pairs - i < FEW ? pairs - i : FEW);
    return under;
}

static double master(int packets, int pairs)
{
    long under = 0, found;
    MPI_Status status;
    for (int given = 0, stopped = 0; stopped < size - 1;) {
        STAGE(receiving, MPI_Recv(&found, 1, MPI_LONG, MPI_ANY_SOURCE, ASK, MPI_COMM_WORLD, &status));
        under += found;
        if (given < packets) {
            fill(pairs);
            STAGE(sending, MPI_Send(packet, 2 * pairs, MPI_DOUBLE, status.MPI_SOURCE, PACKET, MPI_COMM_WORLD));
            given++;
        } else {
            STAGE(sending, MPI_Send(packet, 0, MPI_DOUBLE, status.MPI_SOURCE, STOP, MPI_COMM_WORLD));
            stopped++;
        }
    }
    return 4.0 * (double)under / ((double)packets * pairs);
}

static void worker(int pairs, long us)
{
    long found = 0;
    for (;;) {
        MPI_Status status;
        STAGE(sending, MPI_Send(&found, 1, MPI_LONG, 0, ASK, MPI_COMM_WORLD));
        STAGE(receiving, MPI_Recv(packet, 2 * pairs, MPI_DOUBLE, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        if (status.MPI_TAG == STOP)
            return;
        compute_us(us);
        found = count(pairs);
    }
}

int main(int argc, char **argv)
{
    int packets = argc > 1 ? atoi(argv[1]) : 90, pairs = argc > 2 ? atoi(argv[2]) : 100;
    long us = argc > 3 ? atol(argv[3]) : 20000;
    double pi = 0;
    stages_start(&argc, &argv);
    if (pairs < 1 || pairs > MAX_PAIRS || size < 2) {
        fprintf(stderr, "usage: montecarlo [PACKETS [PAIRS [US]]], on two ranks or more\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (rank == 0)
        pi = master(packets, pairs);
    else
        worker(pairs, us);
    stages_finish();
    if (rank == 0 && fabs(pi - 3.14159265) > 0.1) {
        fprintf(stderr, "montecarlo: %f is not pi\n", pi);
        return 1;
    }
    return 0;
}
