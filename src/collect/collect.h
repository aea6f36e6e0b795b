/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The collector: it merges the segments that the processes of one run left in a directory into one profile. It works in
 * a process of weft's own, in one thread; nothing of it outlives the call.
 */
#ifndef WF_COLLECT_H
#define WF_COLLECT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct wf_collect_options {
    const char *directory;      /* holds the segments, *.seg */
    const char *directory_name; /* what messages call it; NULL: by its path */
    const char *output;         /* the profile; an older one of the same name is replaced at the end, in one step */
    bool keep_older;            /* the older one gets another name instead */
    bool outer;                 /* weft run stood in front of the launcher, and so was for all ranks */
    const char *command;        /* what the user ran, for the profile; NULL: taken from the first segment */
    bool progress;              /* show progress on stderr when it takes long */
};

struct wf_collect_result {
    int segments;    /* files found */
    int ranks;       /* processes in the profile */
    int refused;     /* files that are no valid segments: each has a note in the profile */
    char kept[4096]; /* the name that an older profile got; empty: there was none */
};

/* Returns 0, or -1 with the error set and no file changed. No usable segment at all is not an error:
 * result->ranks is 0 and nothing is written. */
int wf_collect(const struct wf_collect_options *options, struct wf_collect_result *result, struct wf_error *error);

#endif
