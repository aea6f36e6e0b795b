/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Watches a run from outside for a deadlock of the application: reads what each process of this host is blocked in
 * (format/box.h), and says which ranks can never go on (analyse/deadlock.h). It stops and changes nothing. Owned by the
 * guardian, or by `weft stuck`; one thread.
 *
 * A message may be under way between any two moments. So a rank counts as stuck only if it has been in the same call
 * for WF_STUCK_NS, in many looks, and longer where large messages may be under way. Meanwhile it was neither stopped
 * nor traced nor in uninterruptible sleep, and it had a core or needed none. Processes that cannot be read count as
 * running: those of other hosts, those that are not watched, and those with threads that weft does not know.
 */
#ifndef WF_STUCK_WATCH_H
#define WF_STUCK_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/deadlock.h"
#include "cli/launch_rundir.h"
#include "format/segment.h"

#define WF_STUCK_NS INT64_C(1000000000)
#define WF_STUCK_LOOK_MS 200 /* a good pause between two looks */

/* Why nothing is concluded from a process. */
enum wf_stuck_doubt {
    WF_STUCK_NO_DOUBT,
    WF_STUCK_ELSEWHERE, /* it is on another host */
    WF_STUCK_UNREADABLE,
    WF_STUCK_STOPPED,
    WF_STUCK_TRACED,
    WF_STUCK_ASLEEP, /* in the kernel, as for a disk */
    WF_STUCK_THREADS,
};

struct wf_stuck_process {
    char *segment; /* its file */
    struct wf_segment_header header;
    int box; /* descriptor; -1: not open */
    bool alive;
    enum wf_stuck_doubt doubt;
    struct wf_deadlock_process now;
    size_t thread_capacity, comm_capacity;
    uint64_t sent_kib;
    struct wf_needs_copy call; /* that the process is in, also where that says nothing of others; mode 0: none */

    uint64_t print, last_print; /* of the calls that its threads are blocked in */
    int64_t age_ns;             /* so long it has been in them, as far as that counts */
    uint64_t cpu_ns;            /* of its threads, at the last look */
};

/* A world of the run. */
struct wf_stuck_world {
    char name[WF_WORLD_BYTES];
    struct wf_stuck_process **ranks; /* by rank; NULL: nothing is known of it */
    struct wf_deadlock deadlock;
};

struct wf_stuck_watch {
    const struct wf_rundir *rundir;
    struct wf_stuck_process **processes;
    size_t process_count, process_capacity;
    struct wf_stuck_world *worlds;
    size_t world_count, world_capacity;
    int64_t looked_ns; /* when; 0: never */
    unsigned looks;
};

void wf_stuck_watch_init(struct wf_stuck_watch *watch, const struct wf_rundir *rundir);
void wf_stuck_watch_fini(struct wf_stuck_watch *watch);

/* Looks once more. True: some ranks are stuck (deadlock.stuck of some world). */
bool wf_stuck_watch_look(struct wf_stuck_watch *watch);

/* How long a process has been in a call, at the last look. */
int64_t wf_stuck_call_ns(const struct wf_stuck_process *process, const struct wf_needs_copy *call);

#endif
