/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Built with sanitizers. Two ranks exchange messages, with a second thread; "bug": then one of them does what its
 * sanitizer finds, and ends as it says.
 */
#include <mpi.h>
#include <pthread.h>

static int shared;

static void *other(void *unused)
{
    char *memory = malloc(100);
    memset(memory, 1, 100);
    shared += memory[50];
    free(memory);
    return unused;
}

PROCEDURE static void exchange(int rank)
{
    int in = -1;
    char *memory = malloc(1000);
    MPI_Sendrecv(&rank, 1, MPI_INT, 1 - rank, 1, &in, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MUST(in == 1 - rank);
    free(memory);
}

#if defined(__SANITIZE_ADDRESS__)
#define BUG 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BUG 1
#endif
#endif

PROCEDURE static void bug(int rank)
{
#ifdef BUG
    volatile char *memory = malloc(10);
    memory[10] = (char)rank;
#else
    volatile int large = 0x7fffffff;
    shared += large + (rank + 1);
#endif
}

int main(int argc, char **argv)
{
    int rank;
    pthread_t id;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 20; i++)
        exchange(rank);
    MUST(pthread_create(&id, NULL, other, NULL) == 0);
    pthread_join(id, NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && strcmp(argv[1], "bug") == 0 && rank == 0)
        bug(rank);
    MPI_Barrier(MPI_COMM_WORLD); /* a rank without a bug says nothing if the other one ends here */
    printf("rank %d: %d\n", rank, shared);
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
