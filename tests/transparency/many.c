/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Large numbers: outstanding requests, requests in one wait, communicators by the thousand and up to the library's
 * limit.
 */
#include "say.h"

#define OUTSTANDING 100000
#define AT_ONCE 50000

static void outstanding(void)
{
    MPI_Request *requests = malloc(OUTSTANDING * sizeof *requests);
    int *values = malloc(OUTSTANDING * sizeof *values), failed = 0, wrong = 0, partner = rank ^ 1;
    for (int i = 0; i < OUTSTANDING; i++)
        failed += MPI_Irecv(&values[i], 1, MPI_INT, partner, 0, WORLD, &requests[i]) != MPI_SUCCESS;
    MPI_Barrier(WORLD);
    for (int i = 0; i < OUTSTANDING; i++)
        failed += MPI_Send(&i, 1, MPI_INT, partner, 0, WORLD) != MPI_SUCCESS;
    for (int i = OUTSTANDING - 1; i >= AT_ONCE; i--) {
        MPI_Status status;
        failed += MPI_Wait(&requests[i], &status) != MPI_SUCCESS;
        wrong += status.MPI_SOURCE != partner || values[i] != i || requests[i] != MPI_REQUEST_NULL;
    }
    failed += MPI_Waitall(AT_ONCE, requests, MPI_STATUSES_IGNORE) != MPI_SUCCESS;
    for (int i = 0; i < AT_ONCE; i++)
        wrong += values[i] != i || requests[i] != MPI_REQUEST_NULL;
    say("outstanding receives: failed %d wrong %d", failed, wrong);

    MPI_Status *statuses = malloc(AT_ONCE * sizeof *statuses);
    for (int i = 0; i < AT_ONCE / 2; i++) {
        failed += MPI_Irecv(&values[i], 1, MPI_INT, partner, i % 7, WORLD, &requests[2 * i]) != MPI_SUCCESS;
        failed += MPI_Isend(&requests[0], 0, MPI_INT, partner, i % 7, WORLD, &requests[2 * i + 1]) != MPI_SUCCESS;
    }
    failed += MPI_Waitall(AT_ONCE, requests, statuses) != MPI_SUCCESS;
    for (int i = 0; i < AT_ONCE / 2; i++)
        wrong += statuses[2 * i].MPI_SOURCE != partner || statuses[2 * i].MPI_TAG != i % 7;
    say("both: failed %d wrong %d", failed, wrong);
    free(statuses);
    free(values);
    free(requests);
}

static void communicators(void)
{
    int sum = 0, failed = 0;
    for (int i = 0; i < 3000; i++) {
        MPI_Comm comm;
        int me;
        failed += MPI_Comm_split(WORLD, 0, i % 2 ? rank : -rank, &comm) != MPI_SUCCESS;
        MPI_Comm_rank(comm, &me);
        sum += me * (i % 3);
        failed += MPI_Comm_free(&comm) != MPI_SUCCESS;
        failed += comm != MPI_COMM_NULL;
    }
    say("made and freed: sum %d failed %d", sum, failed);
}

/* MPICH has about two thousand; Open MPI would go on. */
static void limit(void)
{
    static MPI_Comm comms[5000];
    int n = 0, code = MPI_SUCCESS, x = 0, y = 0;
    while (n < 5000 && (code = MPI_Comm_dup(WORLD, &comms[n])) == MPI_SUCCESS) {
        if (n % 100 == 0) /* each of them is used, so that weft knows it */
            MPI_Sendrecv(&n, 1, MPI_INT, (rank + 1) % size, 0, &x, 1, MPI_INT, (rank + size - 1) % size, 0, comms[n],
                         MPI_STATUS_IGNORE);
        y += x;
        n++;
    }
    say("communicators: %d sum %d", n, y);
    say_code("the next one", code);
    for (int i = 0; i < n; i++)
        MPI_Comm_free(&comms[i]);
    SAY(MPI_Comm_dup(WORLD, &comms[0]));
    SAY(MPI_Comm_free(&comms[0]));
}

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
    outstanding();
    communicators();
    limit();
    MPI_Finalize();
    return 0;
}
