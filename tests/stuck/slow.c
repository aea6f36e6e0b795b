/* SPDX-License-Identifier: BSD-3-Clause
 *
 * slow WHAT SECONDS [FILE]: programs that are only slow, in the ways that look most like a deadlock. None ever is one.
 */
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size, value;
static double seconds;
static const char *file;

static void receive_from(int from, int tag)
{
    MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send_to(int to, int tag)
{
    MPI_Send(&value, 1, MPI_INT, to, tag, MPI_COMM_WORLD);
}

static void pause_for(double s)
{
    nanosleep(&(struct timespec){(time_t)s, (long)((s - (double)(time_t)s) * 1e9)}, NULL);
}

/* Rank 0 computes, rank 1 waits for it, rank 2 for rank 1, all others in a collective. */
static void computes(void)
{
    double end = MPI_Wtime() + seconds;
    if (rank == 0) {
        while (MPI_Wtime() < end)
            value++;
        send_to(1, 1);
    }
    if (rank == 1) {
        receive_from(0, 1);
        send_to(2, 2);
    }
    if (rank == 2)
        receive_from(1, 2);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 sleeps in read(): a pipe, a terminal, a disk. */
static void reads(void)
{
    char byte;
    int fd = rank == 0 ? (file ? open(file, O_RDONLY) : STDIN_FILENO) : -1;
    if (rank == 0 && read(fd, &byte, 1) < 0)
        perror("read");
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 polls for what comes late, and rank 1 waits for rank 0. */
static void polls(void)
{
    int flag = 0;
    if (rank == 0) {
        while (!flag) {
            MPI_Iprobe(2, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
            usleep(1000);
        }
        receive_from(2, 3);
        send_to(1, 4);
    } else if (rank == 1) {
        receive_from(0, 4);
    } else if (rank == 2) {
        pause_for(seconds);
        send_to(0, 3);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static void *send_late(void *unused)
{
    (void)unused;
    pause_for(seconds);
    send_to(1, 5);
    return NULL;
}

/* Rank 0 receives from rank 1, and rank 1 from rank 0; but another thread of rank 0 sends, later. */
static void threads(void)
{
    pthread_t thread;
    if (rank == 0) {
        pthread_create(&thread, NULL, send_late, NULL);
        receive_from(1, 6);
        pthread_join(thread, NULL);
    } else if (rank == 1) {
        receive_from(0, 5);
        send_to(0, 6);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 waits in a Waitall for rank 2, which sleeps; what it needed of rank 1 has come. Rank 1 waits for rank 0. */
static void waits(void)
{
    MPI_Request requests[2];
    int more;
    if (rank == 0) {
        MPI_Irecv(&value, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&more, 1, MPI_INT, 2, 8, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        send_to(1, 9);
    } else if (rank == 1) {
        send_to(0, 7);
        receive_from(0, 9);
    } else if (rank == 2) {
        pause_for(seconds);
        send_to(0, 8);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

/* A token goes round slowly: at any moment all ranks but one are blocked, and each in a call of its own. */
static void token(void)
{
    double end = MPI_Wtime() + seconds;
    for (int on = 1; on;) {
        if (rank != 0)
            MPI_Recv(&on, 1, MPI_INT, rank - 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            on = MPI_Wtime() < end;
        pause_for(0.05);
        MPI_Send(&on, 1, MPI_INT, (rank + 1) % size, 10, MPI_COMM_WORLD);
        if (rank == 0)
            MPI_Recv(&on, 1, MPI_INT, size - 1, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

/* Each rank of pairs receives what the other has sent; rank 1 is stopped from outside meanwhile, first in its receive
 * (its process is in `file`), so that the message cannot reach it. */
static void stopped(void)
{
    if (rank == 1) {
        FILE *to = fopen(file, "w");
        if (to) {
            fprintf(to, "%d\n", (int)getpid());
            fclose(to);
        }
        receive_from(0, 11);
        send_to(0, 12);
    } else if (rank == 0) {
        pause_for(1.5);
        send_to(1, 11);
        receive_from(1, 12);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

static const struct {
    const char *name;
    void (*run)(void);
} programs[] = {{"computes", computes}, {"reads", reads}, {"polls", polls},    {"threads", threads},
                {"waits", waits},       {"token", token}, {"stopped", stopped}};

/* slow WHAT,WHAT... SECONDS FILE */
int main(int argc, char **argv)
{
    int provided;
    char *words = argc > 2 ? argv[1] : "";
    MPI_Init_thread(&argc, &argv, strstr(words, "threads") ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    seconds = argc > 2 ? atof(argv[2]) : 0;
    file = argc > 3 ? argv[3] : NULL;
    for (char *word = strtok(words, ","); word; word = strtok(NULL, ","))
        for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
            if (strcmp(programs[i].name, word) == 0)
                programs[i].run();
    if (rank == 0)
        puts("done");
    MPI_Finalize();
    return 0;
}
