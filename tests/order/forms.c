/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     forms FORM|all [REPEATS [GAP_MS]]
 *
 * In each round, ranks 1, 2, ... send one message to rank 0, GAP_MS (20) apart, in the order of their ranks. Rank 0
 * receives them from any source with one form of receive or probe, and prints the ranks in the order in which they
 * came: a line for each round. It begins to receive when all should have been sent, or, in odd rounds, at once. A round
 * in which the machine did not let the senders sleep as they wanted is marked.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MOST = 64, TAG = 7, OTHER_TAG = 9 };

/* Of a message: who sent it, and when its work before began and ended, in microseconds of a common clock. */
enum { WORDS = 3 };

static int rank, size, gap_ms = 20, tag = TAG;
static MPI_Comm comm;

static void sleep_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static int by_recv(int *word)
{
    MPI_Status status;
    MPI_Recv(word, WORDS, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status);
    return status.MPI_SOURCE;
}

static int by_any_tag(int *word)
{
    MPI_Status status;
    MPI_Recv(word, WORDS, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &status);
    return status.MPI_SOURCE;
}

/* It sends to itself, and receives that at last. */
static int by_sendrecv(int *word)
{
    int own = -1, got;
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(&got, 1, MPI_INT, 0, OTHER_TAG, comm, &request);
    MPI_Sendrecv(&own, 1, MPI_INT, 0, OTHER_TAG, word, WORDS, MPI_INT, MPI_ANY_SOURCE, tag, comm, &status);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

static int by_probe(int *word)
{
    MPI_Status status;
    MPI_Probe(MPI_ANY_SOURCE, tag, comm, &status);
    MPI_Recv(word, WORDS, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

static int by_iprobe(int *word)
{
    MPI_Status status;
    for (int found = 0; !found;) {
        MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &found, &status);
        if (!found)
            sleep_ms(1);
    }
    MPI_Recv(word, WORDS, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, comm, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

static int by_mprobe(int *word)
{
    MPI_Message message;
    MPI_Status status;
    MPI_Mprobe(MPI_ANY_SOURCE, tag, comm, &message, &status);
    MPI_Mrecv(word, WORDS, MPI_INT, &message, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

static int by_improbe(int *word)
{
    MPI_Message message;
    MPI_Status status;
    for (int found = 0; !found;) {
        MPI_Improbe(MPI_ANY_SOURCE, tag, comm, &found, &message, &status);
        if (!found)
            sleep_ms(1);
    }
    MPI_Mrecv(word, WORDS, MPI_INT, &message, MPI_STATUS_IGNORE);
    return status.MPI_SOURCE;
}

static int by_wait(int *word)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(word, WORDS, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
    MPI_Wait(&request, &status);
    return status.MPI_SOURCE;
}

static int by_test(int *word)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Irecv(word, WORDS, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
    for (int done = 0; !done;) {
        MPI_Test(&request, &done, &status);
        if (!done)
            sleep_ms(1);
    }
    return status.MPI_SOURCE;
}

static int by_persistent(int *word)
{
    static MPI_Request request = MPI_REQUEST_NULL;
    static int got[WORDS];
    MPI_Status status;
    if (request == MPI_REQUEST_NULL)
        MPI_Recv_init(got, WORDS, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request);
    MPI_Start(&request);
    MPI_Wait(&request, &status);
    memcpy(word, got, sizeof got);
    return status.MPI_SOURCE;
}

/* All are posted at first. Which = the receive that MPI completes; the order is that of the posts. */
static void all_posted(int how, int words[][WORDS])
{
    MPI_Request requests[MOST];
    MPI_Status statuses[MOST];
    int n = size - 1, left = n, indices[MOST], count;
    for (int i = 0; i < n; i++)
        MPI_Irecv(words[i], WORDS, MPI_INT, MPI_ANY_SOURCE, tag, comm, &requests[i]);
    while (left > 0) {
        count = 1;
        if (how == 0) {
            MPI_Waitall(n, requests, statuses);
            count = n;
        } else if (how == 1) {
            MPI_Waitany(n, requests, indices, statuses);
        } else if (how == 2) {
            MPI_Waitsome(n, requests, &count, indices, statuses);
        } else if (how == 3) {
            int done = 0;
            MPI_Testall(n, requests, &done, statuses);
            count = done ? n : 0;
        } else if (how == 4) {
            int done = 0;
            MPI_Testany(n, requests, indices, &done, statuses);
            count = done;
        } else {
            MPI_Testsome(n, requests, &count, indices, statuses);
        }
        left -= count;
        if (count == 0)
            sleep_ms(1);
    }
}

static const struct {
    const char *name;
    int (*one)(int *word);
    int all;
} forms[] = {{"recv", by_recv, 0},
             {"any_tag", by_any_tag, 0},
             {"sub", by_recv, 0},
             {"sendrecv", by_sendrecv, 0},
             {"probe", by_probe, 0},
             {"iprobe", by_iprobe, 0},
             {"mprobe", by_mprobe, 0},
             {"improbe", by_improbe, 0},
             {"wait", by_wait, 0},
             {"test", by_test, 0},
             {"persistent", by_persistent, 0}, /* its request is never freed */
             {"waitall", NULL, 0},
             {"waitany", NULL, 1},
             {"waitsome", NULL, 2},
             {"testall", NULL, 3},
             {"testany", NULL, 4},
             {"testsome", NULL, 5}};

/* Work begins at about the same time, and ends in the order of the ranks; or the machine was so loaded that nothing
 * follows from the order. What watching costs lies before and behind the work. */
static int had_cores(int words[][WORDS])
{
    int begin[MOST], took[MOST], first = words[0][1];
    for (int i = 0; i < size - 1; i++) {
        begin[words[i][0]] = words[i][1];
        took[words[i][0]] = words[i][2] - words[i][1];
        first = words[i][1] < first ? words[i][1] : first;
    }
    for (int i = 1; i < size; i++)
        if (begin[i] - first > gap_ms * 1000 / 2 || took[i] - i * gap_ms * 1000 > gap_ms * 1000 / 2)
            return 0;
    return 1;
}

static void receive_all(int form)
{
    int words[MOST][WORDS];
    if (!forms[form].one)
        all_posted(forms[form].all, words);
    for (int i = 0; i < size - 1; i++) {
        int source = forms[form].one ? forms[form].one(words[i]) : words[i][0];
        if (source != words[i][0]) {
            printf("rank %d sent what came from %d\n", words[i][0], source);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    for (int i = 0; i < size - 1; i++)
        printf("%s%d", i ? " " : "", words[i][0]);
    printf("%s\n", had_cores(words) ? "" : " (the senders had no core)");
    fflush(stdout);
}

static int now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int)(t.tv_sec % 1000 * 1000000 + t.tv_nsec / 1000);
}

static void send_one(void)
{
    int words[WORDS] = {rank, now_us()};
    sleep_ms(gap_ms * rank);
    words[2] = now_us();
    MPI_Send(words, WORDS, MPI_INT, 0, tag, comm);
}

static void run(int form, int repeats)
{
    comm = MPI_COMM_WORLD;
    if (!strcmp(forms[form].name, "sub"))
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    for (int round = 0; round < repeats; round++) {
        MPI_Barrier(comm);
        if (rank == 0) {
            printf("%s: ", forms[form].name);
            sleep_ms(round % 2 ? 1 : gap_ms * size);
            receive_all(form);
        } else {
            send_one();
        }
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int repeats = argc > 2 ? atoi(argv[2]) : 1, found = 0;
    gap_ms = argc > 3 ? atoi(argv[3]) : gap_ms;
    for (int i = 0; i < (int)(sizeof forms / sizeof *forms); i++)
        if (argc > 1 && (!strcmp(argv[1], forms[i].name) || !strcmp(argv[1], "all"))) {
            run(i, repeats);
            found = 1;
        }
    if (!found)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Finalize();
}
