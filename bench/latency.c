/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What watching adds to a message, measured inside one job of 2 ranks: latencies differ by a factor of two
 * from job to job, so only figures of one job are compared. The job repeats rounds of four short blocks in
 * random order:
 *
 *     plain    the MPI library's own functions
 *     watched  what the application's MPI_Send leads to: weft, if it is preloaded
 *     control  plain again: what "no difference" looks like on this machine at this moment
 *     floor    plain between two readings of the clock, the least that any tool does which measures time
 *
 * All run the same code through a table of function pointers, so nothing but the functions differs. Rank 0
 * prints one JSON object a case: medians over all rounds of the time of one operation, and of the differences
 * to plain in the same round.
 *
 * Where empty_mpi.c is preloaded behind weft, one rank does: then plain is a function that returns at once,
 * and the difference is what a watched call costs when nothing hides it.
 */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#define WINDOW 64
#define NEIGHBOURS 4
#define HALO_CALLS (2 * NEIGHBOURS + 1)
#define MAX_BYTES (1 << 20)
#define MAX_ROUNDS 10000

#define FUNCTIONS(X) X(Send) X(Recv) X(Isend) X(Irecv) X(Waitall) X(Allreduce)

struct functions {
#define X(name) __typeof__(&MPI_##name) name;
    FUNCTIONS(X)
#undef X
};

enum { PLAIN, WATCHED, CONTROL, FLOOR, KINDS };

static struct functions tables[KINDS];
static char *buffer, *inbox;
static int rank;

/* The functions of FLOOR. */
static uint64_t floor_ticks;

#define FLOOR_CALL(call)              \
    uint64_t start = __rdtsc();       \
    int rc = tables[PLAIN].call;      \
    floor_ticks += __rdtsc() - start; \
    return rc

static int floor_Send(const void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm)
{
    FLOOR_CALL(Send(buf, n, type, peer, tag, comm));
}

static int floor_Recv(void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Status *status)
{
    FLOOR_CALL(Recv(buf, n, type, peer, tag, comm, status));
}

static int floor_Isend(const void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *req)
{
    FLOOR_CALL(Isend(buf, n, type, peer, tag, comm, req));
}

static int floor_Irecv(void *buf, int n, MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request *req)
{
    FLOOR_CALL(Irecv(buf, n, type, peer, tag, comm, req));
}

static int floor_Waitall(int n, MPI_Request reqs[], MPI_Status statuses[])
{
    FLOOR_CALL(Waitall(n, reqs, statuses));
}

static int floor_Allreduce(const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    FLOOR_CALL(Allreduce(in, out, n, type, op, comm));
}

struct bench_case {
    const char *name;
    void (*run)(const struct functions *mpi, int repetitions, int bytes);
    int bytes;
    int repetitions; /* in a block: it should take 0.1 to 0.5 ms, much less than a time slice */
    int operations;  /* in a repetition */
    int rounds;
};

/* Every function here makes both ranks do the same number of repetitions and leaves no message behind. Not
 * inlined: one copy of the code, so one set of call sites, for all kinds of blocks. */
#define BLOCK static __attribute__((noinline)) void

BLOCK half_round_trip(const struct functions *mpi, int repetitions, int bytes)
{
    for (int i = 0; i < repetitions; i++)
        if (rank == 0) {
            mpi->Send(buffer, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD);
            mpi->Recv(inbox, bytes, MPI_BYTE, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            mpi->Recv(inbox, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            mpi->Send(buffer, bytes, MPI_BYTE, 0, 1, MPI_COMM_WORLD);
        }
}

/* The word back, which keeps the sender from running ahead, is always plain. */
BLOCK window(const struct functions *mpi, int repetitions, int bytes)
{
    MPI_Request requests[WINDOW];
    char word = 0;
    for (int i = 0; i < repetitions; i++) {
        for (int m = 0; m < WINDOW; m++)
            if (rank == 0)
                mpi->Isend(buffer + m * bytes, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[m]);
            else
                mpi->Irecv(inbox + m * bytes, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[m]);
        mpi->Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            tables[PLAIN].Recv(&word, 1, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            tables[PLAIN].Send(&word, 1, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
}

BLOCK allreduce(const struct functions *mpi, int repetitions, int bytes)
{
    double in = rank, out;
    (void)bytes;
    for (int i = 0; i < repetitions; i++)
        mpi->Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

BLOCK halo(const struct functions *mpi, int repetitions, int bytes)
{
    MPI_Request requests[2 * NEIGHBOURS];
    int other = 1 - rank;
    for (int i = 0; i < repetitions; i++) {
        for (int n = 0; n < NEIGHBOURS; n++)
            mpi->Irecv(inbox + n * bytes, bytes, MPI_BYTE, other, n, MPI_COMM_WORLD, &requests[n]);
        for (int n = 0; n < NEIGHBOURS; n++)
            mpi->Isend(buffer + n * bytes, bytes, MPI_BYTE, other, n, MPI_COMM_WORLD, &requests[NEIGHBOURS + n]);
        mpi->Waitall(2 * NEIGHBOURS, requests, MPI_STATUSES_IGNORE);
    }
}

static const struct bench_case cases[] = {
    {"8 B half round trip", half_round_trip, 8, 200, 2, 1200},
    {"1 KiB half round trip", half_round_trip, 1024, 100, 2, 1200},
    {"64 KiB half round trip", half_round_trip, 65536, 10, 2, 800},
    {"1 MiB half round trip", half_round_trip, 1 << 20, 2, 2, 400},
    {"64 x Isend/Irecv + Waitall, a message", window, 8, 10, WINDOW, 1200},
    {"8 B allreduce", allreduce, 8, 200, 1, 1200},
    {"nonblocking halo, a call", halo, 1024, 20, HALO_CALLS, 1200},
};

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* One block; what ran before it has left the caches and the predictors, and perhaps the other rank, in some
 * state: a few repetitions that are not timed come first. */
static double block_ns(const struct bench_case *bench, const struct functions *mpi)
{
    int warm_up = bench->repetitions / 8 + 1;
    bench->run(mpi, warm_up, bench->bytes);
    double start = now_ns();
    bench->run(mpi, bench->repetitions, bench->bytes);
    return (now_ns() - start) / (bench->repetitions * bench->operations);
}

/* The same sequence on both ranks. */
static uint32_t random_below(uint32_t n)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 32) % n;
}

static void shuffle(int order[KINDS])
{
    for (uint32_t i = KINDS; i > 1; i--) {
        uint32_t j = random_below(i);
        int kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* values[] has to be sorted. */
static double quantile(const double *values, int n, double q)
{
    double at = q * (n - 1);
    int i = (int)at;
    return i + 1 < n ? values[i] + (at - i) * (values[i + 1] - values[i]) : values[n - 1];
}

/* Quartiles show how far single pairs lie apart; low and high are the 95 % interval of the median itself. */
static void print_differences(const char *name, double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_size);
    double half_width = 0.98 / sqrt(n);
    printf("\"%s\":{\"median\":%.1f,\"q1\":%.1f,\"q3\":%.1f,\"low\":%.1f,\"high\":%.1f},", name,
           quantile(values, n, 0.5), quantile(values, n, 0.25), quantile(values, n, 0.75),
           quantile(values, n, 0.5 - half_width), quantile(values, n, 0.5 + half_width));
}

static double median(double *values, int n)
{
    qsort(values, (size_t)n, sizeof *values, by_size);
    return quantile(values, n, 0.5);
}

static void measure(const struct bench_case *bench, int rounds)
{
    static double ns[KINDS][MAX_ROUNDS], difference[KINDS][MAX_ROUNDS];
    int order[KINDS] = {PLAIN, WATCHED, CONTROL, FLOOR};
    MPI_Barrier(MPI_COMM_WORLD);
    for (int r = 0; r < rounds; r++) {
        shuffle(order);
        for (int k = 0; k < KINDS; k++)
            ns[order[k]][r] = block_ns(bench, &tables[order[k]]);
        for (int k = 0; k < KINDS; k++)
            difference[k][r] = ns[k][r] - ns[PLAIN][r];
    }
    if (rank != 0)
        return;
    printf("{\"name\":\"%s\",\"bytes\":%d,\"rounds\":%d,", bench->name, bench->bytes, rounds);
    print_differences("difference_ns", difference[WATCHED], rounds);
    print_differences("control_ns", difference[CONTROL], rounds);
    print_differences("floor_ns", difference[FLOOR], rounds);
    printf("\"plain_ns\":%.1f,\"watched_ns\":%.1f}\n", median(ns[PLAIN], rounds), median(ns[WATCHED], rounds));
    fflush(stdout);
}

/* Where the plain functions are. Sets how many ranks it takes to measure them. */
static void *open_mpi_library(int *ranks)
{
    static const char *const names[] = {"libempty_mpi.so", "libmpi.so.40", "libmpich.so.12", "libmpi.so.12"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOLOAD | RTLD_LAZY);
        *ranks = i == 0 ? 1 : 2;
        if (library)
            return library;
    }
    fprintf(stderr, "latency: neither Open MPI's nor MPICH's library is loaded\n");
    exit(1);
}

static void fill_tables(void *library)
{
#define X(name)                                                   \
    *(void **)&tables[PLAIN].name = dlsym(library, "MPI_" #name); \
    tables[WATCHED].name = MPI_##name;                            \
    tables[FLOOR].name = floor_##name;
    FUNCTIONS(X)
#undef X
    tables[CONTROL] = tables[PLAIN];
    if (memcmp(&tables[WATCHED], &tables[PLAIN], sizeof tables[PLAIN]) == 0) {
        fprintf(stderr, "latency: weft is not preloaded: watched would be plain\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* latency [SHARE [CASE]]: SHARE of the usual number of rounds, in per cent; CASE, a part of a name, chooses.
 */
int main(int argc, char **argv)
{
    int size, ranks, share = argc > 1 ? atoi(argv[1]) : 100;
    const char *chosen = argc > 2 ? argv[2] : "";
    void *library = open_mpi_library(&ranks);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    buffer = calloc(1, MAX_BYTES);
    inbox = calloc(1, MAX_BYTES);
    if (size != ranks || share < 1 || !buffer || !inbox) {
        fprintf(stderr, "latency: run it with %d ranks: latency [PER_CENT [CASE]]\n", ranks);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    fill_tables(library);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int rounds = cases[i].rounds * share / 100;
        if (strstr(cases[i].name, chosen))
            measure(&cases[i], rounds < 10 ? 10 : rounds > MAX_ROUNDS ? MAX_ROUNDS : rounds);
    }
    MPI_Finalize();
    free(buffer);
    free(inbox);
    return 0;
}
