/* SPDX-License-Identifier: BSD-3-Clause
 *
 *     figures 3|4|late
 *
 * Figures 3 and 4 of Li and Zhang, as programs. Work is sleep. Rank 1 receives from any source and prints the senders.
 *
 *     3      two senders in turn: the one that is later in the monitored run is the earlier one without
 *     4      rank 3 may still send something earlier than rank 0, but it waits for rank 2, which waits for rank 1: who
 *            holds the message of rank 0 back for ever, waits for ever
 *     late   as 3, but each sender sends 10 times, and rank 1 does nothing but receive: it waits from the begin of the
 *            program to its end
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int rank, size, word;

static void sleep_ms(int ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L};
    nanosleep(&t, NULL);
}

static void send_to(int to)
{
    MPI_Send(&word, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
}

static void receive_from(int from)
{
    MPI_Recv(&word, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void receive_any(int more)
{
    MPI_Status status;
    MPI_Recv(&word, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
    printf("%d%s", status.MPI_SOURCE, more ? " " : "\n");
}

static void in_turn(int times)
{
    for (int i = 0; rank == 1 && i < 2 * times; i++)
        receive_any(i < 2 * times - 1);
    if (rank == 2)
        sleep_ms(20);
    for (int i = 0; (rank == 0 || rank == 2) && i < times; i++) {
        sleep_ms(i ? 40 : 20);
        send_to(1);
    }
}

static void figure_4(void)
{
    if (rank == 0) {
        sleep_ms(60);
        send_to(1);
    } else if (rank == 1) {
        receive_any(1);
        send_to(2);
        receive_any(0);
    } else if (rank == 2) {
        receive_from(1);
        send_to(3);
    } else if (rank == 3) {
        receive_from(2);
        send_to(1);
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 1 && !strcmp(argv[1], "4"))
        figure_4();
    else
        in_turn(argc > 1 && !strcmp(argv[1], "late") ? 10 : 2);
    MPI_Finalize();
}
