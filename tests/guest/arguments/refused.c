/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What MPI refuses changes nothing: the communicators that it does not free, the requests that it does not complete and
 * the collectives that it does not begin are known afterwards as before. Prints what MPI says; refused.sh knows how
 * often what is called.
 */
#include <mpi.h>
#include <stdio.h>
#include <sys/mman.h>

#define ROUNDS 50

static int rank, size;

static void say(const char *what, int rc)
{
    int class;
    MPI_Error_class(rc, &class);
    printf("rank %d: %s: %d\n", rank, what, class);
}

static void together(void)
{
    int one = 1, sum;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
}

static void communicators(void)
{
    MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF, none = MPI_COMM_NULL;
    MPI_Win no_win = MPI_WIN_NULL;
    say("free the world", MPI_Comm_free(&world));
    together();
    say("free oneself", MPI_Comm_free(&self));
    say("free nothing", MPI_Comm_free(&none));
#ifndef OPEN_MPI /* which crashes of this itself */
    say("free nowhere", MPI_Comm_free(NULL));
#endif
    say("free no window", MPI_Win_free(&no_win));
    together();
}

/* Only the first rank is wrong, and the next call is right. */
static void collectives(void)
{
    int value = 0;
    MPI_Request request;
    if (rank == 0) {
        say("wrong root", MPI_Bcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD));
        say("no datatype", MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DATATYPE_NULL, MPI_SUM, MPI_COMM_WORLD));
        say("wrong root", MPI_Ibcast(&value, 1, MPI_INT, 99, MPI_COMM_WORLD, &request));
    }
    together();
}

static void pointers(void)
{
    int flag, index, value = 0;
    MPI_Status status;
    MPI_Request none = MPI_REQUEST_NULL;
    say("wait for nothing", MPI_Wait(NULL, &status));
    say("test nothing", MPI_Test(NULL, &flag, &status));
    say("start nothing", MPI_Start(NULL));
    say("start nothing", MPI_Start(&none));
    say("free nothing", MPI_Request_free(NULL));
    say("no index", MPI_Waitany(1, &none, NULL, &status));
    say("no index", MPI_Testany(1, &none, NULL, &flag, &status));
    say("no requests", MPI_Waitany(1, NULL, &index, &status));
    say("no requests", MPI_Waitall(3, NULL, MPI_STATUSES_IGNORE));
    say("no requests", MPI_Startall(3, NULL));
    say("fewer than none", MPI_Waitall(-1, &none, MPI_STATUSES_IGNORE));
    say("none of none", MPI_Waitall(0, NULL, NULL));
#ifdef OPEN_MPI /* which reads no further than the first one that is wrong */
    char *pages = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages, 4096, PROT_READ | PROT_WRITE);
    MPI_Request *last = (MPI_Request *)(pages + 4096) - 1;
    say("more than there are", MPI_Waitall(1000000, last, MPI_STATUSES_IGNORE));
    say("more than there are", MPI_Startall(1000000, last));
#endif
#ifndef OPEN_MPI /* which ends the program there, whatever the error handlers are */
    MPI_Request request;
    say("no message", MPI_Mrecv(&value, 1, MPI_INT, NULL, &status));
    say("no message", MPI_Imrecv(&value, 1, MPI_INT, NULL, &request));
#endif
    (void)value;
}

/* A request that a wrong call was to complete is completed by the next one. */
static void requests(void)
{
    int in[2] = {0}, out = rank, next = (rank + 1) % size, before = (rank + size - 1) % size;
    MPI_Request request[2];
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Irecv(&in[0], 1, MPI_INT, before, 1, MPI_COMM_WORLD, &request[0]);
        MPI_Irecv(&in[1], 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &request[1]);
        if (i == 0)
            say("fewer than none", MPI_Waitall(-1, request, MPI_STATUSES_IGNORE));
        if (i == 0)
            say("no flag", MPI_Testall(2, request, NULL, MPI_STATUSES_IGNORE));
#ifndef OPEN_MPI /* where no status is one that is not wanted */
        if (i == 0)
            say("no status", MPI_Wait(&request[0], NULL));
#endif
        MPI_Send(&out, 1, MPI_INT, next, 1, MPI_COMM_WORLD);
        MPI_Send(&out, 1, MPI_INT, next, 2, MPI_COMM_WORLD);
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Isend(&out, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &request[0]);
        MPI_Recv(&in[0], 1, MPI_INT, i % 2 ? 0 : MPI_ANY_SOURCE, 3, MPI_COMM_SELF, MPI_STATUS_IGNORE);
        MPI_Wait(&request[0], MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    communicators();
    collectives();
    pointers();
    requests();
    together();
    MPI_Finalize();
    return 0;
}
