/* SPDX-License-Identifier: BSD-3-Clause
 *
 * How a command is started so that its MPI processes are watched, and in which of the two orders it was:
 *
 *     weft run mpirun -n 4 ./app      outer: weft is the launcher's parent
 *     mpirun -n 4 weft run ./app      inner: weft is started once a rank, and becomes the application
 */
#ifndef WF_LAUNCH_H
#define WF_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* What a launcher has told this process. */
struct wf_launch_place {
    bool inner;    /* a launcher started this process as one of its ranks */
    int rank;      /* 0 where nothing is told */
    int local_size; /* ranks on this host; 0: not told */
    char job[128]; /* the same for all ranks of the job and for no other job */
    bool secret;   /* and others cannot know it before they see it */
};

void wf_launch_look(struct wf_launch_place *place, const char *program);

/* Is this the name of a program that starts ranks, or of one that such a program starts on each host? */
bool wf_launch_is_launcher(const char *program);

/* What the user wants of the library in the processes. */
struct wf_launch_settings {
    long long segment_bytes;  /* -1: the default */
    const char *only, *skip;  /* patterns of regions, separated by commas, or NULL */
    const char *filter;       /* a file with lines "only PATTERN" and "skip PATTERN", or NULL */
    bool no_adaptive;         /* switch no region off */
    const char *clock;        /* how times are compensated: a word that WEFT_CLOCK understands, or NULL */
    const char *path;         /* the critical path: on, later, off; or NULL */
    const char *path_weight;  /* of what: elapsed, cpu; or NULL */
    long long path_regions;   /* how many regions it follows; -1: the default */
    const char *path_select;  /* patterns of those that it may, separated by commas, or NULL */
};

enum {
    WF_LAUNCH_PATH_REGIONS = 1024,        /* the most */
    WF_LAUNCH_SEGMENT_LEAST = 64 * 1024, /* what a segment begins with */
};

/* What a table of options cannot tell: numbers out of range, lists with nothing in them. */
int wf_launch_check(const struct wf_launch_settings *settings, struct wf_error *error);

/* Reads the filter file into only and skip, which are then to be freed by nobody: they last as long as the process. */
int wf_launch_read_filter(struct wf_launch_settings *settings, struct wf_error *error);

/* Can the library be preloaded? */
int wf_launch_check_library(struct wf_error *error);

/* Adds the preloaded library, the run directory and the settings to the environment. */
int wf_launch_prepare(const char *directory, const struct wf_launch_settings *settings, struct wf_error *error);

/* Lets a launcher give what wf_launch_prepare has set to ranks on other hosts, too. */
void wf_launch_reach_hosts(void);

/* Where execvp would find it. */
bool wf_launch_find_program(const char *program, char *path, size_t bytes);

/* Whether a program file is statically linked. Scripts and what is not there are not judged. */
bool wf_launch_is_static(const char *program);

/* Replaces this process. Returns only on failure: the exit status a shell would give, after one sentence. */
int wf_launch_become(char **argv);
int wf_launch_say_failure(const char *program, int why);

#endif
