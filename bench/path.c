/* SPDX-License-Identifier: BSD-3-Clause
 *
 * path REGIONS ROUNDS BYTES SECONDS    path calibrate MESSAGES_A_SECOND PERCENT
 *
 * The program of Hollingsworth's Figures 6 and 7: two processes, each of which computes for a while and then sends a
 * message to the other. One step is ROUNDS of a loop, in one of REGIONS regions in turn, and an exchange of BYTES. As
 * in latency.c only figures of one job are compared: short blocks of steps that are plain (the MPI library's own
 * function, and no regions), watched, and plain again, in turns. Rank 0 prints one JSON object: the medians of a step,
 * and of how much slower (%) watched was than plain, and plain than plain, in the same turn.
 *
 * calibrate prints the ROUNDS and BYTES that make so many steps a second, with so many per cent of them computing. It
 * finds each alone at its best. Then it changes both by as much as the steps that they make take longer or shorter.
 */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <weft/weft.h>

/* A block is long, because in a program that is watched every step is. In blocks of 0.5 ms the same steps cost some 0.5
 * points more. */
enum { MOST_REGIONS = 64, BLOCK_NS = 5000000, MOST_TURNS = 10000, MOST_BYTES = 1 << 26, REPEATS = 11 };

enum kind { PLAIN, WATCHED, CONTROL, KINDS };

typedef __typeof__(&MPI_Sendrecv) exchange_function;

static exchange_function own_exchange; /* the MPI library's */
static int rank;
static char *out, *in;

static int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* One copy, wherever it is called from. */
static __attribute__((noinline)) void spin(long rounds)
{
    for (long i = 0; i < rounds; i++)
        __asm__ volatile("" ::"r"(i));
}

/* ---- 64 regions ---- */

#define ONE(n)                          \
    static void region_##n(long rounds) \
    {                                   \
        WEFT_REGION("region_" #n)       \
        {                               \
            spin(rounds);               \
        }                               \
    }
#define NAME(n) region_##n,
#define EIGHT(do, n) \
    do               \
    (n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7)
#define ALL(do) EIGHT(do, 0) EIGHT(do, 1) EIGHT(do, 2) EIGHT(do, 3) EIGHT(do, 4) EIGHT(do, 5) EIGHT(do, 6) EIGHT(do, 7)

ALL(ONE)

static void (*const regions[MOST_REGIONS])(long) = {ALL(NAME)};

/* ---- steps ---- */

/* Not inlined: one call site for all kinds of blocks. */
static __attribute__((noinline)) void exchange(exchange_function call, int bytes)
{
    call(out, bytes, MPI_BYTE, 1 - rank, 0, in, bytes, MPI_BYTE, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* The ns of a step. */
static double block_of(enum kind kind, int region_count, long rounds, int bytes, long steps)
{
    static long number;
    exchange_function call = kind == WATCHED ? MPI_Sendrecv : own_exchange;
    int64_t since = now_ns();
    for (long i = 0; i < steps; i++) {
        void (*compute)(long) = kind == WATCHED && region_count ? regions[number++ % region_count] : spin;
        compute(rounds);
        exchange(call, bytes);
    }
    return (double)(now_ns() - since) / (double)steps;
}

/* Rank 0 has the clock. */
static double agreed(double value)
{
    double theirs;
    own_exchange(&value, 1, MPI_DOUBLE, 1 - rank, 1, &theirs, 1, MPI_DOUBLE, 1 - rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return rank == 0 ? value : theirs;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, long count)
{
    qsort(values, (size_t)count, sizeof *values, compare);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* ---- calibrating ---- */

/* The best of several, because others may have had the core. */
static double exchange_ns(int bytes)
{
    double best = 0;
    for (int i = 0; i < REPEATS; i++) {
        double ns = block_of(PLAIN, 0, 0, bytes, bytes < 65536 ? 50 : 2);
        best = i == 0 || ns < best ? ns : best;
    }
    return agreed(best);
}

static double round_ns(void)
{
    double best = 0;
    for (int i = 0; i < REPEATS; i++) {
        int64_t since = now_ns();
        spin(1000000);
        double ns = (double)(now_ns() - since) / 1000000;
        best = i == 0 || ns < best ? ns : best;
    }
    return agreed(best);
}

/* Between the two powers of 2 around it, as if it were linear. */
static int bytes_for(double wanted_ns)
{
    double before = 0, now = exchange_ns(8);
    int bytes = 8;
    if (now >= wanted_ns)
        return bytes;
    while (now < wanted_ns && bytes < MOST_BYTES) {
        bytes *= 2;
        before = now;
        now = exchange_ns(bytes);
    }
    if (now <= wanted_ns)
        return bytes;
    return bytes / 2 + (int)(bytes / 2 * (wanted_ns - before) / (now - before));
}

/* One in the middle, of so many. */
static double step_ns(long rounds, int bytes, long steps)
{
    double ns[REPEATS];
    for (int i = 0; i < REPEATS; i++)
        ns[i] = block_of(PLAIN, 0, rounds, bytes, steps);
    return agreed(median(ns, REPEATS));
}

static void calibrate(double messages, double per_cent)
{
    double period = 1e9 / messages, computing = period * per_cent / 100;
    long rounds = (long)(computing / round_ns());
    int bytes = bytes_for(period - computing);
    for (int i = 0; i < 3; i++) {
        double scale = period / step_ns(rounds, bytes, (long)(messages / 20) + 1);
        rounds = (long)((double)rounds * scale);
        bytes = (int)((double)bytes * scale);
        bytes = bytes < 8 ? 8 : bytes;
    }
    if (rank == 0)
        printf("%ld %d\n", rounds, bytes);
}

/* ---- measuring ---- */

static double column[KINDS][MOST_TURNS];

/* How much slower than plain in the same turn, in per cent. */
static double slower(enum kind kind, long turns)
{
    static double ratio[MOST_TURNS];
    for (long i = 0; i < turns; i++)
        ratio[i] = 100 * (column[kind][i] / column[PLAIN][i] - 1);
    return median(ratio, turns);
}

/* Another kind begins each turn. */
static long take_turns(int region_count, long rounds, int bytes, double seconds, long block)
{
    long turns = 0;
    int64_t until = now_ns() + (int64_t)(seconds * 1e9);
    do {
        for (int i = 0; i < KINDS; i++) {
            enum kind kind = (enum kind)((turns + i) % KINDS);
            column[kind][turns] = block_of(kind, region_count, rounds, bytes, block);
        }
        turns++;
    } while (agreed(turns < MOST_TURNS && now_ns() < until) > 0);
    return turns;
}

static void measure(char **words)
{
    int region_count = atoi(words[1]), bytes = atoi(words[3]);
    long rounds = atol(words[2]);
    double seconds = atof(words[4]);
    if (region_count < 0 || region_count > MOST_REGIONS || bytes < 8 || bytes > MOST_BYTES || seconds <= 0) {
        fprintf(stderr, "path: not so many regions, bytes or seconds\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (own_exchange == MPI_Sendrecv) {
        fprintf(stderr, "path: weft is not preloaded: watched would be plain\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    double first = agreed(block_of(PLAIN, 0, rounds, bytes, 4));
    long block = (long)(BLOCK_NS / first) + 1;
    block_of(WATCHED, region_count, 0, 8, 10 * MOST_REGIONS); /* what is done only once */
    long turns = take_turns(region_count, rounds, bytes, seconds, block);
    double watched = slower(WATCHED, turns), noise = slower(CONTROL, turns);
    if (rank == 0)
        printf("{\"plain_ns\":%.1f,\"watched_ns\":%.1f,\"slower\":%.4f,\"noise\":%.4f,\"turns\":%ld}\n",
               median(column[PLAIN], turns), median(column[WATCHED], turns), watched, noise, turns);
}

/* As in latency.c: weft's is the one that the program's own calls lead to. */
static exchange_function find_own(void)
{
    static const char *const names[] = {"libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
    exchange_function found = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !found; i++) {
        void *library = dlopen(names[i], RTLD_NOLOAD | RTLD_LAZY);
        if (library)
            *(void **)&found = dlsym(library, "MPI_Sendrecv");
    }
    return found;
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    out = calloc(1, MOST_BYTES);
    in = calloc(1, MOST_BYTES);
    own_exchange = find_own();
    if (size != 2 || !out || !in || !own_exchange) {
        fprintf(stderr, "path: wants 2 ranks, memory, and a library of MPI that it knows\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    if (argc == 4 && strcmp(argv[1], "calibrate") == 0) {
        calibrate(atof(argv[2]), atof(argv[3]));
    } else if (argc == 5) {
        measure(argv);
    } else {
        fprintf(stderr, "usage: path REGIONS ROUNDS BYTES SECONDS | path calibrate MESSAGES_A_SECOND PERCENT\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    MPI_Finalize();
    free(out);
    free(in);
    return 0;
}
