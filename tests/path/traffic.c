/* SPDX-License-Identifier: BSD-3-Clause
 *
 * traffic SEED STEPS [cuts|threads]: messages and collectives of all kinds in a random order that all ranks agree on,
 * with computing between them that is different in each, in regions inside each other. cuts: the path is stopped and
 * started again on the way, by one rank each. threads: two threads a rank, each with a communicator of its own.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

enum { LARGE = 100000, MOST = 64 };

struct place {
    MPI_Comm comm;
    int rank, size;
    uint64_t state; /* of the random numbers: the same in all ranks */
    int in[MOST * MOST], out[MOST * MOST];
    int *large, *other;
};

static int steps, cuts;
static uint64_t seed;

static uint64_t hash(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static int below(struct place *p, int bound)
{
    p->state += 0x9e3779b97f4a7c15u;
    return (int)(hash(p->state) % (uint64_t)bound);
}

static void spin(uint64_t rounds)
{
    for (volatile uint64_t i = 0; i < rounds; i++)
        ;
}

static void descend(int depth, uint64_t rounds)
{
    WEFT_REGION("descend")
    {
        spin(rounds / 2);
        if (depth > 0)
            descend(depth - 1, rounds / 2);
    }
}

/* Another time in each rank. */
static void compute(struct place *p)
{
    uint64_t own = hash(p->state ^ ((uint64_t)p->rank << 32));
    spin(own % 1000);
    WEFT_REGION("compute")
    {
        spin(own % 20000);
        if (own % 3 == 0)
            WEFT_REGION("inner")
            {
                spin(own % 15000);
            }
        if (own % 5 == 0)
            descend(3, own % 10000);
    }
}

static void ring(struct place *p, int large)
{
    int count = large ? LARGE : 1, left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size;
    int *buffer = large ? p->large : p->in, first = p->rank == 0;
    if (first)
        MPI_Send(buffer, count, MPI_INT, right, 0, p->comm);
    MPI_Recv(buffer, count, MPI_INT, left, 0, p->comm, MPI_STATUS_IGNORE);
    compute(p);
    if (!first)
        MPI_Send(buffer, count, MPI_INT, right, 0, p->comm);
}

static void shift(struct place *p, int by)
{
    int to = (p->rank + by) % p->size, from = (p->rank + p->size - by) % p->size;
    MPI_Sendrecv(p->in, 1, MPI_INT, to, 1, p->out, 1, MPI_INT, from, 1, p->comm, MPI_STATUS_IGNORE);
}

/* Large messages, both ways between two: both in one call, or one of them first sends. */
static void meet(struct place *p, int sends_first)
{
    int partner = p->rank ^ 1;
    if (partner >= p->size)
        return;
    if (sends_first && p->rank > partner) {
        MPI_Send(p->large, LARGE, MPI_INT, partner, 6, p->comm);
        compute(p);
        MPI_Recv(p->other, LARGE, MPI_INT, partner, 6, p->comm, MPI_STATUS_IGNORE);
    } else {
        MPI_Sendrecv(p->large, LARGE, MPI_INT, partner, 6, p->other, LARGE, MPI_INT, partner, 6, p->comm,
                     MPI_STATUS_IGNORE);
    }
}

/* Small messages to and fro, most of them sent as soon as the last one has come. */
static void bounce(struct place *p, int count)
{
    int partner = p->rank ^ 1;
    if (partner >= p->size)
        return;
    for (int i = 0; i < 24; i++) {
        if (p->rank < partner)
            MPI_Send(p->out, count, MPI_INT, partner, 7, p->comm);
        MPI_Recv(p->in, count, MPI_INT, partner, 7, p->comm, MPI_STATUS_IGNORE);
        if (i == 20)
            compute(p);
        if (p->rank > partner)
            MPI_Send(p->out, count, MPI_INT, partner, 7, p->comm);
    }
}

static void halo(struct place *p)
{
    MPI_Request requests[4];
    int left = (p->rank + p->size - 1) % p->size, right = (p->rank + 1) % p->size;
    MPI_Irecv(p->in, 1, MPI_INT, left, 2, p->comm, &requests[0]);
    MPI_Irecv(p->in + 1, 1, MPI_INT, right, 3, p->comm, &requests[1]);
    MPI_Isend(p->out, 1, MPI_INT, right, 2, p->comm, &requests[2]);
    MPI_Isend(p->out, 1, MPI_INT, left, 3, p->comm, &requests[3]);
    compute(p);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
}

static void pairs(struct place *p)
{
    int partner = p->rank ^ 1;
    if (partner >= p->size)
        return;
    if (p->rank < partner)
        MPI_Ssend(p->out, 1, MPI_INT, partner, 4, p->comm);
    else
        MPI_Recv(p->in, 1, MPI_INT, partner, 4, p->comm, MPI_STATUS_IGNORE);
}

/* Each result is taken as it comes. */
static void gather_by_hand(struct place *p, int root)
{
    if (p->rank != root) {
        MPI_Send(p->out, 1, MPI_INT, root, 5, p->comm);
        return;
    }
    for (int i = 1; i < p->size; i++) {
        MPI_Recv(p->in, 1, MPI_INT, MPI_ANY_SOURCE, 5, p->comm, MPI_STATUS_IGNORE);
        compute(p);
    }
}

static void collective(struct place *p, int which, int root)
{
    MPI_Request request;
    switch (which) {
    case 0:
        MPI_Bcast(p->in, 1, MPI_INT, root, p->comm);
        break;
    case 1:
        MPI_Reduce(p->out, p->in, 1, MPI_INT, MPI_SUM, root, p->comm);
        break;
    case 2:
        MPI_Allreduce(p->out, p->in, 1, MPI_INT, MPI_SUM, p->comm);
        break;
    case 3:
        MPI_Barrier(p->comm);
        break;
    case 4:
        MPI_Scan(p->out, p->in, 1, MPI_INT, MPI_SUM, p->comm);
        break;
    case 5:
        MPI_Gather(p->out, 1, MPI_INT, p->in, 1, MPI_INT, root, p->comm);
        break;
    case 6:
        MPI_Iallreduce(p->out, p->in, 1, MPI_INT, MPI_SUM, p->comm, &request);
        compute(p);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    default:
        MPI_Alltoall(p->out, 1, MPI_INT, p->in, 1, MPI_INT, p->comm);
    }
}

static void step(struct place *p)
{
    int what = below(p, 18), root = below(p, p->size);
    compute(p);
    WEFT_REGION("step")
    {
        switch (what) {
        case 0:
            ring(p, 0);
            break;
        case 1:
            ring(p, 1);
            break;
        case 2:
            shift(p, 1 + root % (p->size - 1));
            break;
        case 3:
            halo(p);
            break;
        case 4:
            pairs(p);
            break;
        case 5:
            gather_by_hand(p, root);
            break;
        case 6:
            meet(p, 0);
            break;
        case 7:
            meet(p, 1);
            break;
        case 8:
            bounce(p, 1);
            break;
        case 9:
            bounce(p, 200);
            break; /* not so small that a send never waits */
        default:
            collective(p, what - 10, root);
        }
    }
}

static void *walk(void *place)
{
    struct place *p = place;
    for (int i = 0; i < steps; i++) {
        if (cuts && i == steps / 4 && p->rank == (int)(seed % (uint64_t)p->size))
            seed % 2 ? weft_path_stop() : (void)MPI_Pcontrol(4);
        if (cuts && i == steps / 2 && p->rank == (int)((seed + 1) % (uint64_t)p->size))
            seed % 2 ? weft_path_start() : (void)MPI_Pcontrol(3);
        step(p);
    }
    return NULL;
}

static void start_place(struct place *p, uint64_t number)
{
    MPI_Comm_dup(MPI_COMM_WORLD, &p->comm);
    MPI_Comm_rank(p->comm, &p->rank);
    MPI_Comm_size(p->comm, &p->size);
    p->state = seed + number * 1000;
    p->large = calloc(LARGE, sizeof *p->large);
    p->other = calloc(LARGE, sizeof *p->other);
    if (!p->large || !p->other || p->size > MOST || p->size < 2) {
        fprintf(stderr, "traffic: no memory, or not for so many ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

int main(int argc, char **argv)
{
    static struct place places[2];
    int provided, threads = argc > 3 && strcmp(argv[3], "threads") == 0;
    pthread_t other;
    MPI_Init_thread(&argc, &argv, threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    if (argc < 3 || (threads && provided < MPI_THREAD_MULTIPLE)) {
        fprintf(stderr, "usage: traffic SEED STEPS [cuts|threads]; threads: MPI must know them\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    seed = strtoull(argv[1], NULL, 10);
    steps = atoi(argv[2]);
    cuts = argc > 3 && strcmp(argv[3], "cuts") == 0;
    for (uint64_t i = 0; i < 2; i++)
        start_place(&places[i], i);
    if (threads && pthread_create(&other, NULL, walk, &places[1]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    walk(&places[0]);
    if (threads)
        pthread_join(other, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++) {
        MPI_Comm_free(&places[i].comm);
        free(places[i].large);
    }
    MPI_Finalize();
    return 0;
}
