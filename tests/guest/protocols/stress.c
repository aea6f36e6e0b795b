/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The recorder, boxes, matching and the critical path as an MPI program with MPI_THREAD_MULTIPLE drives them, without MPI: several processes of several
 * threads send, receive, answer and enter collectives, to each other and to themselves, through real boxes. In place of an MPI library, counters in shared
 * memory say what has been sent. To be built with ThreadSanitizer, which stops at the first report; without it, the counts at the end must be right.
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

#include "measure/feed.h"

/* A block comes back from the process that has read it, which ThreadSanitizer does not see: who wrote there before is before who does now. */
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

#include "measure/header.h"

enum { RANKS = 3, THREADS = 3, ROUNDS = 400, AT_ONCE = 40, COMM = 1000 };

/* ---- what stands for other parts of weft ---- */

struct wf_process wf_process;
__thread struct wf_tls weft_tls;
struct wf_real wf_real;
struct wf_ranks *wf_comm_world;
bool wf_remote_on;
_Atomic int64_t wf_remote_put_ticks;
bool wf_probe_has_procedures;
const uint32_t wf_front_calls = 1;

static struct wf_ranks *comms[THREADS];

const char *wf_front_call_name(uint32_t call)
{
    (void)call;
    return "MPI_Any";
}

bool wf_probe_matches(const char *patterns, const char *name, const char *file)
{
    (void)patterns, (void)name, (void)file;
    return true;
}

void wf_process_world(char text[static WF_WORLD_BYTES])
{
    snprintf(text, WF_WORLD_BYTES, "stress");
}

static __thread struct wf_lane *own_lane;

struct wf_lane *wf_process_lane(void)
{
    own_lane = wf_lane_acquire(&wf_process.segment);
    own_lane->charged = true;
    return weft_tls.lane = own_lane;
}

struct wf_ranks *wf_comm_known_slow(MPI_Comm comm)
{
    return (int)comm >= COMM && (int)comm < COMM + THREADS ? comms[(int)comm - COMM] : NULL;
}

const int32_t *wf_comm_sources(struct wf_ranks *ranks, MPI_Comm comm, int *count)
{
    (void)ranks, (void)comm;
    *count = 0;
    return NULL;
}

/* There are no other hosts. */
void wf_remote_pump(void) {}
void wf_remote_pump_seldom(void) {}
void wf_remote_retract(const struct wf_record *record) { (void)record; }
void wf_remote_skip(int32_t source, uint64_t comm, int32_t tag) { (void)source, (void)comm, (void)tag; }
bool wf_remote_await(int32_t source, int64_t *since) { return (void)source, (void)since, false; }
struct wf_box *wf_remote_box(int32_t rank) { return (void)rank, NULL; }
void wf_remote_await_reply(struct wf_ring *ring, uint32_t number, uint64_t ticks) { (void)ring, (void)number, (void)ticks; }
bool wf_remote_await_entry(int32_t member, uint64_t comm, uint32_t number) { return (void)member, (void)comm, (void)number, false; }

void wf_remote_reply(int32_t to, uint32_t number, const struct wf_stamp *begin, uint64_t address)
{
    (void)to, (void)number, (void)begin, (void)address;
}

struct wf_record *wf_remote_put(int32_t to, const struct wf_header *h, struct wf_feed *feed)
{
    (void)to, (void)h, (void)feed;
    return NULL;
}

bool wf_remote_enter(const struct wf_ranks *ranks, enum wf_waits waits, int root, uint32_t number, const struct wf_stamp *stamp, uint64_t address,
                     struct wf_feed *feed)
{
    (void)ranks, (void)waits, (void)root, (void)number, (void)stamp, (void)address, (void)feed;
    return false;
}

/* ---- what stands for MPI ---- */

static struct {
    _Atomic uint64_t sent[RANKS][RANKS][THREADS]; /* by sender, receiver, tag */
    _Atomic uint64_t entered[THREADS][RANKS];
    _Atomic uint64_t counted[5]; /* headers: sent, taken, missing, ambiguous, dropped */
    _Atomic bool stop;
} *mpi;

static int rank;

static void await(_Atomic uint64_t *value, uint64_t least)
{
    while (atomic_load_explicit(value, memory_order_acquire) < least && !atomic_load(&mpi->stop))
        sched_yield();
}

/* ---- calls ---- */

static bool enter(struct wf_call *c, int statement)
{
    memset(c, 0, sizeof *c);
    return wf_call_enter(c, 0, (const void *)(uintptr_t)(0x1000 + statement));
}

static void send_one(int to, int tag, bool synchronous, bool fails)
{
    struct wf_call c;
    struct wf_args a = {.synchronous = synchronous, .n = 1, .type = MPI_INT, .peer = to, .tag = tag, .comm = MPI_COMM_WORLD};
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
        wf_call_settle_alone(&c);
    } else if (!a.ring) {
        wf_call_settle_alone(&c);
    } else {
        wf_header_sent(&c, &a, to, &o);
        wf_call_settle_with(&c, &o);
    }
    wf_call_count(&c, to, 1, 4);
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
    wf_header_received(&c, &a, from, &o);
    wf_call_settle_with(&c, &o);
    wf_call_count(&c, from, 1, 4);
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
    wf_call_settle_alone(&c);
    wf_call_leave(&c);
    if (!enter(&c, 4))
        abort();
    wf_call_begin(&c);
    await(&mpi->sent[from][rank][tag], number);
    wf_call_end(&c);
    if (posted && wf_match_complete(posted, from, tag, &h))
        wf_header_came(&c, &h, from, 4, false, &o);
    else
        wf_header_missing(&c, from);
    wf_call_settle_with(&c, &o);
    wf_call_count(&c, from, 1, 4);
    wf_call_leave(&c);
}

static void collective(int which, bool steady)
{
    struct wf_call c;
    struct wf_ranks *ranks = comms[which];
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
    wf_header_gather(&c, ranks, COMM + which, number, WF_WAITS_all, 0, &o);
    wf_call_settle_with(&c, &o);
    wf_call_leave(&c);
}

/* What thread t sends with tag t, the next thread of the receiver's receives. Bursts make rings grow; sends that wait are answered. */
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

static struct wf_ranks *make_ranks(uint64_t id)
{
    struct wf_ranks *ranks = calloc(1, sizeof *ranks + RANKS * sizeof *ranks->partner);
    ranks->id = id;
    ranks->rank = rank;
    ranks->size = RANKS;
    for (int i = 0; i < RANKS; i++)
        ranks->partner[i] = i;
    return ranks;
}

static void start(const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/p-%d.seg", directory, rank);
    wf_clock_choose();
    if (wf_segment_open(&wf_process.segment, path, 64 << 20) != 0)
        abort();
    struct wf_segment_header *h = wf_process.segment.header;
    wf_clock_pair(&h->tick0, &h->ns0);
    usleep(10000);
    wf_clock_pair(&h->tick1, &h->ns1);
    h->init_end_ticks = wf_clock_ticks();
    wf_process.watching = wf_process.mpi = wf_process.threads = true;
    wf_comm_world = make_ranks(1);
    for (int i = 0; i < THREADS; i++)
        comms[i] = make_ranks((uint64_t)(7 * i + 3) << 32);
    if (!wf_process_lane() || wf_box_start(rank, RANKS) != 0)
        abort();
    wf_feed_start(rank, RANKS, false, wf_clock_ticks());
}

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
    start(directory);
    atomic_fetch_add(&mpi->entered[0][rank], 1); /* all boxes are there before anybody sends */
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
    uint64_t found = atomic_load(&mpi->counted[1]) + atomic_load(&mpi->counted[2]), missing = atomic_load(&mpi->counted[2]);
    for (int i = 0; i < 5; i++)
        printf("%s %lu\n", names[i], (unsigned long)atomic_load(&mpi->counted[i]));
    if (atomic_load(&mpi->counted[0]) != messages + entries + failed || found != messages + entries * (RANKS - 1) || atomic_load(&mpi->counted[3]) ||
        atomic_load(&mpi->counted[4]) || missing > entries / 4) { /* two communicators may have one slot */
        printf("FAIL: %lu messages and %lu entries were to be sent\n", (unsigned long)messages, (unsigned long)entries);
        return 1;
    }
    return 0;
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/weft-stress.XXXXXX", command[64];
    if (!mkdtemp(directory) || setenv("WEFT_DIR", directory, 1) != 0)
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
