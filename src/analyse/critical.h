/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The critical path: what each followed region has of it, and what the run would save if the region were
 * faster. It owns its texts.
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
    char *kind; /* 'procedure', 'loop', 'region', 'statement', 'stretch', 'bucket'; 'other', 'transfer' */
    char *name, *file, *procedure;
    int64_t line, regions;
    int64_t share_ns, all_share_ns; /* of the path: while it is the innermost one, and with all inside it */
    int64_t saved_ns[WF_CRITICAL_STEPS];     /* if its own time were less */
    int64_t all_saved_ns[WF_CRITICAL_STEPS]; /* if all inside it were */
    bool all_known;                          /* the profile has those */
    bool time_known;
    int64_t time_ns, wait_ns; /* own time over all ranks, and how much of that was waiting for others */
    bool hot;                 /* much time, and nothing to save */
};

struct wf_critical_place { /* ranks that are told together */
    int64_t first_rank, last_rank, share_ns, arrivals;
};

struct wf_critical_path {
    int64_t length_ns; /* 0: there is none */
    int64_t from_ns;   /* its beginning, in the run */
    int64_t whole_ns;  /* what savings are a part of: of elapsed time the run's, of CPU time the path's */
    int64_t time_ns;   /* of all ranks together */
    int64_t parts, lost;
    bool cpu;                           /* lengths are CPU time */
    struct wf_critical_region *regions; /* largest own share first; without these two: */
    size_t count;
    struct wf_critical_region other, transfer;
    struct wf_critical_place *places; /* largest share first */
    size_t place_count;
};

int wf_critical_path_read(struct wf_critical_path *path, struct wf_profile *profile,
                          const struct wf_program *program, const struct wf_rank_list *ranks,
                          struct wf_error *error);
void wf_critical_path_free(struct wf_critical_path *path);

/* Hot regions, most time first: pointers into the path, ended by NULL; to be freed. */
const struct wf_critical_region **wf_critical_path_hot(const struct wf_critical_path *path);

/* Its time without what it waited for others. */
int64_t wf_critical_region_busy_ns(const struct wf_critical_region *region);

/* "heat.c:88", "libfield.so", or "" where it has no place; to be freed. */
char *wf_critical_region_place(const struct wf_critical_region *region);

#endif
