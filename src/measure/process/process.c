/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/process/process.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quiet.h"
#include "measure/guest/child.h"
#include "measure/guest/guard.h"
#include "measure/guest/settings.h"
#include "measure/process/identity.h"
#include "measure/process/core.h"
#include "measure/process/listener.h"
#include "measure/process/threads.h"

#define DEFAULT_LIMIT_BYTES (64ull << 20)
#define MOST_NAMESAKES 4096 /* segments of one host and process id */

struct wf_process wf_process;

/* How opening went, for the one thread that opens. */
static struct {
    uint64_t ticks, ns, epoch_ns; /* a moment as early as possible */
    int why_not;                  /* errno of a segment that could not be opened */
} process_opening;

static void process_say_off(int rank, int why)
{
    /* Ranks fail alike: one of them speaks, the collector tells about the others. */
    if (rank != 0)
        return;
    static char line[PATH_MAX + 256]; /* not on a stack that may be small */
    const char *reason = why == EPERM ? "it is not a directory that only you can write to" : strerror(why);
    int n = snprintf(line, sizeof line, "weft: cannot write in %s: %s; the program runs on unwatched\n",
                     wf_settings.directory, reason);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < sizeof line ? (size_t)n : sizeof line - 1) < 0)
        return;
}

/* A forked child shares the mapping but is not the process that it describes. */
static void process_in_child(void)
{
    wf_process.watching = false;
    WF_TELL(forked);
    weft_tls.lane = NULL;
    weft_tls.depth = WF_OUTSIDE;
}

/* As early as can be: before the program can fork. */
__attribute__((constructor)) static void process_settle_in(void)
{
    static bool settled;
    wf_settings_read();
    if (!*wf_settings.directory || settled)
        return;
    settled = true;
    wf_threads_watch();
    wf_child_watch(process_in_child);
}

static uint64_t process_limit_bytes(void)
{
    unsigned long long value = strtoull(wf_settings.segment_size, NULL, 10); /* weft run has checked it and made it
                                                                                bytes */
    return value ? value : DEFAULT_LIMIT_BYTES;
}

/* By host and process: the rank is not known before MPI_Init, and instrumented code runs before it. The name may be
 * taken: by what this process was before exec, or by a process of another PID namespace. */
static int process_open_segment(void)
{
    char name[WF_FILE_NAME_BYTES], host[64] = "", number[16] = "";
    int why = EEXIST;
    gethostname(host, sizeof host - 1);
    for (int n = 1; why == EEXIST && n <= MOST_NAMESAKES; n++) {
        snprintf(name, sizeof name, "p-%s-%d%s" WF_SEGMENT_SUFFIX, host, (int)getpid(), number);
        why = wf_segment_open(&wf_process.segment, name, process_limit_bytes());
        snprintf(number, sizeof number, "-%d", n);
    }
    return why;
}

static void process_later_pair(void)
{
    struct wf_segment_header *header = wf_process.segment.header;
    wf_clock_pair(&header->tick1, &header->ns1);
}

static enum wf_clock_model process_clock_model(void)
{
    static const char *const names[] = {[WF_MODEL_VIRTUAL] = "virtual",
                                        [WF_MODEL_DELAY] = "delay",
                                        [WF_MODEL_LOCAL] = "local",
                                        [WF_MODEL_REAL] = "real"};
    for (unsigned m = 0; m < sizeof names / sizeof *names; m++)
        if (strcmp(wf_settings.clock, names[m]) == 0) /* weft run has checked it */
            return (enum wf_clock_model)m;
    return WF_MODEL_VIRTUAL;
}

/* "RANK:NS[,RANK:NS...]" */
static uint64_t process_test_delay_ns(int rank)
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

void wf_process_remember_start(void)
{
    wf_clock_choose();
    wf_clock_pair(&process_opening.ticks, &process_opening.ns);
    process_opening.epoch_ns = wf_clock_read_ns(CLOCK_REALTIME);
}

static void process_calibrate(struct wf_lane *lane, struct wf_cost *cost)
{
    for (const struct wf_listener *l = wf_listeners; l < wf_listeners + wf_listener_count; l++)
        if (l->calibrate)
            *cost = l->calibrate(lane);
}

static void process_write_header(struct wf_segment_header *header)
{
    wf_identity_write(header);
    header->tick0 = process_opening.ticks;
    header->ns0 = process_opening.ns;
    header->epoch_ns0 = process_opening.epoch_ns;
    header->clock_model = wf_process.model = process_clock_model();
    process_later_pair();
}

/* 0, or an errno. */
static int process_make_main_lane(struct wf_segment_header *header)
{
    wf_process.watching = true;
    struct wf_lane *lane = wf_process_lane();
    wf_process.watching = lane != NULL;
    if (!lane)
        return ENOSPC;
    lane->record->main = 1;
    wf_process.main = lane;
    process_calibrate(lane, &wf_process.cost);
    header->probe_ticks = wf_process.cost.all;
    header->probe_inner_ticks = wf_process.cost.inner;
    return 0;
}

static int process_open_now(void)
{
    process_settle_in();
    if (!*wf_settings.directory)
        return 0;
    if (process_opening.ticks == 0)
        wf_process_remember_start();
    int why = process_open_segment();
    if (why)
        return why;
    struct wf_segment_header *header = wf_process.segment.header;
    process_write_header(header);
    wf_guard_passed = &header->passed;
    why = process_make_main_lane(header);
    if (why)
        return why;
    /* For a program without MPI. */
    header->init_begin_ticks = header->init_end_ticks = header->init_end_virtual_ticks = wf_clock_ticks();
    atomic_store(&header->state, WF_STATE_RUNNING);
    /* Last: a file without its magic is not a segment yet. */
    memcpy(header->magic, WF_SEGMENT_MAGIC, sizeof WF_SEGMENT_MAGIC);
    return 0;
}

/* By a thread that is at work, and not disturbed meanwhile: pthread_once would wait for ever if a signal handler came
 * here again. */
void wf_process_open(void)
{
    static struct wf_lock opening;
    static _Atomic bool opened;
    struct wf_quiet quiet;
    if (atomic_load_explicit(&opened, memory_order_acquire) || wf_child_is())
        return;
    wf_quiet_lock(&quiet, &opening);
    if (!atomic_load_explicit(&opened, memory_order_relaxed))
        process_opening.why_not = process_open_now();
    atomic_store_explicit(&opened, true, memory_order_release);
    wf_quiet_unlock(&quiet, &opening);
}

void wf_process_start(const struct wf_process_facts *facts, uint64_t init_begin_ticks)
{
    wf_process_open();
    if (!wf_process.watching) {
        if (process_opening.why_not)
            process_say_off(facts->rank, process_opening.why_not);
        return;
    }
    struct wf_segment_header *header = wf_process.segment.header;
    header->rank = facts->rank;
    header->size = facts->size;
    wf_identity_world(header->world); /* it was perhaps not known yet when the segment was opened */
    header->thread_level = facts->thread_level;
    snprintf(header->mpi, sizeof header->mpi, "%s", facts->mpi);
    header->init_begin_ticks = init_begin_ticks;
    process_later_pair();
    wf_process.mpi = true;
    wf_process.threads = facts->threads;
    uint64_t ns = wf_process.test_delay_ns = process_test_delay_ns(facts->rank);
    wf_process.test_delay_ticks =
        (uint64_t)((double)ns * (double)(header->tick1 - header->tick0) / (double)(header->ns1 - header->ns0));
    wf_process.begins_slowly = ns != 0;
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
    lane->core.at = lane->rare_at = 0; /* what was before does not count */
    wf_core_look(lane, wf_clock_ticks());
    header->init_end_ticks = wf_clock_ticks();
    uint64_t before = lane->probes.intrusion;
    if (lane->charged)
        lane->probes.intrusion = header->init_end_ticks - since;
    /* The regions that it is in have lost what watching had cost so far, not only since they were entered. */
    for (struct weft_stack_ *e = lane->probes.top; lane->charged && e > lane->stack; e--)
        e->start_virtual += before;
    lane->record->intrusion_ticks = lane->probes.intrusion;
    header->init_end_virtual_ticks = header->init_end_ticks - lane->probes.intrusion;
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
    if (lane)
        lane->record->no_core_ticks += wf_core_look(lane, begin_ticks);
    WF_TELL(finishing, lane, header->finalize_begin_virtual_ticks);
    /* Is watching still as costly as it was at the start? */
    header->check_expected_ticks = header->probe_ticks - wf_process.test_delay_ticks;
    struct wf_cost now = {.all = 0};
    if (lane)
        process_calibrate(lane, &now);
    header->check_seen_ticks = now.all;
}

void wf_process_finalized(void)
{
    if (!wf_process.watching)
        return;
    struct wf_segment_header *header = wf_process.segment.header;
    header->finalize_end_ticks = wf_clock_ticks();
    process_later_pair();
    atomic_store(&header->state, WF_STATE_FINALIZED); /* procedures may go on, and main has not returned yet */
}

static void process_end_early(enum wf_segment_state state)
{
    struct wf_segment_header *header = wf_process.segment.header;
    if (!wf_process.watching || header->pid != (uint32_t)getpid() || atomic_load(&header->state) != WF_STATE_RUNNING)
        return;
    header->end_ticks = wf_clock_ticks();
    process_later_pair();
    atomic_store(&header->state, state);
}

void wf_process_aborting(int code)
{
    if (wf_process.watching)
        wf_process.segment.header->end_code = code;
    process_end_early(WF_STATE_ABORTED);
}

/* Without MPI, to exit is the right way to end. */
__attribute__((destructor)) static void process_exiting(void)
{
    struct wf_guard guard;
    if (!wf_process.watching || wf_child_is() || wf_process.segment.header->pid != (uint32_t)getpid() ||
        !wf_guard_enter(&guard))
        return;
    WF_TELL(exiting);
    if (!wf_process.mpi) {
        struct wf_segment_header *header = wf_process.segment.header;
        header->finalize_begin_ticks = wf_clock_ticks();
        header->finalize_begin_virtual_ticks =
            header->finalize_begin_ticks - (weft_tls.lane ? weft_tls.lane->probes.intrusion : 0);
    }
    process_end_early(wf_process.mpi ? WF_STATE_EXITED : WF_STATE_FINALIZED);
    wf_guard_leave(&guard);
}
