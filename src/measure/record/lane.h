/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A lane: the records of one thread, with what finds them. Only its thread touches it, but for the few members that
 * other threads write with the lock of all lanes (lanes.h). When the thread ends, the lane waits for the next new
 * thread, so that there are as many lanes as threads at one time, not as threads ever.
 */
#ifndef WF_LANE_H
#define WF_LANE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pages.h"
#include "base/shared.h"
#include "base/table.h"
#include "format/needs.h"
#include "measure/clock/clock.h"
#include "measure/clock/roots.h"
#include "measure/record/polls.h"
#include "measure/record/segment.h"
#include "measure/record/site.h"
#include "weft/probe.h"

/* More regions are not recorded, and counted. A region is on a shadow stack once at the most, so no stack is deeper. */
#define WF_MAX_REGIONS 65536u
#define WF_LISTED_VISITS 65536u
#define WF_ENDED_VISITS 16u

struct wf_feed;

/* Records of one kind: what finds them, and the chunk with room for more, or NULL. */
struct wf_records {
    struct wf_table table;
    struct wf_chunk *chunk;
};

/* weft's words in a weft_stack_: the visit's inner and inner_virtual when it was entered; the probe, of what is no
 * procedure */
enum { WF_STACK_INNER, WF_STACK_INNER_VIRTUAL, WF_STACK_PROBE };

/* What a lane knows of a region. */
struct wf_lane_region {
    struct wf_visit_record *last;          /* of the last entry, or NULL */
    const struct wf_region_record *record; /* NULL: it has never been entered */
    uint32_t active;                       /* how many visits are under way, where the region's own key does not tell */
    int64_t nested_virtual;                /* of its own time, in loops and in regions marked by hand right inside it */
    uint64_t slow;                         /* visits that were entered the slow way */
    uint64_t num, ticks, ticks_virtual; /* of all its visits, from wherever; as they were when regions were last judged
                                         */
};

/* When the thread's time without a core was last looked at (measure/process/core.h), and what was seen. */
struct wf_lane_core {
    uint64_t at;       /* in ticks; 0: never */
    uint64_t kept;     /* seen, and not given to a look yet */
    uint64_t switches; /* so often it has given up its core or lost it */
    uint64_t delay_ns; /* so long it has been ready without one */
};

/* The end of the last call, in which it may have waited, but it is not known for whom. */
struct wf_lane_unknown {
    uint64_t end, ticks; /* in the time of root causes (measure/exchange/header.h); ticks 0: there was none */
};

struct wf_lane {
    struct weft_lane_ probes; /* first: instrumented code knows the lane as this. The top of the shadow stack; there is
                                 always one entry */
    struct wf_lane_record *record;
    uint64_t lag; /* virtual time - time on an ideal network */
    struct wf_lane_core core;
    uint64_t previous;      /* the communication statement before */
    bool charged;           /* what watching costs goes to probes.intrusion */
    bool polling;           /* the last call was a poll that failed: there is a chain */
    struct wf_needs *needs; /* what it publishes of calls that may block (format/needs.h); NULL: not yet */
    uint64_t rare_at; /* a call that begins from then on looks for what is rare: the core, polls, what is not told */
    uint32_t offset;
    struct wf_site_table sites;
    struct wf_site lost;             /* stands for statements that found no room */
    struct wf_site muted;            /* stands for all statements while monitoring is paused */
    struct wf_site_record void_site; /* where those two write */
    struct wf_records coms, waits, orders;
    struct wf_roots roots;             /* of the last long wait, */
    uint64_t released;                 /* and its end (measure/exchange/root_ring.h); 0: there was none */
    struct wf_lane_unknown unknown;    /* what is not told to others yet */
    struct weft_stack_ *stack;         /* its first entry stands for no region */
    struct wf_visit_record no_region;  /* and is counted here */
    _Atomic uint32_t attention;        /* enum wf_attend. This and the next four are also for other threads, with the
                                          lock of all lanes */
    uint64_t pause_since, pause_ticks; /* the last pause, and how long all were that the thread has not heard of */
    struct wf_pages lent;              /* struct wf_lent[]: where the program and its libraries keep the lane */
    uint32_t lent_count;
    uint32_t region_slots;
    uint32_t slow_entries;          /* of all regions; modulo 2^32 */
    struct wf_lane_region *regions; /* by the region's index */
    uint64_t nestings;              /* how often nested_virtual of a region has grown */
    uint64_t ended;                 /* visits that ended the slow way, and the last WF_ENDED_VISITS of them */
    struct weft_visit_ *last_ended[WF_ENDED_VISITS];
    uint32_t *visit_list; /* offsets of visit records in the order they were made, the first WF_LISTED_VISITS; NULL:
                             none yet */
    uint32_t visit_count; /* of all there are */
    struct wf_table visits;
    struct wf_chunk *visit_chunk;
    struct wf_pages scratch;
    struct wf_polls polls;      /* where `polling` */
    struct wf_feed *feed;       /* of the critical path; NULL: not yet, or never */
    struct wf_segment *segment; /* that its records are in */
    struct wf_lane *next;       /* of all lanes of the process */
    struct wf_lane *next_free;
    struct wf_site site_cells[WF_MAX_SITES]; /* last: address space, used as far as there are sites */
};

/* A lane for a new thread; NULL: there is no room. */
struct wf_lane *wf_lane_new(struct wf_segment *segment);

/* Before its thread enters its first region: from now on others may see in the segment which regions it is in, if there
 * is room for that. */
void wf_lane_show_stack(struct wf_lane *lane);

/* The next record in the lane's chunk of this kind, opening a new chunk where needed; not there for readers before it
 * is published. NULL: no room. */
void *wf_lane_next_record(struct wf_lane *lane, struct wf_chunk **chunk, enum wf_chunk_kind kind,
                          uint32_t record_bytes);
void wf_lane_publish(struct wf_chunk *chunk);

/* At least `bytes` of memory that stay valid until the lane's next call of this function; NULL: there is none. */
void *wf_lane_scratch(struct wf_lane *lane, size_t bytes) WF_SHARED(lane_scratch);

/* The site of a statement; lane->lost where there is no room for one. */
static inline struct wf_site *wf_lane_site(struct wf_lane *lane, uintptr_t address, uint32_t call)
{
    struct wf_site *site = wf_site_table_find(&lane->sites, address, call);
    return __builtin_expect(site != NULL, 1) ? site : wf_lane_add_site(lane, address, call);
}

/* What weft did since `since` was rare and costly: nothing calibrated covers it. */
static inline void wf_lane_charge(struct wf_lane *lane, uint64_t since)
{
    uint64_t ticks = wf_clock_ticks() - since;
    lane->record->overhead_ticks += ticks;
    if (lane->charged)
        lane->probes.intrusion += ticks;
}

#endif
