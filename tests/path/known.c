/* SPDX-License-Identifier: BSD-3-Clause */
#include "known.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#define PIECE_NS 5000000

int rank;

static char **words; /* NAME=MS */
static bool *used;
static int word_count;
static int64_t begin_ns, too_long_ns;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Until moments, not for durations: what one piece is too long, the next is shorter. */
void pass_ms(double ms)
{
    int64_t until = now_ns() + (int64_t)(ms * 1e6);
    for (int64_t now; (now = now_ns()) < until;) {
        int64_t next = until - now < PIECE_NS ? until : now + PIECE_NS;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME,
                        &(struct timespec){.tv_sec = next / 1000000000, .tv_nsec = next % 1000000000}, NULL);
    }
    too_long_ns += now_ns() - until;
}

static void give_up(const char *why, const char *what)
{
    fprintf(stderr, "%s %s\n", why, what);
    exit(2);
}

void known_start(int *argc, char ***argv, int ranks)
{
    int size;
    prctl(PR_SET_TIMERSLACK, 1UL);
    MPI_Init(argc, argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (size != ranks)
        give_up("wrong number of ranks for", (*argv)[0]);
    word_count = *argc - 1;
    words = *argv + 1;
    used = calloc((size_t)*argc, sizeof *used);
    if (!used)
        give_up("no memory for", (*argv)[0]);
}

double known_ms(const char *name, double otherwise)
{
    size_t length = strlen(name);
    for (int i = 0; i < word_count; i++)
        if (strncmp(words[i], name, length) == 0 && words[i][length] == '=') {
            used[i] = true;
            return atof(words[i] + length + 1);
        }
    return otherwise;
}

void known_begin(void)
{
    for (int i = 0; i < word_count; i++)
        if (!used[i])
            give_up("nothing here is called", words[i]);
    begin_ns = now_ns();
}

void known_finish(void)
{
    int64_t took_ns = now_ns() - begin_ns, all_ns = 0;
    MPI_Reduce(&too_long_ns, &all_ns, 1, MPI_INT64_T, MPI_SUM, 0, WORLD);
    if (rank == 0)
        printf("%.3f %.3f\n", (double)took_ns / 1e6, (double)all_ns / 1e6);
    MPI_Finalize();
}
