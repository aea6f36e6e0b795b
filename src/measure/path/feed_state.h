/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the sources of measure/path/feed.h share, and no other source sees.
 */
#ifndef WF_FEED_STATE_H
#define WF_FEED_STATE_H

#include <time.h>

#include "measure/clock/clock.h"
#include "measure/path/region_times.h"
#include "measure/path/feed.h"
#include "measure/path/registry.h"
#include "measure/path/trace.h"

#define WF_FEED_PARTS 65536u /* of one call; address space only */

struct wf_feed_due {      /* the end of a call */
    struct wf_site *site; /* NULL: none is due */
    uint64_t arrival_virt, end_virt, waited, idle;
    int64_t now; /* then, on the path's clock */
};

struct wf_feed {
    struct wf_lane *lane;
    struct wf_path *path;          /* in the segment, */
    struct wf_path_record *record; /* behind this */
    struct wf_region_times counted;
    struct wf_site *behind;  /* the statement whose stretch of computing it is in, or NULL */
    struct wf_site *current; /* of the call it is in, or was in last */
    struct wf_feed_due due;  /* of that call */
    struct wf_shown *promised;
    uint64_t prompt_until;     /* of its calls: before that none promises anything */
    uint64_t begin_virt;       /* of the call it is in, or was in last */
    int64_t begin, scale_from; /* the same on the path's clock; and where that and virtual time were last compared */
    uint64_t scale_virt;
    int64_t cpu_own, cpu_used, cpu_watching; /* ns: the path's clock with CPU weights, and what it was last read from */
    uint64_t since_virt;                     /* where the times of the call are counted from; 0: from its begin */
    uint64_t calls;
    struct wf_feed_part *parts;
    uint32_t part_count;
    void *scratch;         /* room for one snapshot */
    struct wf_path *other; /* room for a snapshot of another version of the map, as a state */
    uint64_t look_virt;    /* which regions have slots is not looked at before */
    uint64_t *keys;        /* behind the state in the segment */
    struct wf_trace *trace;
};

/* Of the process. */
struct wf_feed_common {
    uint32_t regions; /* that have slots */
    uint32_t rank, size;
    _Atomic uint32_t epoch;      /* the newest that any thread computes, */
    _Atomic uint64_t start_virt; /* and where the first one began with it */
    _Atomic uint32_t starts;     /* that the program itself has asked for */
    bool cpu;
    bool hosts; /* there are several */
    double ns_per_tick;
    uint32_t threads;
};

extern struct wf_feed_common wf_feed_common;

/* ---- the path's clock ---- */

/* CPU time without that of watching. What watching cost is known in elapsed time only: without a core it may have
 * lasted longer than all CPU time since the last look, and the clock stands still then. */
static inline int64_t wf_feed_cpu_now(struct wf_feed *f)
{
    int64_t used = (int64_t)wf_clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
    int64_t watching = (int64_t)((double)f->lane->record->overhead_ticks * wf_feed_common.ns_per_tick);
    int64_t own = used - f->cpu_used - (watching - f->cpu_watching);
    f->cpu_used = used;
    f->cpu_watching = watching;
    f->cpu_own += own > 0 ? own : 0;
    return f->cpu_own;
}

static inline int64_t wf_feed_clock_at(struct wf_feed *f, uint64_t virt)
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
    if (__builtin_expect(site->path_map != f->path->map, 0))
        wf_feed_find_slots(f, site);
}

/* What the probes have counted up to here. */
void wf_feed_count_regions(struct wf_feed *f, uint64_t virt, int64_t now);
/* Those that the thread is in. */
void wf_feed_enter_regions(struct wf_feed *f, int64_t now);
/* The computing behind this statement begins. */
void wf_feed_set_stretch(struct wf_feed *f, struct wf_site *site);
/* The computing before the first call ends now, at that call or without one. */
void wf_feed_note_beginning(struct wf_feed *f, int64_t now);
void wf_feed_trace_epoch(struct wf_feed *f, uint32_t epoch, int64_t now);
/* In no call, and everything counted up to now: this epoch and this version of the map, if they are newer. */
void wf_feed_change(struct wf_feed *f, uint32_t epoch, uint32_t map, uint64_t virt, int64_t now);
void wf_feed_take_news(struct wf_feed *f, uint64_t virt, int64_t now);
/* Are there newer ones? */
static inline void wf_feed_look(struct wf_feed *f, uint64_t virt, int64_t now)
{
    if (__builtin_expect(wf_registry_differs(wf_path_stage(&f->path->epoch)), 0))
        wf_feed_take_news(f, virt, now);
}
/* There are regions without slots. Now and then one process for all gives slots to those that have much of its path. */
void wf_feed_refine(struct wf_feed *f);

/* ---- calls (feed.c) ---- */

/* Ends what is due. */
void wf_feed_catch_up(struct wf_feed *f);

#endif
