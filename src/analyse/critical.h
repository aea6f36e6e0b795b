/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path: the share of each tracked region, and how much shorter the run would be if the region were faster.
 * It owns its texts.
 */
#ifndef WF_ANALYSE_CRITICAL_H
#define WF_ANALYSE_CRITICAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyse/program.h"
#include "analyse/rank.h"

enum { WF_CRITICAL_STEPS = 4 }; /* 25, 50, 75, 100 % faster */

struct wf_critical_region {
    char *kind; /* 'procedure', 'loop', 'region', 'statement', 'stretch', 'unknown'; 'other', 'transfer' */
    char *name, *file, *procedure;
    int64_t line, regions;
    int64_t share_ns, all_share_ns;          /* of the path: while it is the innermost region, and with all inside it */
    bool saved_known;                        /* the profile has the savings: it was followed */
    int64_t saved_ns[WF_CRITICAL_STEPS];     /* if its own time were shorter */
    int64_t all_saved_ns[WF_CRITICAL_STEPS]; /* if all inside it were shorter */
    bool all_known;                          /* the profile has all_saved_ns */
    bool all_share_known;                    /* ... and all_share_ns, which statements always have */
    bool time_known;
    int64_t time_ns, wait_ns; /* own time over all ranks; in it, waiting for other ranks */
    int64_t idle_ns;          /* in it, too: polling, no core and unexplained, which is no work */
    bool hot;                 /* it takes much time and would save nothing */
};

struct wf_critical_place { /* a group of ranks */
    int64_t first_rank, last_rank, share_ns, arrivals;
};

struct wf_critical_path {
    int64_t length_ns; /* 0: there is none */
    int64_t from_ns;   /* its beginning, from the beginning of the run */
    int64_t whole_ns;  /* what savings are compared with: for elapsed time the run, for CPU time the path */
    int64_t time_ns;   /* the time of all ranks together */
    int64_t parts, lost;
    bool cpu;                           /* lengths are CPU time */
    struct wf_critical_region *regions; /* largest own share first; without other and transfer */
    size_t count;
    struct wf_critical_region other, transfer;
    int64_t rest_ns;                  /* own shares of both: what is in no region's row */
    struct wf_critical_place *places; /* largest share first */
    size_t place_count;
};

int wf_critical_path_read(struct wf_critical_path *path, struct wf_profile *profile, const struct wf_program *program,
                          const struct wf_rank_list *ranks, struct wf_error *error);
void wf_critical_path_free(struct wf_critical_path *path);

/* Hot regions, most time first: pointers into the path, ended by NULL; to be freed. */
const struct wf_critical_region **wf_critical_path_hot(const struct wf_critical_path *path);

/* Its own time without waiting for other ranks, and without idle time. */
int64_t wf_critical_region_busy_ns(const struct wf_critical_region *region);

/* "heat.c:88", "libfield.so", or "" where it has no place; to be freed. */
char *wf_critical_region_place(const struct wf_critical_region *region);

#endif
