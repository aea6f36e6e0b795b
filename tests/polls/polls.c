/* SPDX-License-Identifier: BSD-3-Clause
 *
 * polls HOW PAUSE_US PERCENT: two ranks work in turn, PERCENT of WORK_MS each time, and meanwhile the other one polls,
 * HOW, for what comes then. It sleeps for PAUSE_US between two polls, or not at all. So each rank waits for half of the
 * run; with half of the work the run takes half as long. Each rank prints itself how long it has polled ("busy": how
 * long the polls themselves took), and how long it was until the other one came:
 *
 *     RANK WALL_MS POLLED_MS WAITED_MS
 *
 * The statement that waits is marked "waits", the one it waits for "comes", and one that waits for no known rank
 * "polls". Three ways to poll are no wait for a known rank: "never" polls for a message that does not come, "busy"
 * works between polls, "window" polls memory.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 8
#define WORK_MS 50
#define WORLD MPI_COMM_WORLD
#define LARGE 100000 /* ints: no MPI sends so many at once */

static int rank, flag, pause_us, percent;
static int buffer[LARGE];
static MPI_Request request[2];
static double inside; /* polls, where more than polling is done between them */
static MPI_Win win;
static volatile int *shared;

static double now_ms(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void work(void)
{
    for (double until = now_ms(CLOCK_MONOTONIC) + WORK_MS * percent / 100., left;
         (left = until - now_ms(CLOCK_MONOTONIC)) > 0;)
        usleep((unsigned)(left * 1e3) + 1);
}

/* So much of the core. */
static void burn(double ms)
{
    for (double until = now_ms(CLOCK_THREAD_CPUTIME_ID) + ms; now_ms(CLOCK_THREAD_CPUTIME_ID) < until;)
        ;
}

static void rest(void)
{
    if (pause_us)
        usleep((unsigned)pause_us);
}

static void receive(int other)
{
    MPI_Irecv(buffer, 1, MPI_INT, other, 0, WORLD, request);
    request[1] = MPI_REQUEST_NULL;
    flag = 0;
}

static void poll_test(int other)
{
    receive(other);
    while (!flag) {
        MPI_Test(request, &flag, MPI_STATUS_IGNORE); /* test waits */
        rest();
    }
}

static void poll_testall(int other)
{
    receive(other);
    while (!flag) {
        MPI_Testall(2, request, &flag, MPI_STATUSES_IGNORE); /* testall waits */
        rest();
    }
}

static void poll_testany(int other)
{
    int index;
    receive(other);
    while (!flag) {
        MPI_Testany(2, request, &index, &flag, MPI_STATUS_IGNORE); /* testany waits */
        rest();
    }
}

static void poll_testsome(int other)
{
    int indices[2], done = 0;
    receive(other);
    while (!done) {
        MPI_Testsome(2, request, &done, indices, MPI_STATUSES_IGNORE); /* testsome waits */
        rest();
    }
}

static void poll_iprobe(int other)
{
    for (flag = 0; !flag; rest())
        MPI_Iprobe(other, 0, WORLD, &flag, MPI_STATUS_IGNORE); /* iprobe waits */
    MPI_Recv(buffer, 1, MPI_INT, other, 0, WORLD, MPI_STATUS_IGNORE);
}

static void poll_improbe(int other)
{
    MPI_Message message;
    for (flag = 0; !flag; rest())
        MPI_Improbe(other, 0, WORLD, &flag, &message, MPI_STATUS_IGNORE); /* improbe waits */
    MPI_Mrecv(buffer, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
}

/* First some polls, then a call that waits. */
static void poll_spin(int other)
{
    receive(other);
    for (double until = now_ms(CLOCK_MONOTONIC) + WORK_MS / 4.; !flag && now_ms(CLOCK_MONOTONIC) < until; rest())
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
    MPI_Wait(request, MPI_STATUS_IGNORE); /* spin waits */
}

/* It only asks; what follows is over at once. */
static void poll_status(int other)
{
    receive(other);
    while (!flag) {
        MPI_Request_get_status(request[0], &flag, MPI_STATUS_IGNORE); /* status waits */
        rest();
    }
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Of two requests, one of them from any source; the other is over at once, and is asked for again and again. */
static void poll_statuses(int other)
{
    int old = 0;
    MPI_Irecv(buffer + 1, 1, MPI_INT, rank, 1, WORLD, request + 1);
    MPI_Send(buffer, 1, MPI_INT, rank, 1, WORLD);
    MPI_Irecv(buffer, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD, request);
    for (flag = 0; !flag; rest())
        for (int i = 0; i < 2; i++)
            MPI_Request_get_status(request[1 - i], i ? &flag : &old, MPI_STATUS_IGNORE); /* statuses waits */
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    (void)other;
}

/* Two statements and two requests in turn, of which one is complete at last. */
static void poll_turns(int other)
{
    int found = 0;
    receive(other);
    MPI_Irecv(buffer + 1, 1, MPI_INT, other, 1, WORLD, request + 1);
    while (!flag) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, WORLD, &found, MPI_STATUS_IGNORE);
        for (int i = 0; i < 2 && !flag; i++)
            MPI_Test(&request[1 - i], &flag, MPI_STATUS_IGNORE); /* turns waits */
        rest();
    }
    MPI_Cancel(request + 1);
    MPI_Wait(request + 1, MPI_STATUS_IGNORE);
}

static void poll_send(int other)
{
    MPI_Isend(buffer, LARGE, MPI_INT, other, 0, WORLD, request);
    for (flag = 0; !flag; rest())
        MPI_Test(request, &flag, MPI_STATUS_IGNORE); /* send waits */
}

static void poll_ibarrier(int other)
{
    (void)other;
    MPI_Ibarrier(WORLD, request);
    for (flag = 0; !flag; rest())
        MPI_Test(request, &flag, MPI_STATUS_IGNORE); /* ibarrier waits */
}

static void poll_never(int other)
{
    double until = now_ms(CLOCK_MONOTONIC) + WORK_MS;
    (void)other;
    while (now_ms(CLOCK_MONOTONIC) < until) {
        MPI_Iprobe(MPI_ANY_SOURCE, 99, WORLD, &flag, MPI_STATUS_IGNORE); /* never polls */
        rest();
    }
}

static void poll_busy(int other)
{
    for (receive(other); !flag; burn(WORK_MS / 20.)) {
        double since = now_ms(CLOCK_MONOTONIC);
        MPI_Test(request, &flag, MPI_STATUS_IGNORE);
        inside += now_ms(CLOCK_MONOTONIC) - since;
    }
}

static void poll_window(int other)
{
    for (int before = *shared; *shared == before; rest())
        MPI_Win_sync(win); /* window polls */
    (void)other;
}

static void come_message(int other)
{
    MPI_Send(buffer, 1, MPI_INT, other, 0, WORLD); /* message comes */
}

static void come_receive(int other)
{
    MPI_Recv(buffer, LARGE, MPI_INT, other, 0, WORLD, MPI_STATUS_IGNORE); /* receive comes */
}

static void come_barrier(int other)
{
    (void)other;
    MPI_Ibarrier(WORLD, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

static void come_memory(int other)
{
    (void)other;
    ++*shared;
    MPI_Win_sync(win);
}

/* Only so that work, which is sleeping, is not what is between two polls. */
static void come_not(int other)
{
    (void)other;
    MPI_Send(buffer, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
}

static const struct how {
    const char *name;
    void (*poll)(int other);
    void (*come)(int other);
} hows[] = {{"test", poll_test, come_message},       {"testall", poll_testall, come_message},
            {"testany", poll_testany, come_message}, {"testsome", poll_testsome, come_message},
            {"iprobe", poll_iprobe, come_message},   {"improbe", poll_improbe, come_message},
            {"spin", poll_spin, come_message},       {"turns", poll_turns, come_message},
            {"status", poll_status, come_message},   {"statuses", poll_statuses, come_message},
            {"send", poll_send, come_receive},       {"ibarrier", poll_ibarrier, come_barrier},
            {"never", poll_never, come_not},         {"busy", poll_busy, come_message},
            {"window", poll_window, come_memory}};

static double moments[ROUNDS]; /* when it began to poll, or came */

static double take_turns(const struct how *how)
{
    double polled = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (i % 2 == rank) {
            work();
            moments[i] = now_ms(CLOCK_MONOTONIC);
            how->come(1 - rank);
        } else {
            moments[i] = now_ms(CLOCK_MONOTONIC);
            how->poll(1 - rank);
            polled += now_ms(CLOCK_MONOTONIC) - moments[i];
        }
    }
    return inside > 0 ? inside : polled;
}

static double waited(void)
{
    double others[ROUNDS], sum = 0;
    MPI_Sendrecv(moments, ROUNDS, MPI_DOUBLE, 1 - rank, 7, others, ROUNDS, MPI_DOUBLE, 1 - rank, 7, WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 1 - rank; i < ROUNDS; i += 2)
        sum += others[i] > moments[i] ? others[i] - moments[i] : 0;
    return sum;
}

int main(int argc, char **argv)
{
    const struct how *how = hows;
    int *memory, unit;
    MPI_Aint bytes;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(WORLD, &rank);
    while (argc > 3 && strcmp(how->name, argv[1]) != 0)
        how++;
    pause_us = atoi(argv[2]);
    percent = atoi(argv[3]);
    MPI_Win_allocate_shared(rank == 0 ? sizeof *memory : 0, sizeof *memory, MPI_INFO_NULL, WORLD, &memory, &win);
    MPI_Win_shared_query(win, 0, &bytes, &unit, &memory);
    shared = memory;
    MPI_Win_lock_all(0, win);
    MPI_Barrier(WORLD);
    double since = now_ms(CLOCK_MONOTONIC), polled = take_turns(how), wall = now_ms(CLOCK_MONOTONIC) - since;
    printf("%d %.3f %.3f %.3f\n", rank, wall, polled, waited());
    MPI_Win_unlock_all(win);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
