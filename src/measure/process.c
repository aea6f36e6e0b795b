/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/birth.h"
#include "guest/child.h"
#include "guest/guard.h"
#include "guest/quiet.h"
#include "guest/settings.h"
#include "measure/agree.h"
#include "measure/call.h"
#include "measure/feed.h"
#include "measure/hydra.h"
#include "measure/probe.h"

#define DEFAULT_LIMIT_BYTES (64ull << 20)
#define MOST_NAMESAKES 4096 /* segments of one host and process id */

struct wf_process wf_process;

static struct wf_lane *main_lane;
static pthread_key_t lane_key;
static bool lane_key_made;

static void say_off(int rank, int why)
{
    /* Ranks fail alike: one of them speaks, the collector tells about the others. */
    if (rank != 0)
        return;
    static char line[PATH_MAX + 256]; /* not on a stack that may be small */
    const char *reason = why == EPERM ? "it is not a directory of yours alone, into which nobody else can write" : strerror(why);
    int n = snprintf(line, sizeof line, "weft: cannot write in %s: %s; the program runs on unwatched\n", wf_settings.directory, reason);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return;
}

/* Whatever way it ends: what it is in ends with it. It may have been cancelled inside weft. */
static void thread_ends(void *lane)
{
    struct wf_guard guard = {.depth = WF_OUTSIDE};
    if (wf_child_is())
        return;
    weft_tls.depth = WF_OUTSIDE;
    wf_guard_enter(&guard);
    wf_probe_thread_ends(lane);
    wf_feed_thread_ends(lane);
    weft_tls.lane = NULL;
    if (lane != main_lane)
        wf_lane_release(lane);
    wf_guard_leave(&guard);
}

/* A forked child shares the mapping but is not the process that it describes. */
static void in_child(void)
{
    wf_process.watching = false;
    wf_probe_forked();
    weft_tls.lane = NULL;
    weft_tls.depth = WF_OUTSIDE;
}

/* As early as can be: before the program can fork, and while a key with a low number is left, which costs no memory of the application's allocator. */
__attribute__((constructor)) static void settle_in(void)
{
    static bool settled;
    wf_settings_read();
    if (!*wf_settings.directory || settled)
        return;
    settled = true;
    lane_key_made = pthread_key_create(&lane_key, thread_ends) == 0;
    wf_child_watch(in_child);
}

static void read_line(const char *path, char *text, size_t bytes)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static void read_command(char *text, size_t bytes)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, text, bytes - 1);
    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i + 1 < n; i++)
        if (text[i] == '\0')
            text[i] = ' ';
    text[n > 0 ? n : 0] = '\0';
}

/* As it is, if it can be part of a file's name and fits: to cut it might make two worlds one. */
static void make_name(char *text, size_t bytes, const char *name)
{
    if (strlen(name) < bytes && !strchr(name, '/'))
        memcpy(text, name, strlen(name) + 1);
    else
        snprintf(text, bytes, "%016" PRIx64, wf_agree_mix_text(0, name, strlen(name)));
}

static char told_world[WF_WORLD_BYTES]; /* by hydra */

void wf_process_ask_world(void)
{
    static _Atomic bool asked;
    char name[512];
    if (*wf_settings.directory && !atomic_exchange(&asked, true) && wf_hydra_world(name, sizeof name))
        make_name(told_world, sizeof told_world, name);
}

/* Spawned processes have another one. */
void wf_process_world(char text[static WF_WORLD_BYTES])
{
    make_name(text, WF_WORLD_BYTES, *told_world ? told_world : wf_settings.launch_world);
}

static void fill_header(struct wf_segment_header *header)
{
    struct wf_birth birth = wf_birth_of("/proc/self");
    header->pid = (uint32_t)getpid();
    header->start_time = birth.start;
    header->pid_namespace = birth.namespace;
    header->rank = -1;
    header->mpi_calls = wf_front_calls;
    header->clock = wf_clock_is_tsc ? WF_CLOCK_TSC : WF_CLOCK_MONOTONIC;
    gethostname(header->host, sizeof header->host - 1);
    wf_process_world(header->world);
    read_line("/proc/sys/kernel/random/boot_id", header->boot_id, sizeof header->boot_id);
    ssize_t n = readlink("/proc/self/exe", header->program, sizeof header->program - 1);
    header->program[n > 0 ? n : 0] = '\0';
    read_command(header->command, sizeof header->command);
}

static uint64_t limit_bytes(void)
{
    unsigned long long value = strtoull(wf_settings.segment_size, NULL, 10); /* weft run has checked it and made it bytes */
    return value ? value : DEFAULT_LIMIT_BYTES;
}

/* By host and process: the rank is not known before MPI_Init, and instrumented code runs before it. The name may be taken: by what this process was before
 * exec, or by a process of another PID namespace. */
static int open_segment(void)
{
    char name[WF_FILE_NAME_BYTES], host[64] = "", number[16] = "";
    int why = EEXIST;
    gethostname(host, sizeof host - 1);
    for (int n = 1; why == EEXIST && n <= MOST_NAMESAKES; n++) {
        snprintf(name, sizeof name, "p-%s-%d%s" WF_SEGMENT_SUFFIX, host, (int)getpid(), number);
        why = wf_segment_open(&wf_process.segment, name, limit_bytes());
        snprintf(number, sizeof number, "-%d", n);
    }
    return why;
}

static void later_pair(void)
{
    struct wf_segment_header *header = wf_process.segment.header;
    wf_clock_pair(&header->tick1, &header->ns1);
}

/* At the statement that stands for all while nothing is counted (measure/lane.c). */
static void null_call(struct wf_call *c)
{
    if (!wf_call_enter(c, 0, NULL))
        return;
    wf_call_begin(c);
    wf_call_go(c);
    wf_call_end(c);
    wf_call_settle_alone(c);
    wf_call_count(c, WF_PARTNER_NOBODY, 1, 8);
    wf_call_leave(c);
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* What one watched call costs, by the best of many empty ones: noise only ever adds. */
static struct wf_cost calibrate(struct wf_lane *lane)
{
    struct wf_call c = {.end = 0};
    struct wf_lane_record record = *lane->record;
    struct wf_cost cost = {.inner = UINT64_MAX, .all = UINT64_MAX};
    uint64_t intrusion = lane->probes.intrusion, lag = lane->lag, delay = wf_process.test_delay_ticks;
    struct wf_tls tls = weft_tls;
    weft_tls.depth = WF_OUTSIDE;
    wf_process.test_delay_ticks = 0; /* a test's delay is measured where it happens */
    for (int batch = 0; batch < 64; batch++) {
        uint64_t start = wf_clock_ticks();
        for (int i = 0; i < 32; i++) {
            null_call(&c);
            cost.inner = least(cost.inner, c.end - c.start);
        }
        cost.all = least(cost.all, (wf_clock_ticks() - start) / 32);
    }
    weft_tls = tls;
    wf_process.test_delay_ticks = delay;
    *lane->record = record;
    lane->probes.intrusion = intrusion;
    lane->lag = lag;
    /* Nothing between the readings and the rest on either side: the clock's own cost counts half before and half behind its value. */
    uint64_t outer = wf_less(cost.all, cost.inner);
    cost.before = outer / 2;
    cost.after = outer - cost.before;
    cost.tail = cost.inner / 2;
    return cost;
}

static enum wf_clock_model chosen_model(void)
{
    static const char *const names[] = {[WF_MODEL_VIRTUAL] = "virtual", [WF_MODEL_DELAY] = "delay", [WF_MODEL_LOCAL] = "local", [WF_MODEL_REAL] = "real"};
    for (unsigned m = 0; m < sizeof names / sizeof *names; m++)
        if (strcmp(wf_settings.clock, names[m]) == 0) /* weft run has checked it */
            return (enum wf_clock_model)m;
    return WF_MODEL_VIRTUAL;
}

/* "RANK:NS[,RANK:NS...]" */
static uint64_t test_delay_ns(int rank)
{
    const char *text = wf_settings.test_delay;
    while (text && *text) {
        char *end;
        long of = strtol(text, &end, 10);
        if (*end != ':')
            return 0;
        unsigned long long ns = strtoull(end + 1, &end, 10);
        if (of == rank)
            return ns;
        text = *end == ',' ? end + 1 : NULL;
    }
    return 0;
}

static uint64_t first_tick, first_ns, first_epoch_ns;

void wf_process_remember_start(void)
{
    wf_clock_choose();
    wf_clock_pair(&first_tick, &first_ns);
    first_epoch_ns = wf_clock_read_ns(CLOCK_REALTIME);
}

static int why_not; /* errno of a segment that could not be opened */

static void open_now(void)
{
    settle_in();
    if (!*wf_settings.directory)
        return;
    if (first_tick == 0)
        wf_process_remember_start();
    why_not = open_segment();
    if (why_not)
        return;
    struct wf_segment_header *header = wf_process.segment.header;
    fill_header(header);
    header->tick0 = first_tick;
    header->ns0 = first_ns;
    header->epoch_ns0 = first_epoch_ns;
    later_pair();
    wf_guard_passed = &header->passed;
    wf_process.watching = true;
    header->clock_model = wf_process.model = chosen_model();
    struct wf_lane *lane = wf_process_lane();
    if (!lane) {
        why_not = ENOSPC;
        wf_process.watching = false;
        return;
    }
    lane->record->main = 1;
    main_lane = lane;
    wf_process.cost = calibrate(lane);
    header->probe_ticks = wf_process.cost.all;
    header->probe_inner_ticks = wf_process.cost.inner;
    header->init_begin_ticks = header->init_end_ticks = header->init_end_virtual_ticks = wf_clock_ticks(); /* for a program without MPI */
    atomic_store(&header->state, WF_STATE_RUNNING);
    /* Last: a file without its magic is not a segment yet. */
    memcpy(header->magic, WF_SEGMENT_MAGIC, sizeof WF_SEGMENT_MAGIC);
}

/* By a thread that is at work, and not disturbed meanwhile: pthread_once would wait for ever if a signal handler came here again. */
void wf_process_open(void)
{
    static struct wf_lock opening;
    static _Atomic bool opened;
    struct wf_quiet quiet;
    if (atomic_load_explicit(&opened, memory_order_acquire) || wf_child_is())
        return;
    wf_quiet_lock(&quiet, &opening);
    if (!atomic_load_explicit(&opened, memory_order_relaxed))
        open_now();
    atomic_store_explicit(&opened, true, memory_order_release);
    wf_quiet_unlock(&quiet, &opening);
}

void wf_process_start(const struct wf_process_facts *facts, uint64_t init_begin_ticks)
{
    wf_process_open();
    if (!wf_process.watching) {
        if (why_not)
            say_off(facts->rank, why_not);
        return;
    }
    struct wf_segment_header *header = wf_process.segment.header;
    header->rank = facts->rank;
    header->size = facts->size;
    if (*told_world)
        wf_process_world(header->world); /* it was not known yet if the segment was opened before */
    header->thread_level = facts->thread_level;
    snprintf(header->mpi, sizeof header->mpi, "%s", facts->mpi);
    header->init_begin_ticks = init_begin_ticks;
    later_pair();
    wf_process.mpi = true;
    wf_process.threads = facts->threads;
    uint64_t ns = wf_process.test_delay_ns = test_delay_ns(facts->rank);
    wf_process.test_delay_ticks = (uint64_t)((double)ns * (double)(header->tick1 - header->tick0) / (double)(header->ns1 - header->ns0));
    header->probe_ticks += wf_process.test_delay_ticks;
    if (!weft_tls.lane)
        wf_process_lane();
}

void wf_process_put_cost(uint64_t ticks)
{
    wf_process.cost.put = ticks;
}

void wf_process_started(uint64_t since)
{
    struct wf_lane *lane = weft_tls.lane;
    if (!wf_process.watching || !lane)
        return;
    struct wf_segment_header *header = wf_process.segment.header;
    header->init_end_ticks = wf_clock_ticks();
    if (lane->charged)
        lane->probes.intrusion = header->init_end_ticks - since;
    lane->record->intrusion_ticks = lane->probes.intrusion;
    header->init_end_virtual_ticks = header->init_end_ticks - lane->probes.intrusion;
}

static struct wf_lane *acquire_lane(void)
{
    struct wf_lane *lane = wf_lane_acquire(&wf_process.segment);
    if (lane)
        lane->charged = wf_process.model != WF_MODEL_REAL;
    if (lane && main_lane) {
        /* A new thread is as late as the one that made it. Which that was is not known: the main thread, most often. */
        lane->probes.intrusion = __atomic_load_n(&main_lane->probes.intrusion, __ATOMIC_RELAXED);
        lane->lag = __atomic_load_n(&main_lane->lag, __ATOMIC_RELAXED);
    }
    if (lane && lane_key_made)
        pthread_setspecific(lane_key, lane);
    weft_tls.lane = lane;
    return lane;
}

struct wf_lane *wf_process_lane(void)
{
    struct wf_quiet quiet;
    if (!wf_process.watching || wf_child_is())
        return NULL;
    wf_quiet_begin(&quiet);
    struct wf_lane *lane = acquire_lane();
    wf_quiet_end(&quiet);
    return lane;
}

/* For each thread: whether it goes uncounted. The others hear of it when they come by; until then they are in no probe that would not ask. */
static void tell_lanes(struct wf_lane *own, uint64_t since, uint64_t pause)
{
    for (struct wf_lane *lane = wf_lane_first(); lane; lane = lane->next) {
        if (pause == 0) {
            atomic_fetch_or(&lane->attention, WF_ATTEND_PAUSED);
            wf_lane_revoke(lane);
            continue;
        }
        lane->pause_since = since;
        lane->pause_ticks += lane != own ? pause : 0;
        atomic_fetch_or(&lane->attention, lane != own ? WF_ATTEND_RESUMED : 0);
        atomic_fetch_and(&lane->attention, ~(uint32_t)WF_ATTEND_PAUSED);
    }
}

void wf_process_pause(void)
{
    struct wf_quiet quiet;
    if (!wf_process.watching)
        return;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    struct wf_segment_header *header = wf_process.segment.header;
    if (!wf_process.paused) {
        header->paused_since_ticks = wf_clock_ticks();
        wf_feed_paused(weft_tls.lane, header->paused_since_ticks);
        wf_process.paused = true;
        tell_lanes(weft_tls.lane, 0, 0);
    }
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

void wf_process_resume(void)
{
    struct wf_quiet quiet;
    if (!wf_process.watching || !wf_process.paused)
        return;
    wf_quiet_lock(&quiet, &wf_lanes_lock);
    struct wf_segment_header *header = wf_process.segment.header;
    if (wf_process.paused) {
        uint64_t now = wf_clock_ticks(), since = header->paused_since_ticks;
        header->paused_ticks += now - since;
        header->paused_since_ticks = 0;
        tell_lanes(weft_tls.lane, since, now > since ? now - since : 1);
        wf_probe_resumed(weft_tls.lane, since, now - since);
        wf_feed_resumed(weft_tls.lane, now);
        wf_process.paused = false;
    }
    wf_quiet_unlock(&quiet, &wf_lanes_lock);
}

bool wf_process_attend(struct wf_lane *lane)
{
    struct wf_quiet quiet;
    uint32_t news = atomic_load(&lane->attention);
    if (news & (WF_ATTEND_RESUMED | WF_ATTEND_CLOSED)) {
        uint64_t since = wf_clock_ticks();
        wf_quiet_lock(&quiet, &wf_lanes_lock);
        uint64_t begin = lane->pause_since, pause = lane->pause_ticks;
        lane->pause_ticks = 0;
        atomic_fetch_and(&lane->attention, ~(uint32_t)(WF_ATTEND_RESUMED | WF_ATTEND_CLOSED));
        wf_quiet_unlock(&quiet, &wf_lanes_lock);
        if (news & WF_ATTEND_RESUMED) {
            wf_feed_paused(lane, begin);
            wf_probe_resumed(lane, begin, pause);
            wf_feed_resumed(lane, begin + pause);
        }
        if (news & WF_ATTEND_CLOSED && wf_probe_forget_closed(lane))
            wf_lane_forget_closed(lane);
        else if (news & WF_ATTEND_CLOSED)
            atomic_fetch_or(&lane->attention, WF_ATTEND_CLOSED);
        wf_lane_charge(lane, since);
    }
    return atomic_load(&lane->attention) & WF_ATTEND_PAUSED;
}

void wf_process_finalizing(uint64_t begin_ticks)
{
    if (!wf_process.watching)
        return;
    wf_process_resume();
    struct wf_segment_header *header = wf_process.segment.header;
    struct wf_lane *lane = weft_tls.lane;
    header->finalize_begin_virtual_ticks = begin_ticks - (lane ? lane->probes.intrusion : 0);
    header->finalize_begin_ticks = begin_ticks;
    wf_feed_finish(lane, header->finalize_begin_virtual_ticks);
    /* Is watching still as costly as it was at the start? */
    header->check_expected_ticks = header->probe_ticks - wf_process.test_delay_ticks;
    header->check_seen_ticks = lane ? calibrate(lane).all : 0;
}

void wf_process_finalized(void)
{
    if (!wf_process.watching)
        return;
    struct wf_segment_header *header = wf_process.segment.header;
    header->finalize_end_ticks = wf_clock_ticks();
    later_pair();
    atomic_store(&header->state, WF_STATE_FINALIZED); /* procedures may go on, and main has not returned yet */
}

static void end_early(enum wf_segment_state state)
{
    struct wf_segment_header *header = wf_process.segment.header;
    if (!wf_process.watching || header->pid != (uint32_t)getpid() || atomic_load(&header->state) != WF_STATE_RUNNING)
        return;
    header->end_ticks = wf_clock_ticks();
    later_pair();
    atomic_store(&header->state, state);
}

void wf_process_aborting(int code)
{
    if (wf_process.watching)
        wf_process.segment.header->end_code = code;
    end_early(WF_STATE_ABORTED);
}

/* Without MPI, to exit is the right way to end. */
__attribute__((destructor)) static void exiting(void)
{
    struct wf_guard guard;
    if (!wf_process.watching || wf_child_is() || wf_process.segment.header->pid != (uint32_t)getpid() || !wf_guard_enter(&guard))
        return;
    wf_probe_ended();
    if (!wf_process.mpi) {
        struct wf_segment_header *header = wf_process.segment.header;
        header->finalize_begin_ticks = wf_clock_ticks();
        header->finalize_begin_virtual_ticks = header->finalize_begin_ticks - (weft_tls.lane ? weft_tls.lane->probes.intrusion : 0);
    }
    end_early(wf_process.mpi ? WF_STATE_EXITED : WF_STATE_FINALIZED);
    wf_guard_leave(&guard);
}
