/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder, boxes, matching and the critical path as an MPI program with MPI_THREAD_MULTIPLE drives them, without
 * MPI: several processes of several threads send, receive, answer and enter collectives, to each other and to
 * themselves, through real boxes. In place of an MPI library, counters in shared memory say what has been sent. To be
 * built with ThreadSanitizer, which stops at the first report; without it, the counts at the end must be right.
 *
 *     stress SECONDS_AT_THE_MOST
 *
 * Of MPI it has no more than what mpi.h declares. What it does in calls is what measure/class_*.h do.
 */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/path/feed.h"

/* A block comes back from the process that has read it, which ThreadSanitizer does not see: who wrote there before is
 * before who does now. */
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>

static void show_where_another_has(struct wf_feed *f, struct wf_shown *s)
{
    __tsan_acquire(s);
    wf_feed_show(f, s);
    __tsan_release(s);
}

#define wf_feed_show show_where_another_has
#endif

#include "measure/exchange/header.h"
#include "measure/exchange/snapshot.c" /* it is what shows */

enum { RANKS = 3, THREADS = 3, ROUNDS = 400, AT_ONCE = 40 };

#include "alone.h"
#include "measure/guest/settings.h"

/* ---- what stands for MPI ---- */

static struct {
    _Atomic uint64_t sent[RANKS][RANKS][THREADS]; /* by sender, receiver, tag */
    _Atomic uint64_t entered[THREADS][RANKS];
    _Atomic uint64_t counted[5]; /* headers: sent, taken, missing, ambiguous, dropped */
    _Atomic bool stop;
} * mpi;

static void await(_Atomic uint64_t *value, uint64_t least)
{
    while (atomic_load_explicit(value, memory_order_acquire) < least && !atomic_load(&mpi->stop))
        sched_yield();
}

/* ---- calls ---- */

static void send_one(int to, int tag, bool synchronous, bool fails)
{
    struct wf_call c;
    struct wf_args a = {
        .synchronous = synchronous, .n = 1, .type = MPI_INT, .peer = to, .tag = tag, .comm = MPI_COMM_WORLD};
    struct wf_others o = {.kind = 0};
    if (!enter(&c, 1))
        abort();
    wf_call_begin(&c);
    wf_header_send(&c, &a);
    if (!fails)
        atomic_fetch_add_explicit(&mpi->sent[rank][to][tag], 1, memory_order_release);
    wf_call_end(&c);
    if (fails) {
        wf_header_retract(&a);
    } else if (a.ring) {
        wf_header_sent(&c, &a, to, &o);
    }
    wf_call_take_with(&c, &o, to, 1, 4);
    wf_call_leave(&c);
}

static void receive_blocking(int from, int tag, uint64_t number)
{
    struct wf_call c;
    MPI_Status status = {.MPI_SOURCE = from, .MPI_TAG = tag, .count_lo = 4};
    struct wf_args a = {.peer = from, .tag = tag, .comm = MPI_COMM_WORLD, .status = &status};
    struct wf_others o = {.kind = 0};
    if (!enter(&c, 2))
        abort();
    wf_call_begin(&c);
    wf_header_announce(&c, &a, from, tag, false);
    await(&mpi->sent[from][rank][tag], number);
    wf_call_end(&c);
    wf_header_received(&c, &a, from, number % 2 ? from : MPI_ANY_SOURCE, tag, &o);
    wf_call_take_with(&c, &o, from, 1, 4);
    wf_call_leave(&c);
}

static void receive_posted(int from, int tag, uint64_t number)
{
    struct wf_call c;
    struct wf_header h;
    struct wf_others o = {.kind = 0};
    if (!enter(&c, 3))
        abort();
    wf_call_begin(&c);
    struct wf_posted *posted = wf_header_post(&c, wf_comm_world, from, tag);
    wf_call_end(&c);
    struct wf_event e;
    wf_call_settle_alone(&c, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
    if (!enter(&c, 4))
        abort();
    wf_call_begin(&c);
    await(&mpi->sent[from][rank][tag], number);
    wf_call_end(&c);
    struct wf_stamp now = wf_call_stamp(&c);
    if (posted && wf_match_complete(posted, from, tag, &now, c.site->address, &h))
        wf_header_came(&c, &h, from, 4, false, &o);
    else
        wf_header_missing(&c, from);
    wf_call_take_with(&c, &o, from, 1, 4);
    wf_call_leave(&c);
}

static void collective(int which, bool steady)
{
    struct wf_call c;
    struct wf_group *ranks = comms[which];
    struct wf_others o = {.kind = 0};
    if (!enter(&c, 5))
        abort();
    wf_call_begin(&c);
    uint32_t number = ranks->number++;
    wf_header_enter(&c, ranks, number, steady);
    atomic_fetch_add_explicit(&mpi->entered[which][rank], 1, memory_order_release);
    for (int r = 0; r < RANKS; r++)
        await(&mpi->entered[which][r], number + 1);
    wf_call_end(&c);
    wf_header_gather(&c, ranks, COMM + which, number, WF_DEPENDS_all, 0, &o);
    struct wf_event e;
    wf_call_settle_with(&c, &o, &e);
    wf_call_take_shared(&c, &e);
    wf_call_leave(&c);
}

/* What thread t sends with tag t, the next thread of the receiver's receives. Bursts make rings grow; sends that wait
 * are answered. */
static void *work(void *argument)
{
    int thread = (int)(intptr_t)argument, from_tag = (thread + 1) % THREADS;
    uint64_t received = 0;
    for (int round = 0; round < ROUNDS && !atomic_load(&mpi->stop); round++) {
        int burst = round % 16 == 0 ? AT_ONCE : 1;
        for (int to = 0; to < RANKS; to++)
            for (int i = 0; i < burst; i++)
                send_one(to, thread, round % 4 == 1, false);
        if (round % 64 == 63)
            send_one((rank + 1) % RANKS, thread, false, true);
        for (int i = 0; i < burst; i++) {
            received++;
            for (int from = 0; from < RANKS; from++)
                (round % 2 ? receive_blocking : receive_posted)(from, from_tag, received);
        }
        collective(thread, round % 3 != 0);
    }
    if (own_lane->feed)
        wf_feed_thread_ends(own_lane);
    return NULL;
}

/* ---- processes ---- */

static void add_counts(void)
{
    for (uint64_t at = sizeof(struct wf_segment_header); at < atomic_load(&wf_process.segment.header->used_bytes);) {
        const struct wf_chunk *chunk = (const struct wf_chunk *)(wf_process.segment.file.base + at);
        const uint64_t *n = &((const struct wf_lane_record *)(chunk + 1))->headers.sent;
        for (int i = 0; chunk->kind == WF_CHUNK_LANE && i < 5; i++)
            atomic_fetch_add(&mpi->counted[i], n[i]);
        at += chunk->bytes;
    }
}

static int run_process(const char *directory)
{
    pthread_t threads[THREADS];
    start(directory, RANKS, THREADS, true);
    atomic_fetch_add(&mpi->entered[0][rank], 1); /* all boxes are there before a thread sends */
    for (int r = 0; r < RANKS; r++)
        await(&mpi->entered[0][r], 1);
    comms[0]->number = 1;
    for (intptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    add_counts();
    return 0;
}

static int check(void)
{
    static const char *const names[] = {"sent", "taken", "missing", "ambiguous", "dropped"};
    uint64_t bursts = (ROUNDS + 15) / 16, messages = (ROUNDS + bursts * (AT_ONCE - 1)) * RANKS * RANKS * THREADS;
    uint64_t entries = (uint64_t)ROUNDS * RANKS * THREADS, failed = (uint64_t)(ROUNDS / 64) * RANKS * THREADS;
    uint64_t found = atomic_load(&mpi->counted[1]) + atomic_load(&mpi->counted[2]),
             missing = atomic_load(&mpi->counted[2]);
    for (int i = 0; i < 5; i++)
        printf("%s %lu\n", names[i], (unsigned long)atomic_load(&mpi->counted[i]));
    if (atomic_load(&mpi->counted[0]) != messages + entries + failed || found != messages + entries * (RANKS - 1) ||
        atomic_load(&mpi->counted[3]) || atomic_load(&mpi->counted[4]) || missing > entries / 4) { /* two communicators
                                                                                                      may have one slot
                                                                                                    */
        printf("FAIL: %lu messages and %lu entries were to be sent\n", (unsigned long)messages, (unsigned long)entries);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/weft-stress.XXXXXX", command[64];
    wf_settings.directory = directory;
    if (!mkdtemp(directory))
        return 1;
    mpi = mmap(NULL, sizeof *mpi, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    alarm(argc > 1 ? (unsigned)atoi(argv[1]) : 60);
    int status = 0, wrong = 0;
    for (rank = 0; rank < RANKS; rank++)
        if (fork() == 0)
            exit(run_process(directory));
    for (int i = 0; i < RANKS; i++) {
        wait(&status);
        if (status) {
            wrong = 1;
            atomic_store(&mpi->stop, true); /* the others would wait for ever */
        }
    }
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command) != 0 || wrong)
        return 1;
    return check();
}
