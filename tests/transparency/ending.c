/* SPDX-License-Identifier: BSD-3-Clause
 *
 * ending HOW: all ways in which a program may end.
 */
#include <signal.h>
#include <unistd.h>

#include "say.h"

static void at_exit(void)
{
    int finalized = -1;
    MPI_Finalized(&finalized);
    if (rank == 1) /* the others may be killed before they get here */
        say("at exit: finalized %d", finalized);
}

static void on_signal(int number)
{
    (void)number;
    _exit(21);
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    volatile int *nowhere = NULL;
    if (strcmp(how, "before") == 0)
        return 6;
    if (strcmp(how, "early") == 0)
        MPI_Barrier(WORLD);
    begin(&argc, &argv);
    say("%d arguments, the last %s", argc, argv[argc - 1]);
    atexit(at_exit);
    printf("rank %d speaks\n", rank);
    fprintf(stderr, "rank %d complains\n", rank);
    fflush(NULL);
    MPI_Barrier(WORLD);
    usleep(200000); /* the launcher may forget what it has not read when a process dies */
    if (strcmp(how, "code") == 0) {
        MPI_Finalize();
        return 3;
    }
    if (strcmp(how, "one_code") == 0) {
        MPI_Finalize();
        return rank == 1 ? 4 : 0;
    }
    if (strcmp(how, "late") == 0) {
        MPI_Finalize();
        if (rank == 1)
            MPI_Barrier(WORLD);
        return 0;
    }
    if (rank == 1) {
        if (strcmp(how, "abort") == 0)
            MPI_Abort(WORLD, 7);
        else if (strcmp(how, "twice") == 0)
            MPI_Init(&argc, &argv);
        else if (strcmp(how, "exit") == 0)
            exit(5);
        else if (strcmp(how, "segfault") == 0)
            *nowhere = 1;
        else if (strcmp(how, "kill") == 0)
            kill(getpid(), SIGKILL);
        else if (strcmp(how, "terminate") == 0)
            kill(getpid(), SIGTERM);
        else if (strcmp(how, "handler") == 0) {
            signal(SIGSEGV, on_signal);
            *nowhere = 1;
        } else if (strcmp(how, "error") == 0)
            MPI_Send(&rank, 1, MPI_INT, size + 7, 0, WORLD);
    }
    /* The others would wait forever. */
    if (rank != 1)
        MPI_Recv(&rank, 1, MPI_INT, 1, 0, WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
