/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the files of measure/feed.h share, and nobody else sees.
 */
#ifndef WF_FEED_STATE_H
#define WF_FEED_STATE_H

#include "measure/counted.h"
#include "measure/feed.h"

struct wf_trace;

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
    uint32_t starts; /* that the program itself has asked for */
    bool cpu;
    bool hosts; /* there are several */
    double ns_per_tick;
    uint32_t threads;
};

extern struct wf_feed_common wf_feed_common;

#endif
