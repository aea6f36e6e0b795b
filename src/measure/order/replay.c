/* SPDX-License-Identifier: BSD-3-Clause */
#include "measure/order/replay.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/quiet.h"
#include "measure/guest/directory.h"
#include "measure/library/real.h"
#include "measure/process/process.h"

static struct {
    const struct wf_tls *thread; /* that makes the calls */
    struct wf_course_readers readers;
    struct wf_course_event next; /* if it is read already */
    bool has_next, departed;
    uint64_t number;      /* of events so far */
    uint64_t none;        /* receives that take nothing, before the next one that is recorded otherwise */
    uint64_t patience_ns; /* so long a wait goes on without progress */
    int rank, largest_tag;
    struct wf_replay_state *state;
} replay;

static const char *const replay_names[] = {
    [WF_COURSE_FAILED] = "a poll that failed",
    [WF_COURSE_RECV] = "MPI_Recv",
    [WF_COURSE_SENDRECV] = "MPI_Sendrecv",
    [WF_COURSE_PROBE] = "MPI_Probe",
    [WF_COURSE_MPROBE] = "MPI_Mprobe",
    [WF_COURSE_IPROBE] = "MPI_Iprobe",
    [WF_COURSE_IMPROBE] = "MPI_Improbe",
    [WF_COURSE_RESULT] = "a receive",
    [WF_COURSE_TEST] = "MPI_Test",
    [WF_COURSE_TESTALL] = "MPI_Testall",
    [WF_COURSE_STATUS] = "MPI_Request_get_status",
    [WF_COURSE_TESTANY] = "MPI_Testany",
    [WF_COURSE_WAITANY] = "MPI_Waitany",
    [WF_COURSE_TESTSOME] = "MPI_Testsome",
    [WF_COURSE_WAITSOME] = "MPI_Waitsome",
    [WF_COURSE_OTHER] = "an error",
};

/* ---- departing ---- */

static void replay_write(const char *line, int n, size_t room)
{
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n < room ? (size_t)n : room - 1) < 0)
        return;
}

bool wf_replay_has_departed(void)
{
    return replay.departed;
}

/* The statement as its place in its module, also for the guardian, which knows its line. */
static void replay_describe(const struct wf_call *c, struct wf_replay_departure *d)
{
    Dl_info module = {.dli_fname = NULL};
    struct link_map *map = NULL;
    *d = (struct wf_replay_departure){.rank = replay.rank, .event = replay.number + 1};
    if (!dladdr1(c->caller, &module, (void **)&map, RTLD_DL_LINKMAP) || !module.dli_fname || !map)
        return;
    d->offset = (uintptr_t)c->caller - map->l_addr;
    if (!*map->l_name && readlink("/proc/self/exe", d->module, sizeof d->module - 1) > 0)
        return;
    snprintf(d->module, sizeof d->module, "%s", module.dli_fname);
}

void wf_replay_depart(const struct wf_call *c, const char *why)
{
    static char line[768];
    struct wf_replay_departure d;
    if (replay.departed)
        return;
    replay.departed = true;
    replay_describe(c, &d);
    uint32_t place = atomic_fetch_add(&replay.state->departed, 1);
    if (place < WF_REPLAY_DEPARTURES)
        replay.state->departures[place] = d;
    const char *name = strrchr(d.module, '/');
    int n = snprintf(
        line, sizeof line,
        "weft: rank %d departs from the recorded order at event %llu, in the call at %.100s+0x%llx: %.200s; "
        "it goes on without an order\n",
        replay.rank, (unsigned long long)d.event, name ? name + 1 : d.module, (unsigned long long)d.offset, why);
    replay_write(line, n, sizeof line);
    wf_stand_in_post_all_anew();
}

/* ---- the events ---- */

static bool replay_is_on(const struct wf_call *c)
{
    if (__builtin_expect(c->tls != replay.thread && !replay.departed, 0))
        wf_replay_depart(c, "another thread makes MPI calls, too");
    return !replay.departed;
}

/* False: there is none. */
static bool replay_look(void)
{
    if (!replay.has_next)
        replay.has_next = wf_course_next(&replay.readers.events, &replay.next);
    return replay.has_next;
}

static void replay_consume(struct wf_course_event *e)
{
    *e = replay.next;
    replay.number++;
    atomic_fetch_add_explicit(&replay.state->events, 1, memory_order_relaxed);
    if (replay.next.kind == WF_COURSE_FAILED && --replay.next.number > 0)
        return;
    replay.has_next = false;
}

static enum wf_replay_answer replay_other(const struct wf_call *c, enum wf_course_kind kind)
{
    static char why[160];
    snprintf(why, sizeof why, "the process calls %s where %s is recorded", replay_names[kind],
             replay_names[replay.next.kind]);
    wf_replay_depart(c, why);
    return WF_REPLAY_FREE;
}

enum wf_replay_answer wf_replay_expect(const struct wf_call *c, enum wf_course_kind kind, struct wf_course_event *e)
{
    if (!replay_is_on(c))
        return WF_REPLAY_FREE;
    if (!replay_look()) {
        wf_replay_depart(c, "the recording ends here");
        return WF_REPLAY_FREE;
    }
    if (replay.next.kind == WF_COURSE_OTHER && replay.next.number == WF_COURSE_ERROR) {
        replay_consume(e);
        return WF_REPLAY_FREE;
    }
    if (replay.next.kind != kind)
        return replay_other(c, kind);
    replay_consume(e);
    return WF_REPLAY_YES;
}

enum wf_replay_answer wf_replay_poll(const struct wf_call *c, enum wf_course_kind kind, struct wf_course_event *e)
{
    if (!replay_is_on(c) || !replay_look() || replay.next.kind != WF_COURSE_FAILED)
        return wf_replay_expect(c, kind, e);
    replay_consume(e);
    wf_stand_in_progress();
    return WF_REPLAY_NO;
}

bool wf_replay_index(uint64_t *index)
{
    return wf_course_next_number(&replay.readers.events, index);
}

enum wf_replay_taking wf_replay_next_receive(struct wf_course_event *e)
{
    if (replay.none > 0) {
        replay.none--;
        return WF_REPLAY_NOTHING;
    }
    if (!wf_course_next(&replay.readers.receives, e))
        return WF_REPLAY_ENDS;
    if (e->kind == WF_COURSE_RECV)
        return WF_REPLAY_TAKES;
    if (e->number != WF_COURSE_NONE)
        return WF_REPLAY_UNKNOWN;
    if (!wf_course_next_number(&replay.readers.receives, &replay.none) || replay.none == 0)
        return WF_REPLAY_ENDS;
    replay.none--;
    return WF_REPLAY_NOTHING;
}

/* ---- waiting ---- */

bool wf_replay_goes_on(const struct wf_call *c, struct wf_replay_wait *wait)
{
    static char why[128];
    uint64_t events = atomic_load_explicit(&replay.state->events, memory_order_relaxed);
    uint64_t now = wf_clock_read_ns(CLOCK_MONOTONIC);
    if (wait->since_ns == 0 || events != wait->events) {
        wait->since_ns = now;
        wait->events = events;
    }
    if (now - wait->since_ns < replay.patience_ns) {
        wf_patience_wait(&wait->patience);
        return true;
    }
    snprintf(why, sizeof why, "what is recorded did not come within %g s", (double)replay.patience_ns / 1e9);
    wf_replay_depart(c, why);
    return false;
}

bool wf_replay_is_possible(MPI_Comm comm, int source, int tag)
{
    int inter = 0, size = 0;
    if (source == MPI_PROC_NULL)
        return true;
    if (wf_real.Comm_test_inter(comm, &inter) != MPI_SUCCESS)
        return false;
    if (inter)
        wf_real.Comm_remote_size(comm, &size);
    else
        wf_real.Comm_size(comm, &size);
    return source >= 0 && source < size && (tag == MPI_ANY_TAG || (tag >= 0 && tag <= replay.largest_tag));
}

/* ---- the beginning ---- */

static struct wf_replay_state *replay_map_state(int fd)
{
    static_assert(sizeof(struct wf_replay_state) <= WF_REPLAY_STATE_BYTES, "one page");
    if (fd < 0 || posix_fallocate(fd, 0, WF_REPLAY_STATE_BYTES) != 0)
        return NULL;
    void *map = mmap(NULL, WF_REPLAY_STATE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return map == MAP_FAILED ? NULL : map;
}

/* What the processes of a host share; without disk space each has its own. */
static struct wf_replay_state *replay_share(void)
{
    static struct wf_replay_state own;
    char name[128], host[64] = "";
    struct wf_quiet quiet;
    gethostname(host, sizeof host - 1);
    snprintf(name, sizeof name, WF_REPLAY_PREFIX "%s", host);
    wf_quiet_begin(&quiet);
    int fd = wf_directory_file(name, O_RDWR | O_CREAT);
    struct wf_replay_state *state = replay_map_state(fd);
    if (fd >= 0)
        close(fd);
    wf_quiet_end(&quiet);
    return state ? state : &own;
}

static const struct wf_order_way replay_way = {
    .direct =
        {
            [WF_ORDER_recv] = wf_replay_recv,
            [WF_ORDER_sendrecv] = wf_replay_sendrecv,
            [WF_ORDER_irecv] = wf_replay_irecv,
            [WF_ORDER_start] = wf_replay_start,
            [WF_ORDER_startall] = wf_replay_startall,
            [WF_ORDER_probe] = wf_replay_probe,
            [WF_ORDER_iprobe] = wf_replay_iprobe,
            [WF_ORDER_mprobe] = wf_replay_mprobe,
            [WF_ORDER_improbe] = wf_replay_improbe,
            [WF_ORDER_wait] = wf_replay_wait_one,
            [WF_ORDER_waitall] = wf_replay_wait_all,
            [WF_ORDER_waitany] = wf_replay_wait_any,
            [WF_ORDER_waitsome] = wf_replay_wait_some,
            [WF_ORDER_test] = wf_replay_test_one,
            [WF_ORDER_testall] = wf_replay_test_all,
            [WF_ORDER_testany] = wf_replay_test_any,
            [WF_ORDER_testsome] = wf_replay_test_some,
            [WF_ORDER_status] = wf_replay_status,
            [WF_ORDER_request_free] = wf_stand_in_free,
            [WF_ORDER_cancel] = wf_replay_cancel,
            [WF_ORDER_comm_free] = wf_stand_in_comm_free,
        },
    .settled = {[WF_ORDER_recv_init] = wf_replay_recv_init},
};

/* "SECONDS:FILE" */
const struct wf_order_way *wf_order_replay_start(const char *rest)
{
    const struct wf_segment_header *process = wf_process.segment.header;
    char *path = NULL;
    int *largest = NULL, known = 0;
    double seconds = strtod(rest, &path);
    replay.patience_ns = (uint64_t)(seconds * 1e9);
    replay.thread = &weft_tls;
    replay.rank = process->rank;
    wf_real.Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &largest, &known);
    replay.largest_tag = known ? *largest : 32767;
    replay.state = replay_share();
    enum wf_course_opening opened =
        wf_course_open(&replay.readers, path + (*path == ':'), process->rank, process->size);
    _Atomic uint32_t *const counts[] = {[WF_COURSE_OPENED] = &replay.state->ranks,
                                        [WF_COURSE_UNREADABLE] = &replay.state->unable,
                                        [WF_COURSE_OTHER_SIZE] = &replay.state->other_size,
                                        [WF_COURSE_OTHER_PROGRAM] = &replay.state->other_program};
    atomic_fetch_add(counts[opened], 1);
    if (opened == WF_COURSE_OPENED && replay.patience_ns < 2 * replay.readers.gap_ns)
        replay.patience_ns = 2 * replay.readers.gap_ns;
    return opened == WF_COURSE_OPENED ? &replay_way : NULL;
}
