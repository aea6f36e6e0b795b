/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Communicators are made in all ways that MPI has, and threads make those of the same group in different orders on
 * different ranks; every message and every collective on them is one that its members agree on. Each thread has a
 * communicator of its own to make others of.
 */
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 5

static int rank, size;
static MPI_Comm parents[THREADS];
static MPI_Group all_ranks;

static void use(MPI_Comm comm)
{
    int me, n, out = 0, in, inter;
    MPI_Comm_test_inter(comm, &inter);
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &n);
    for (int i = 0; i < 10 && inter; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, me, 1, &in, 1, MPI_INT, me, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 10 && !inter; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, (me + 1) % n, 1, &in, 1, MPI_INT, (me + n - 1) % n, 1, comm, MPI_STATUS_IGNORE);
    for (int i = 0; i < 2 && !inter; i++)
        MPI_Allreduce(&out, &in, 1, MPI_INT, MPI_SUM, comm);
}

static MPI_Comm used(MPI_Comm comm)
{
    use(comm);
    return comm;
}

static void used_up(MPI_Comm comm)
{
    use(comm);
    MPI_Comm_free(&comm);
}

static void make_copies(MPI_Comm parent)
{
    MPI_Comm made, more;
    MPI_Comm_dup(parent, &made);
    MPI_Comm_dup(used(made), &more);
    used_up(more);
    used_up(made);
    MPI_Comm_split(parent, 0, rank, &made);
    used_up(made);
}

static void make_all(MPI_Comm parent, int t)
{
    MPI_Comm made, more, half;
    MPI_Request request;
    int dims[1] = {size}, periods[1] = {1};
    make_copies(parent);
    MPI_Comm_idup(parent, &made, &request);
#ifdef OPEN_MPI /* which hangs if another one is made now */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
#endif
    MPI_Comm_split(parent, rank % 2, 0, &half);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    used_up(made);
    MPI_Intercomm_create(used(half), 0, parent, 1 - rank % 2, 5 + t, &made);
    MPI_Intercomm_merge(used(made), rank % 2, &more);
    used_up(more);
    MPI_Comm_free(&made);
    MPI_Comm_free(&half);
    MPI_Comm_create(parent, all_ranks, &made);
    used_up(made);
    MPI_Comm_create_group(MPI_COMM_WORLD, all_ranks, t, &made);
    used_up(made);
    MPI_Cart_create(parent, 1, dims, periods, 0, &made);
    used_up(made);
}

/* Two that are first used in different orders; as threads would, but for certain. */
static void make_two(MPI_Comm parent)
{
    MPI_Comm two[2];
    MPI_Request request;
    int value = 0, partner = rank ^ 1, odd = rank % 2;
    for (int i = 0; i < 2; i++) {
        MPI_Comm_idup(parent, &two[i], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 6; i++)
        if (odd)
            MPI_Recv(&value, 1, MPI_INT, partner, i / 2, two[!(i % 2)], MPI_STATUS_IGNORE);
        else
            MPI_Send(&value, 1, MPI_INT, partner, i / 2, two[i % 2]);
    used_up(two[0]);
    used_up(two[1]);
}

static void *run(void *argument)
{
    int t = (int)(intptr_t)argument;
    for (int i = 0; i < ROUNDS; i++) {
        usleep((useconds_t)(1000 * (rank % 2 ? t : THREADS - t)));
#ifdef OPEN_MPI /* which crashes when threads do all of it */
        make_copies(parents[t]);
#else
        make_all(parents[t], t);
#endif
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE)
        printf("no threads here\n");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_group(MPI_COMM_WORLD, &all_ranks);
    for (int t = 0; t < THREADS; t++)
        MPI_Comm_dup(MPI_COMM_WORLD, &parents[t]);
    make_all(MPI_COMM_WORLD, THREADS);
    for (int i = 0; i < 50; i++)
        make_two(MPI_COMM_WORLD);
    for (int t = 0; t < THREADS; t++)
        pthread_create(&threads[t], NULL, run, (void *)(intptr_t)t);
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t], NULL);
    MPI_Finalize();
    return 0;
}
