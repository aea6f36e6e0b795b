/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of measure/feed.h share, and nobody else sees.
 */
#ifndef WF_FEED_STATE_H
#define WF_FEED_STATE_H

#include <time.h>

#include "measure/clock.h"
#include "measure/counted.h"
#include "measure/feed.h"
#include "measure/trace.h"

#define WF_FEED_PARTS 65536u /* of one call; address space only */

struct wf_feed_due { /* the end of a call */
    struct wf_site *site; /* NULL: none is due */
    uint64_t arrival_virt, end_virt, waited;
    int64_t now; /* then, on the path's clock */
};

struct wf_feed {
    struct wf_lane *lane;
    struct wf_path *path;          /* in the segment, */
    struct wf_path_record *record; /* behind this */
    struct wf_counted counted;
    struct wf_site *behind; /* the statement whose stretch of computing it is in, or NULL */
    struct wf_site *current; /* of the call it is in, or was in last */
    struct wf_feed_due due;  /* of that call */
    struct wf_shown *promised;
    uint64_t begin_virt;    /* of the call it is in, or was in last */
    int64_t begin, scale_from; /* the same on the path's clock; and where that and virtual time were last compared */
    uint64_t scale_virt;
    uint64_t calls;
    struct wf_feed_part *parts;
    uint32_t part_count;
    void *scratch; /* room for one snapshot */
    uint64_t refine_at, refine_after;
    uint64_t *keys; /* behind the state in the segment */
    struct wf_trace *trace;
};

/* Of the process. */
struct wf_feed_common {
    uint32_t regions; /* to be told apart */
    uint32_t rank, size;
    _Atomic uint32_t epoch;      /* the newest that any thread computes, */
    _Atomic uint64_t start_virt; /* and where the first one began with it */
    _Atomic uint32_t starts; /* that the program itself has asked for */
    bool cpu;
    bool hosts; /* there are several */
    double ns_per_tick;
    uint32_t threads;
};

extern struct wf_feed_common wf_feed_common;

/* ---- the path's clock ---- */

/* CPU time without that of watching. */
static inline int64_t wf_feed_cpu_now(const struct wf_feed *f)
{
    uint64_t ns = wf_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    return (int64_t)ns - (int64_t)((double)f->lane->record->overhead_ticks * wf_feed_common.ns_per_tick);
}

static inline int64_t wf_feed_clock_at(const struct wf_feed *f, uint64_t virt)
{
    return __builtin_expect(wf_feed_common.cpu, 0) ? wf_feed_cpu_now(f) : (int64_t)virt;
}

static inline uint64_t wf_feed_virt_now(const struct wf_lane *lane)
{
    return wf_clock_ticks() - lane->probes.intrusion;
}

/* Readers find an odd number while we write. */
static inline void wf_feed_write_begins(struct wf_feed *f)
{
    uint32_t n = atomic_load_explicit(&f->record->sequence, memory_order_relaxed);
    atomic_store_explicit(&f->record->sequence, n + 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
}

static inline void wf_feed_write_ends(struct wf_feed *f)
{
    if (f->trace) /* what can be read now is written down by then */
        wf_trace_flush(f->trace);
    uint32_t n = atomic_load_explicit(&f->record->sequence, memory_order_relaxed);
    atomic_store_explicit(&f->record->sequence, n + 1, memory_order_release);
}

/* ---- regions and epochs (feed_regions.c) ---- */

void wf_feed_find_slots(struct wf_feed *f, struct wf_site *site);

static inline void wf_feed_need_slots(struct wf_feed *f, struct wf_site *site)
{
    if (__builtin_expect(site->path_epoch != f->path->epoch, 0))
        wf_feed_find_slots(f, site);
}

/* What the probes have counted up to here. */
void wf_feed_count_regions(struct wf_feed *f, uint64_t virt, int64_t now);
/* Those that the thread is in. */
void wf_feed_enter_regions(struct wf_feed *f, int64_t now);
/* The computing behind this statement begins. */
void wf_feed_set_stretch(struct wf_feed *f, struct wf_site *site);
void wf_feed_trace_epoch(struct wf_feed *f, uint32_t epoch, int64_t now);
/* In no call, and everything counted up to now: another epoch begins. */
void wf_feed_change_epoch(struct wf_feed *f, uint32_t epoch, uint64_t virt, int64_t now);
void wf_feed_look_for_epoch(struct wf_feed *f, uint64_t virt, int64_t now);
/* More regions than slots are sorted out by one process for all, now and then. */
void wf_feed_refine(struct wf_feed *f);

/* ---- calls (feed.c) ---- */

/* Ends what is due. */
void wf_feed_catch_up(struct wf_feed *f);

#endif
