/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The room of the critical path: which chain of activity is the longest one that leads to where a thread is. The
 * arithmetic is in format/path.h, because the collector uses it, too.
 *
 * Its objects, who owns them, and which threads may touch them:
 *
 *     feed          a thread's path, in its segment   the lane's; its thread. Monitors copy it (collect/path_sampler.h)
 *     region_times  what its probes have counted      the feed's
 *     registry      what the processes of a host      a mapped file of all processes; any thread, without a lock
 *                   agree on: epoch, slots of regions
 *     trace         a text of all this, for a test    the feed's
 *
 * What is global: wf_feed_common, the settings and counters that all feeds of the process share; wf_feed_wanted and
 * wf_feed_room, which each call reads; wf_registry, the mapped file.
 *
 * It may use base/, format/, guest/, clock/, record/ and process/.
 *
 * A feed gives the path what its thread does. The path is not updated between calls. Where a call begins, it gets what
 * the probes have counted since the last call. What the thread shows to those that will depend on the call is taken
 * there, too. Where the call ends, the path gets what the call depended on itself:
 *
 *     begin    the path up to here, regions and the call's statement
 *     show     a snapshot of it, for others; as often as headers are left
 *     part     a rank that the call depended on, with what it showed
 *     end      merges the parts
 *
 * Between a receive and a small message that is sent right behind it, other ranks wait, also for what the path takes
 * there. So such a send only promises its receiver a snapshot, and begins when its message is under way. And a receive
 * that is always followed by a send ends no sooner.
 *
 * In libweft.so, and used by the backends.
 */
#ifndef WF_FEED_H
#define WF_FEED_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "format/path.h"
#include "measure/record/lane.h"
#include "base/shared.h"

struct wf_feed;

/* What a thread has shown, where others can read it. */
struct wf_shown {
    _Atomic uint64_t ticket; /* 0: free, or being written */
    uint64_t call;           /* of who shows it: its calls so far */
    uint32_t rank;           /* who, for a test's trace */
    uint16_t thread;
    _Atomic uint16_t promised;    /* 1: a message refers to it, and it is written soon */
    struct wf_path_snapshot path; /* more follows, from a cache line on */
};

struct wf_feed_part {
    struct wf_shown *shown;
    const _Atomic uint64_t *check; /* has this value as long as the snapshot is what it was; NULL: that it stays as it
                                      is, is sure */
    uint64_t is;
    bool release; /* it is free when it has been read */
    uint64_t latency, sent_virt;
};

/* Written in MPI_Init and MPI_Finalize only, when no other thread is in MPI. */
extern bool wf_feed_wanted WF_SHARED(feed_wanted);

/* Bytes of a wf_shown at the most, in this process and in those that it can read from. */
extern size_t wf_feed_room WF_SHARED(feed_room);

/* MPI is initialised; `virt` is now. hosts: there are several, and their processes have to agree without a common
 * registry. */
void wf_feed_start(int rank, int size, bool hosts, uint64_t virt) WF_SHARED(feed_start);

/* The lane's, made at its first call; NULL: it has none. */
struct wf_feed *wf_feed_open(struct wf_lane *lane) WF_SHARED(feed_open);

void wf_feed_begin(struct wf_feed *f, struct wf_site *site, uint64_t virt) WF_SHARED(feed_begin);

/* The call that has begun begins later than it was told: what lies between is computing. */
void wf_feed_put_off(struct wf_feed *f, uint64_t virt) WF_SHARED(feed_put_off)
__attribute__((cold));

/* May a send begin late? */
bool wf_feed_may_be_late(const struct wf_feed *f) WF_SHARED(feed_may_be_late);
/* Before the real function: this will be shown. */
void wf_feed_promise(struct wf_feed *f, struct wf_shown *s) WF_SHARED(feed_promise);
/* Behind it: the send began at this time, and took so long. */
void wf_feed_begin_late(struct wf_feed *f, struct wf_site *site, uint64_t virt, uint64_t took)
    WF_SHARED(feed_begin_late);

/* Room for a wf_shown: wf_feed_room; 0: there is nothing to show. */
size_t wf_feed_shown_bytes(const struct wf_feed *f) WF_SHARED(feed_shown_bytes);
/* All but its ticket, or whatever else tells others that it is there, which is written last, and its first line handed
 * over then; into zeros, or where it was shown before. */
void wf_feed_show(struct wf_feed *f, struct wf_shown *s) WF_SHARED(feed_show);
/* The same where others may be reading what was there before. */
void wf_feed_show_for_now(struct wf_feed *f, struct wf_shown *s) WF_SHARED(feed_show_for_now);
/* Gets the lines that will probably be written there next: others have read them. */
void wf_feed_expect(const struct wf_feed *f, struct wf_shown *s) WF_SHARED(feed_expect);
/* Is it in a call that began at this time? */
bool wf_feed_began_at(const struct wf_feed *f, uint64_t virt) WF_SHARED(feed_began_at);

/* For another host: what is shown, in a form that means the same there. Into at most WF_FEED_FAR_BYTES; returns how
 * many, 0: there is nothing to show, or too much. */
#define WF_FEED_FAR_BYTES 16384u
size_t wf_feed_write(struct wf_feed *f, void *to) WF_SHARED(feed_write);
/* What has come from there, as if it had been shown here; wf_feed_room. False: it is not what was written there. */
bool wf_feed_read(struct wf_feed *f, const void *from, size_t bytes, struct wf_shown *to) WF_SHARED(feed_read);

void wf_feed_part(struct wf_feed *f, const struct wf_feed_part *part) WF_SHARED(feed_part);
/* Is it among the last few of the call? Another time would be no harm, but of no use. */
bool wf_feed_has_part(const struct wf_feed *f, const struct wf_shown *shown) WF_SHARED(feed_has_part);
/* Another that the call depended on has shown nothing. */
void wf_feed_lost(struct wf_feed *f) WF_SHARED(feed_lost);

/* The call ends at end_virt; the last of its parts arrived at arrival_virt (0: there are none). waited: how long it
 * waited for others; idle: how long it did nothing without being known to wait for one, which is no activity. False:
 * what there is to do is done later. */
bool wf_feed_end(struct wf_feed *f, struct wf_site *site, uint64_t arrival_virt, uint64_t end_virt, uint64_t waited,
                 uint64_t idle) WF_SHARED(feed_end);

/* What the thread did since its last call is no activity; the next call begins at this time. */
void wf_feed_rested(struct wf_feed *f, uint64_t virt) WF_SHARED(feed_rested);
/* Before the end of a call: its times are counted from this time on. */
void wf_feed_counts_since(struct wf_feed *f, uint64_t virt) WF_SHARED(feed_counts_since);

/* The program's own word: the path starts anew here, or stops. The n-th word of each process means the n-th of all. */
void wf_feed_ask(bool start) WF_SHARED(feed_ask);
void wf_feed_told(int start); /* the same, for <weft/weft.h> */

/* From these ticks on. */
void wf_feed_paused(struct wf_lane *lane, uint64_t ticks);
void wf_feed_resumed(struct wf_lane *lane, uint64_t since, uint64_t ticks); /* the pause began then, and was so long */

/* Another may use the lane later. */
void wf_feed_thread_ends(struct wf_lane *lane);

/* MPI_Finalize is entered. */
void wf_feed_finish(struct wf_lane *lane, uint64_t virt);

#endif
