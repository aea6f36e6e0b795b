/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     chaos PROGRAMS [SEED]
 *
 * Random nondeterministic programs, one after another, each with its own rules: in some rounds each rank sends messages
 * to random others, and receives those that are for it, from any source, by random forms of receive and probe. Which
 * come when is open; but of one sender and tag they come in order, and all of them come. Messages are small or large,
 * sends are nonblocking or synchronous, ranks work for random times. Prints what it has found wrong.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANKS = 8, ROUNDS = 4, MESSAGES = 4, LARGE = 3000, TAGS = 2, OPEN = RANKS * MESSAGES };

static int rank, size, failed;
static unsigned long common, own; /* random numbers: the same in all ranks, and each one's own */

static unsigned below(unsigned long *state, unsigned n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(*state >> 33) % n;
}

static void work(void)
{
    if (below(&own, 3) == 0)
        usleep(below(&own, 2000));
}

/* What is sent in a round: how many messages each rank has for each, of each tag, and how large. */
static int planned[RANKS][RANKS][TAGS], large[RANKS][RANKS][TAGS], next[RANKS][TAGS];

static void plan(void)
{
    memset(planned, 0, sizeof planned);
    memset(next, 0, sizeof next);
    for (int from = 0; from < size; from++)
        for (int i = 0; i < MESSAGES; i++) {
            int to = (int)below(&common, (unsigned)size), tag = (int)below(&common, TAGS);
            planned[from][to][tag]++;
            large[from][to][tag] = below(&common, 4) == 0;
        }
}

static int came(int source, int tag, const int *words)
{
    if (words[0] != source || words[1] != tag || words[2] != next[source][tag]) {
        printf("rank %d: message %d of rank %d, tag %d came instead of %d of rank %d, tag %d\n", rank, words[2],
               words[0], words[1], next[source][tag], source, tag);
        failed = 1;
    }
    return next[source][tag]++;
}

static int receive_one(int *words, int tag)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    int flag = 0, form = (int)below(&own, 7);
    if (form == 0) {
        MPI_Recv(words, LARGE, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
    } else if (form == 1) {
        MPI_Irecv(words, LARGE, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
        work();
        MPI_Wait(&request, &status);
    } else if (form == 2) {
        MPI_Irecv(words, LARGE, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
        while (!flag)
            MPI_Test(&request, &flag, &status);
    } else if (form == 3) {
        MPI_Probe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &status);
        MPI_Recv(words, LARGE, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (form == 4) {
        while (!flag)
            MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &status);
        MPI_Recv(words, LARGE, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (form == 5) {
        MPI_Mprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(words, LARGE, MPI_INT, &message, MPI_STATUS_IGNORE);
    } else {
        while (!flag)
            MPI_Improbe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &flag, &message, &status);
        MPI_Mrecv(words, LARGE, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    return came(status.MPI_SOURCE, status.MPI_TAG, words);
}

/* All at once, completed in any way. Receives take messages in the order of their posts. */
static void receive_posted(int n, int tag)
{
    static int words[OPEN][LARGE];
    MPI_Request requests[OPEN];
    MPI_Status statuses[OPEN];
    int flag = 0, index, how = (int)below(&own, 3);
    for (int i = 0; i < n; i++)
        MPI_Irecv(words[i], LARGE, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &requests[i]);
    if (how == 0)
        MPI_Waitall(n, requests, statuses);
    else if (how == 1)
        while (!flag)
            MPI_Testall(n, requests, &flag, statuses);
    for (int i = 0; how == 2 && i < n; i++) {
        MPI_Status one;
        MPI_Waitany(n, requests, &index, &one);
        statuses[index] = one;
    }
    for (int i = 0; i < n; i++)
        came(statuses[i].MPI_SOURCE, statuses[i].MPI_TAG, words[i]);
}

static int messages_for_me(int tag)
{
    int n = 0;
    for (int from = 0; from < size; from++)
        for (int t = 0; t < TAGS; t++)
            n += tag == MPI_ANY_TAG || t == tag ? planned[from][rank][t] : 0;
    return n;
}

static void receive_all(void)
{
    static int words[LARGE];
    if (below(&own, 2)) {
        int n = messages_for_me(MPI_ANY_TAG);
        if (below(&own, 3) == 0)
            receive_posted(n, MPI_ANY_TAG);
        else
            for (int i = 0; i < n; i++, work())
                receive_one(words, MPI_ANY_TAG);
        return;
    }
    for (int tag = 0, n; tag < TAGS; tag++) {
        n = messages_for_me(tag);
        if (below(&own, 3) == 0)
            receive_posted(n, tag);
        else
            for (int i = 0; i < n; i++, work())
                receive_one(words, tag);
    }
}

static int send_all(MPI_Request *requests, int words[][LARGE])
{
    int n = 0;
    for (int to = 0; to < size; to++)
        for (int tag = 0; tag < TAGS; tag++)
            for (int i = 0; i < planned[rank][to][tag]; i++, n++, work()) {
                int count = large[rank][to][tag] ? LARGE : 3;
                words[n][0] = rank, words[n][1] = tag, words[n][2] = i;
                if (below(&own, 3) == 0)
                    MPI_Issend(words[n], count, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[n]);
                else
                    MPI_Isend(words[n], count, MPI_INT, to, tag, MPI_COMM_WORLD, &requests[n]);
            }
    return n;
}

static void round_of_it(void)
{
    static int words[MESSAGES][LARGE];
    MPI_Request requests[MESSAGES];
    plan();
    int n = send_all(requests, words);
    receive_all();
    MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
    /* Messages of the next round must not be taken for those of this one. */
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int programs = argc > 1 ? atoi(argv[1]) : 1;
    unsigned long seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < programs && size <= RANKS; i++) {
        common = seed + (unsigned long)i;
        own = (seed + (unsigned long)i) * 1000003u + (unsigned long)rank;
        for (int round = 0; round < ROUNDS; round++)
            round_of_it();
    }
    MPI_Allreduce(MPI_IN_PLACE, &failed, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0 && !failed)
        printf("%d programs, all right\n", programs);
    MPI_Finalize();
    return failed;
}
