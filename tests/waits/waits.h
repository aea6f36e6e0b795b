/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the programs that wait by construction share. They say themselves what is to be expected, because only they know
 * when they really came. A statement in AT is marked, with the moment it began. WAITS and WAITS_ALL name the mark that
 * waits and the one that comes late, and the wait is the time between the two. A marked statement of which nothing is
 * said must not wait. check.sql compares this with the profile.
 */
#ifndef WAITS_H
#define WAITS_H

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define RANKS 4
#define WORLD MPI_COMM_WORLD
#define MARKS 256
#define LARGE 200000 /* ints: no MPI sends so many at once */
#define SMALL 250    /* ints: Open MPI sends so many at once, but waits until the receiver is in MPI; MPICH does not */
#define LATE_MS 50

struct mark {
    const char *test, *name;
    int line;
    int64_t begin_ns;
};

static int rank;
static int buffer[4 * LARGE], other[4 * LARGE];
static const char *test; /* the case that runs */
static struct mark marks[MARKS];
static int marks_used;
static char expected[1 << 16];
static size_t expected_used;

static inline int64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Asleep, so that others have the core. */
static inline void pass_ms(int ms)
{
    for (int64_t until = now_ns() + ms * INT64_C(1000000), left; (left = until - now_ns()) > 0;)
        nanosleep(&(struct timespec){.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000}, NULL);
}

static inline void late(void)
{
    pass_ms(LATE_MS);
}

/* A statement that is executed again keeps its last moment. */
static inline void mark(const char *name, int line)
{
    int i = 0;
    while (i < marks_used && (marks[i].test != test || strcmp(marks[i].name, name) != 0))
        i++;
    if (i == MARKS) {
        fprintf(stderr, "too many marks\n");
        exit(2);
    }
    if (i == marks_used)
        marks_used++;
    marks[i] = (struct mark){.test = test, .name = name, .line = line, .begin_ns = now_ns()};
}

#define AT(name, call)        \
    do {                      \
        mark(name, __LINE__); \
        call;                 \
    } while (0)

/* `waiter` waits at its statement `at`, for `culprit`, which comes to its statement `late` that much later; the profile
 * says that the culprit is at `place`. */
static inline void expect(const char *kind, int waiter, const char *at, int culprit, const char *come,
                          const char *place, int partner)
{
    expected_used +=
        (size_t)snprintf(expected + expected_used, sizeof expected - expected_used, "wait|%s|%d|%s|%s|%d|%s|%s|%d\n",
                         test, waiter, at, kind, culprit, come, place, partner);
}

/* Between two, and in a collective: there the culprit's place is what it did last before. */
#define WAITS(kind, waiter, at, culprit, come) expect(kind, waiter, at, culprit, come, come, culprit)
#define WAITS_ALL(kind, waiter, at, culprit, come, place) expect(kind, waiter, at, culprit, come, place, -1)

/* What a late member does last before it is late. */
#define DAWDLE                                                               \
    do {                                                                     \
        AT("dawdle", MPI_Send(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD)); \
        late();                                                              \
    } while (0)

/* All begin a case together, when nothing is under way any more. */
static inline void begin(const char *name)
{
    test = name;
    MPI_Barrier(WORLD);
    pass_ms(5);
}

static inline void start(int *argc, char ***argv)
{
    int size;
    MPI_Init(argc, argv);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    if (size != RANKS) {
        fprintf(stderr, "this program wants %d ranks\n", RANKS);
        exit(2);
    }
}

/* Where the MPI library decides whether a rank waits: has `who`, in this time? Rank 0 says what is expected. */
static inline int has_waited(int who, int64_t ns)
{
    int waited = ns > LATE_MS * INT64_C(500000);
    MPI_Bcast(&waited, 1, MPI_INT, who, WORLD);
    return waited;
}

/* One write a rank, so that the lines of two ranks do not mix. */
static inline void finish(void)
{
    static char text[1 << 17];
    size_t used = 0;
    for (const struct mark *m = marks; m < marks + marks_used; m++)
        used += (size_t)snprintf(text + used, sizeof text - used, "mark|%s|%d|%s|%d|%lld\n", m->test, rank, m->name,
                                 m->line, (long long)m->begin_ns);
    if (rank == 0)
        snprintf(text + used, sizeof text - used, "%s", expected);
    char path[64];
    snprintf(path, sizeof path, "marks.%d", rank);
    FILE *file = fopen(path, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
    MPI_Finalize();
}

#endif
